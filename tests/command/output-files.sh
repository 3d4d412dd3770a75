#!/bin/sh
# SPDX-License-Identifier: MIT
# output-files.sh RECIP FOLDER: a file that --plot names is written whole, in the place and with the permissions that a shell's >
# would give it; or it stays as it was.
set -u
recip=$1
folder=$2
failures=0
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder" || exit 1

complain() {
    echo "$*"
    failures=$((failures + 1))
}

plot() {
    "$recip" sim --lock ticket --threads 2 --episodes 100 --plot "$@" 2>error
}

# written FILE: a whole plot, and nothing beside it.
written() {
    grep -q '</svg>' "$1" || complain "$1 is no plot"
    [ "$(find . -name '*.svg.*')" = "" ] || complain "left behind: $(find . -name '*.svg.*')"
}

# refused STATUS WORDS NAME: in one line.
refused() {
    plot "$3" >output
    status=$?
    [ "$status" -eq "$1" ] && [ "$(wc -l <error)" -eq 1 ] && grep -q "$2" error || complain "$3: status $status: $(cat error)"
}

(umask 027 && plot new.svg >output) || complain "$(cat error)"
written new.svg
[ "$(stat -c %a new.svg)" = 640 ] || complain "new.svg has mode $(stat -c %a new.svg)"

echo old >old.svg
chmod 604 old.svg
plot old.svg >output || complain "$(cat error)"
written old.svg
[ "$(stat -c %a old.svg)" = 604 ] || complain "old.svg has mode $(stat -c %a old.svg)"

# Links stay: absolute, relative to where they are, one after the other, to what is there and to what is not.
mkdir -p there/below
echo old >there/target.svg
ln -s "$folder/there/target.svg" link.svg
ln -s target.svg there/near.svg
ln -s there/near.svg chain.svg
ln -s ../fresh.svg there/below/dangling.svg
for link in link chain there/below/dangling; do
    plot $link.svg >output || complain "$(cat error)"
    [ -h $link.svg ] || complain "the link $link.svg has been replaced"
    written $link.svg
done
written there/fresh.svg
[ -h there/near.svg ] || complain "the second link has been replaced"
ln -s loop.svg loop.svg
refused 2 'Too many levels' loop.svg
ln -s nowhere/plot.svg lost.svg
refused 2 'No such file' lost.svg

# What is no file is written in place.
mkfifo pipe
cat pipe >from-pipe.svg &
plot pipe >output || complain "$(cat error)"
wait
[ -p pipe ] || complain "the pipe has been replaced"
written from-pipe.svg
plot /dev/stdout | grep -q '</svg>' || complain "/dev/stdout, a pipe: no plot"
[ -c /dev/null ] && plot /dev/null >output && [ -c /dev/null ] || complain "/dev/null: $(cat error)"
refused 1 'No space left' /dev/full
refused 2 'Is a directory' there
refused 2 "name is empty" ''
refused 2 'where standard output goes' output

# One file by two names.
ln -s "$folder" myself
for name in ./both.svg there/../both.svg "$folder/both.svg" myself/both.svg; do
    "$recip" sim --lock ticket --threads 2 --episodes 100 --trace both.svg --plot "$name" >output 2>error
    status=$?
    [ "$status" -eq 2 ] && grep -q 'give another file' error || complain "--trace both.svg --plot $name: status $status: $(cat error)"
    [ ! -e both.svg ] || complain "--trace both.svg --plot $name: written"
done
[ "$(find . -name '*.svg.*')" = "" ] || complain "left behind: $(find . -name '*.svg.*')"

# A disk that is full, as ulimit has it.
echo 'what was there' >old.svg
(
    ulimit -f 1
    trap '' XFSZ
    plot old.svg --lock mcs,clh,ticket,twa,hemlock --threads 1,2,3,4,5,6,7,8 >/dev/null
)
status=$?
[ "$status" -eq 1 ] && grep -q 'File too large' error || complain "a plot that does not fit: status $status: $(cat error)"
[ "$(cat old.svg)" = 'what was there' ] || complain "a plot that does not fit: the old one is gone"
[ "$(find . -name '*.svg.*')" = "" ] || complain "a plot that does not fit: $(find . -name '*.svg.*')"

if [ "$(id -u)" -ne 0 ]; then
    chmod 444 old.svg
    refused 2 'Permission denied' old.svg
fi
cd / && rm -rf "$folder"
exit "$failures"
