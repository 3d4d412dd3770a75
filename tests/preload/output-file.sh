#!/bin/sh
# SPDX-License-Identifier: MIT
# output-file.sh RECIP SET-UID SCRATCH: statistics overwrite no file that they should not: a set-uid program does not obey the
# environment, links are not followed, and a file that is not the user's, or has a second name, keeps what is in it.
set -u
recip=$1
program=$2
scratch=$3
failures=0
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch" || exit 1

is() {
    if [ "$2" != "$3" ]; then
        echo "$1: '$2', not '$3'"
        failures=$((failures + 1))
    fi
}

# By the command, which refuses before the program runs; and by the library, when the file is put there later.
keeps() {
    is "$1: refused" "$("$recip" run --stats="$2" -- echo ran 2>&1 | grep -c "^recip: --stats: '$scratch/$2'")" 1
    is "$1: the library" "$(RECIP_STATS="$scratch/$2" "$program" 2>&1 | grep -c "^recip: cannot write .*'$scratch/$2'")" 1
    is "$1: what is in the file" "$(cat precious)" 'what was there'
}
echo 'what was there' >precious
ln -s precious link
keeps 'a symbolic link' link
rm link
ln precious second
keeps 'a second name' second
rm second
ln -s nowhere dangling
is 'a link to nothing' "$(RECIP_STATS="$scratch/dangling" "$program" 2>&1 | grep -c 'it is a symbolic link$')" 1
is 'a link to nothing: what it names' "$(ls nowhere 2>/dev/null)" ''
echo 'a longer text than any report has a right to leave behind' | tee -a own own own own >/dev/null
RECIP_STATS="$scratch/own" "$program" >/dev/null
is 'a file of our own is replaced' "$(grep -c 'longer text' own)" 0
is 'a file of our own has the report' "$(grep -c '"program"' own)" 1

# What is left needs a second user.
if [ "$(id -u)" -ne 0 ]; then
    exit "$failures"
fi
chown nobody precious
keeps 'a file of another user' precious
chown root precious

# As root, a program that is set-uid to another user has the flag that every set-uid program has.
cp "$program" set-uid
chown nobody set-uid
chmod 4755 set-uid
chmod 777 .
if [ "$(./set-uid)" != secure ]; then
    echo 'set-uid has no effect in this folder: the rest is left out'
    exit "$failures"
fi
is 'a set-uid program: status and output' "$(RECIP_LOCK=nosuch RECIP_STATS="$scratch/planted" ./set-uid 2>&1; echo $?)" "$(printf 'secure\n0')"
is 'a set-uid program: the file' "$(ls planted 2>/dev/null)" ''
is 'a set-uid program: text' "$(RECIP_STATS=- ./set-uid 2>&1)" secure
is 'the same program without it' "$(RECIP_LOCK=nosuch "$program" 2>&1 | grep -c "'nosuch'")" 1
exit "$failures"
