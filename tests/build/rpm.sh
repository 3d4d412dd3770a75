#!/bin/sh
# SPDX-License-Identifier: MIT
# rpm.sh SOURCE FOLDER: packages by packaging/recip.spec, from the tarball of `make dist`; what is in them runs. 77: rpmbuild is not here.
set -eu
source=$1
folder=$2
command -v rpmbuild >/dev/null || { echo "there is no rpmbuild here"; exit 77; }
rm -rf "$folder"
mkdir -p "$folder/root"

fail() {
    tail -n 40 "$folder/said"
    echo "rpm.sh: $*"
    exit 1
}

version=$(sed -n 's/^#define RECIP_VERSION_\(MAJOR\|MINOR\|PATCH\) \([0-9]*\)$/\2/p' "$source/include/recip.h" | tr '\n' . | sed 's/\.$//')
grep -qx "Version: *$version" "$source/packaging/recip.spec" || fail "packaging/recip.spec is of another version than $version"
"$source/scripts/dist" "$folder" >"$folder/said"
# Debian's rpm knows the packages of Debian by none of the names that the spec asks for.
rpmbuild -ta --nodeps --define "_topdir $folder/rpm" --define '_docdir /usr/share/doc' "$folder/recip-$version.tar.xz" >"$folder/said" 2>&1 ||
    fail rpmbuild
cd "$folder/root"
for package in "$folder"/rpm/RPMS/*/*.rpm; do
    rpm2cpio "$package" | cpio -idm 2>"$folder/said" || fail "rpm2cpio $package"
done
usr/bin/recip list mutex >"$folder/said" || fail 'recip list'
usr/bin/recip check tas --quick >"$folder/said" || fail 'recip check'
usr/bin/recip run -- true >"$folder/said" 2>&1 || fail 'recip run'
ls usr/include/recip.h usr/share/man/man1/recip.1* usr/share/man/man3/recip_mutex_lock.3* usr/share/doc/recip*/docs/mutex.md >"$folder/said" 2>&1 ||
    fail 'a file is in no package'
rm -rf "$folder"
