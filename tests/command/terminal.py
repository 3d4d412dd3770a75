#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""terminal.py RECIP FOLDER: what the commands print on a terminal, which is a pty of some width here. No line is wider than the
terminal, as the kernel or COLUMNS says. Colours go to a terminal only, and not if NO_COLOR is set. A pipe gets all columns."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

recip, folder = sys.argv[1:]
failures = 0


def complain(text):
    global failures
    failures += 1
    print(text)


def on_terminal(width, words, **variables):
    """What the command writes to a terminal of that width."""
    reader, writer = pty.openpty()
    fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    attributes = termios.tcgetattr(writer)
    attributes[1] &= ~termios.OPOST
    termios.tcsetattr(writer, termios.TCSANOW, attributes)
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR", "TERM")}
    environment.update({"TERM": "xterm", **variables})
    process = subprocess.Popen([recip, *words], stdout=writer, stderr=writer, stdin=subprocess.DEVNULL, env=environment)
    os.close(writer)
    output = b""
    while True:
        try:
            part = os.read(reader, 65536)
        except OSError:  # the last writer has closed it
            break
        if not part:
            break
        output += part
    os.close(reader)
    process.wait()
    return output.decode()


def lines_of(text):
    """As they stand in the end: without the progress that was written over, and without colours."""
    lines = [line.split("\r\x1b[K")[-1] for line in text.split("\n")]
    return [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in lines]


def widest(text):
    return max(lines_of(text), key=len)


os.makedirs(folder, exist_ok=True)
names = "pthread,reciprocating-doubleswap-cas-park"
saved = {}
for kind in (["mutexbench", "--threads", "1,2"], ["waiting", "--hogs", "1", "--times", "20/0"]):
    saved[kind[0]] = os.path.join(folder, kind[0] + ".json")
    with open(saved[kind[0]], "w", encoding="utf-8") as file:
        subprocess.run([recip, "bench", *kind, "--lock", names, "--duration", "0.01", "--runs", "6", "--json"], stdout=file,
                       check=True)

tables = [
    ["list"],
    ["list", "cohort-bo-mcs-park"],
    ["--help"],
    ["help", "bench"],
    ["help", "sim"],
    ["bench", "--from", saved["mutexbench"]],
    ["bench", "--from", saved["mutexbench"], "--details"],
    ["bench", "--from", saved["waiting"]],
    ["run", "--compare", names.replace("pthread", "mutex"), "--runs", "1", "--", "true"],
    ["sim", "--lock", "mcs,reciprocating-doubleswap-cas-park", "--threads", "2,5", "--episodes", "100", "--detail", "--events",
     "--residency", "8"],
    ["sim", "--lock", "mutex", "--threads", "3", "--episodes", "100", "--machine", "two-core", "--seldom", "1ms"],
    ["table", "--lock", "mcs,clh,ticket"],
]
if os.path.exists(os.path.join(os.path.dirname(recip), "recip-check")):
    tables += [["check", "--list-clients"], ["check", "tas", "--quick"]]
for words in tables:
    # Those that simulate or explore take a while: at one width.
    for width in (80,) if words[0] in ("sim", "table", "check", "run") else (80, 200):
        said = on_terminal(width, words)
        if len(said) < 20:
            complain(f"recip {words}: says {said!r}")
        if len(widest(said)) > width:
            complain(f"recip {' '.join(words)}: wider than {width}: {widest(said)!r}")

# COLUMNS is stronger than the terminal, and holds without one. A wide terminal and a pipe have all columns.
if len(widest(on_terminal(200, ["list"], COLUMNS="70"))) > 70:
    complain("COLUMNS=70 is not heeded on a terminal")
piped = subprocess.run([recip, "list"], capture_output=True, text=True, env={"COLUMNS": "70"}, check=True).stdout
if len(widest(piped)) > 70:
    complain("COLUMNS=70 is not heeded in a pipe")
environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
piped = subprocess.run([recip, "list"], capture_output=True, text=True, env=environment, check=True).stdout
titles = "ID WAITS ADMITS FOR LOCK CONTEXT MUTEX TRAITS WHAT IT IS"
if piped.split("\n")[0].split() != titles.split():
    complain(f"a pipe gets the columns {piped.splitlines()[0]}")
if lines_of(on_terminal(200, ["list"]))[0].split() != titles.split():
    complain("a wide terminal does not get all columns")
narrow = lines_of(on_terminal(80, ["list"]))
if narrow[0].split() != "ID ADMITS WHAT IT IS".split() or "--json" not in "".join(narrow):
    complain(f"a narrow terminal has {narrow[0]!r}, and what is left out is not said")

# Colours.
for words in (["list"], ["bench", "--from", saved["mutexbench"]], ["--help"], ["frobnicate"]):
    if "\x1b[" not in on_terminal(80, words):
        complain(f"recip {words}: no colour on a terminal")
    for refusal in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        if "\x1b[" in on_terminal(80, words, **refusal):
            complain(f"recip {words}: coloured in spite of {refusal}")
    result = subprocess.run([recip, *words], capture_output=True, text=True, env={**os.environ, "TERM": "xterm"}, check=False)
    if "\x1b[" in result.stdout + result.stderr:
        complain(f"recip {words}: coloured in a pipe")
sys.exit(failures > 0)
