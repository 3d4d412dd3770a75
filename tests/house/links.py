#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""links.py SOURCE: every relative link of the documents leads to a file, and to a heading if it names one. That a link that leads
nowhere is found, is tried on a text."""
import os
import re
import sys

source = sys.argv[1]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def anchors_of(text):
    """As GitHub makes them of headings."""
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in re.findall(r"(?m)^#+ +(.*)$", text)}


def broken(path, text):
    """The links of this document that lead nowhere."""
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"(?m)^    .*$", "", text)):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        found = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
        if not os.path.exists(found):
            yield target
        elif anchor and anchor not in anchors_of(text if found == path else read(found)):
            yield target


documents = [os.path.join(folder, name) for folder in (".", "docs", "examples") for name in os.listdir(os.path.join(source, folder))
             if name.endswith(".md")]
failures = 0
for name in sorted(documents):
    for link in broken(os.path.join(source, name), read(os.path.join(source, name))):
        print(f"{name}: {link} leads nowhere")
        failures += 1
here = os.path.join(source, "README.md")
if list(broken(here, "[a](docs/none.md) [b](docs/mutex.md#none) [c](docs/mutex.md#who-is-next)")) != ["docs/none.md", "docs/mutex.md#none"]:
    print("a link that leads nowhere is not found")
    failures += 1
sys.exit(1 if failures else 0)
