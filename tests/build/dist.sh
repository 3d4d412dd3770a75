#!/bin/sh
# SPDX-License-Identifier: MIT
# dist.sh SOURCE FOLDER UPLOT: the tarball of `make dist` has what is needed: without git, and where the kernel lets us without any
# network, it builds all but the page's plotting library, which UPLOT has; it makes the same tarball again, byte by byte; and what it
# has built, runs.
set -eu
source=$1
folder=$2
uplot=$3
rm -rf "$folder"
mkdir -p "$folder/bin"
unset CC CXX CFLAGS CXXFLAGS LDFLAGS CONFIGURE MAKEFLAGS MAKELEVEL

fail() {
    [ ! -e "$folder/said" ] || tail -n 40 "$folder/said"
    echo "dist.sh: $*"
    exit 1
}

"$source/scripts/dist" "$folder" >"$folder/said" || fail "scripts/dist"
tarball=$(echo "$folder"/recip-*.tar.xz)
[ -s "$tarball" ] || fail "no tarball"
! tar -tf "$tarball" | grep -E '^[^/]*/(build|\.git)/' || fail "the tarball has what is not source"
! tar -tvf "$tarball" | grep -v ' 0/0 ' || fail "these are somebody's"
tar -xf "$tarball" -C "$folder"
tree=$(basename "$tarball" .tar.xz)
cd "$folder/$tree"

printf '#!/bin/sh\necho "$0 $*" >>"%s/asked"\nexit 1\n' "$folder" >"$folder/bin/git"
for command in npm curl wget; do
    cp "$folder/bin/git" "$folder/bin/$command"
done
chmod +x "$folder"/bin/*
PATH=$folder/bin:$PATH
alone=
! unshare -rn true 2>/dev/null || alone='unshare -rn'
CONFIGURE=
[ -z "$uplot" ] || CONFIGURE="-DRECIP_UPLOT=$uplot"
export CONFIGURE
$alone make >"$folder/said" 2>&1 || fail "make"
[ -z "$uplot" ] || [ ! -e "$folder/asked" ] || fail "it has called $(cat "$folder/asked")"
build/recip list >"$folder/said" || fail "recip list"
build/recip check tas --quick >"$folder/said" || fail "recip check"
build/recip run -- build/recip list mutex >"$folder/said" || fail "recip run"
$alone make dist >"$folder/said" || fail "make dist"
cmp "build/$tree.tar.xz" "$tarball" || fail "the tarball from the tarball is another one"
rm -rf "$folder"
