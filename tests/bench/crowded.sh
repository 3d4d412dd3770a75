#!/bin/sh
# SPDX-License-Identifier: MIT
# crowded.sh RECIP SOURCE: tools/bench/crowded.sh measures beside programs that compute, and under a quota that has an effect,
# and leaves no group behind. How large the figures are is no test. 77: no quota can be had.
set -eu
recip=$1
source=$2
said=$(mktemp)
trap 'rm -f "$said"' EXIT

fail() {
    cat "$said"
    echo "crowded.sh: $*"
    exit 1
}

status=0
SURROUNDINGS='computing 20' "$source/tools/bench/crowded.sh" "$recip" --times 50/50,1000/100 --hogs 3 --duration 0.2 --runs 2 >"$said" ||
    status=$?
[ $status -ne 77 ] || { cat "$said"; exit 77; }
[ $status -eq 0 ] || fail "status $status"
[ "$(grep -cE '^beside [0-9]+ programs that compute$|^quota of 20 % of a CPU$' "$said")" -eq 2 ] || fail 'not in both surroundings'
[ "$(awk '/^ +[0-9]+\/[0-9]+ +3 / && NF == 11 && $3 > 0 && $4 > 0 && $6 > 0 && $7 > 0 && $9 > 0 && $10 > 0' "$said" | wc -l)" -eq 4 ] ||
    fail 'not all figures'
for folder in /sys/fs/cgroup /sys/fs/cgroup/cpu; do
    set -- "$folder"/recip-crowded-*
    [ ! -e "$1" ] || fail "$1 is still there"
done
