#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pages.py SOURCE BUILD FOLDER: the example on the page of each tool is typed as it stands there, and prints what stands there, but
for the numbers. A damaged copy of a page is found."""
import os
import re
import shutil
import subprocess
import sys

source, build, folder = map(os.path.abspath, sys.argv[1:])
PAGES = {"run": None, "who": "recip-who", "bench": None, "check": "recip-check", "sim": "recip-sim", "table": "recip-sim",
         "report": "recip-report", "choosing": None}


def example_of(text):
    """The lines that are typed, and those that are printed."""
    found = re.search(r"(?ms)^## An example\n(.*?)(?:^## |\Z)", text)
    lines = [line[4:] for line in found[1].split("\n") if line.startswith("    ")] if found else []
    return [line[2:] for line in lines if line.startswith("$ ")], [line for line in lines if line and not line.startswith("$ ")]


def run(typed):
    """What these commands print, each beginning where the examples are."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    shutil.copytree(os.path.join(source, "examples"), os.path.join(folder, "examples"))
    environment = {**os.environ, "PATH": build + os.pathsep + os.environ["PATH"], "COLUMNS": "100", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(["sh", "-c", "set -e\n" + "\n".join(typed)], cwd=folder, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, check=False, timeout=120)
    return done.returncode, done.stdout


def pattern_of(line):
    """Numbers with their units, and spaces between columns, may be others."""
    if re.match(r" *\.\.\.$", line):
        return r"(?s).*?"
    parts = [re.escape(part) for part in re.split(r"[0-9][0-9,.]*(?: (?:ns|us|ms|s)\b)?", line.strip())]
    return r"[0-9][0-9,.]*(?: (?:ns|us|ms|s)\b)?".join(re.sub(r"(?:\\ )+", r"\\s+", part) for part in parts)


def missing(printed, expected):
    """The first line that is expected and is not there, after those before it."""
    at = 0
    for line in expected:
        found = re.search(pattern_of(line), printed[at:])
        if not found:
            return line
        at += found.end()
    return None


def faults_of(name, text):
    typed, expected = example_of(text)
    if not typed or not any("recip " in line for line in typed) or not expected:
        return ["there is no example with what it prints"]
    status, printed = run(typed)
    line = missing(printed, expected)
    if status or line:
        return [f"status {status}" + (f"; not printed: {line}" if line else ""), printed]
    changed = [re.sub(r"[a-z]{4}", "zzzz", line, count=1) for line in expected]
    return [] if missing(printed, changed) or changed == expected else [f"{name}: a line that is not printed is not missed"]


failures = 0
for name, helper in PAGES.items():
    if helper and not os.path.exists(os.path.join(build, helper)):
        print(f"docs/{name}.md: there is no {helper} here")
        continue
    with open(os.path.join(source, "docs", name + ".md"), encoding="utf-8") as file:
        for fault in faults_of(name, file.read()):
            print(f"docs/{name}.md: {fault}")
            failures += 1
shutil.rmtree(folder, ignore_errors=True)
sys.exit(1 if failures else 0)
