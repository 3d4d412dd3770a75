#!/bin/sh
# SPDX-License-Identifier: MIT
# busy.sh SOURCE FOLDER: `make run` measures at once on an idle machine. On a busy one it says so and waits; when that does not help, it
# measures and says that. /proc/stat, sleep and recip are replaced: the machine is as busy as the test wants.
set -eu
source=$1
folder=$2
rm -rf "$folder"
mkdir -p "$folder/bin" "$folder/build"

fail() {
    cat "$folder/said"
    echo "busy.sh: $*"
    exit 1
}

# A CPU that counts a hundred a second; the next seconds' use is the next line of $folder/uses, and 0 behind the last.
cat >"$folder/bin/sleep" <<'FAKE'
#!/bin/sh
here=$(dirname "$0")/..
use=$(sed -n 1p "$here/uses")
sed -i 1d "$here/uses"
awk -v use="${use:-0}" '/^cpu / { $2 += use; $5 += 100 - use; $1 = "cpu " } { print }' "$here/stat" >"$here/stat.new"
mv "$here/stat.new" "$here/stat"
FAKE
printf '#!/bin/sh\necho "recip $*" >>"%s/called"\n' "$folder" >"$folder/build/recip"
chmod +x "$folder/bin/sleep" "$folder/build/recip"
sed "s|/proc/stat|$folder/stat|g" "$source/scripts/run" >"$folder/run"
grep -q "$folder/stat" "$folder/run" || fail "scripts/run no longer reads /proc/stat"

# run USE...: what scripts/run says when the machine is used so much, second by second.
run() {
    printf '%s\n' "$@" >"$folder/uses"
    echo 'cpu  1000 0 100 5000 10 0 0 0 0 0' >"$folder/stat"
    rm -f "$folder/called"
    PATH=$folder/bin:$PATH RECIP_PATIENCE_SECONDS=3 sh "$folder/run" "$folder/build" >"$folder/said" 2>&1 || fail "scripts/run"
    grep -q '^recip report' "$folder/called" || fail "there is no page"
}

run 3
! grep -q 'machine is busy' "$folder/said" || fail "3 % is not busy"
run 80 90 5
grep -q 'the machine is busy: other programs use 80 %' "$folder/said" || fail "80 % is busy"
! grep -q 'still busy' "$folder/said" || fail "it became idle"
[ ! -s "$folder/uses" ] || fail "it did not wait: $(cat "$folder/uses")"
run 80 70 60 50 40
grep -q 'still busy (50 %)' "$folder/said" || fail "it stayed busy"
[ "$(cat "$folder/uses")" = 40 ] || fail "it did not wait for as long as it was told to"
rm -rf "$folder"
