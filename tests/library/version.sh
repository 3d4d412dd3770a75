#!/bin/sh
# SPDX-License-Identifier: MIT
# version.sh SOURCE BUILD FOLDER CC: header, library, command, package files and symbols tell the same version.
set -eu
source=$1
build=$2
folder=$3
cc=$4
failures=0

# same WHAT IS SHOULD-BE
same() {
    [ "$2" = "$3" ] && return
    echo "$1 is '$2', not '$3'"
    failures=$((failures + 1))
}

rm -rf "$folder"
mkdir -p "$folder"
cat >"$folder/version.c" <<'PROGRAM'
#include <recip.h>
#include <stdio.h>

int main(void)
{
    printf("%d.%d.%d %s %s\n", RECIP_VERSION_MAJOR, RECIP_VERSION_MINOR, RECIP_VERSION_PATCH, RECIP_VERSION_STRING,
           recip_version());
    return 0;
}
PROGRAM
"$cc" -I"$source/include" "$folder/version.c" -o "$folder/version" -L"$build" -lrecip -Wl,-rpath,"$build"
# shellcheck disable=SC2046 # three words
set -- $("$folder/version")
version=$1
abi=${version%.*}
same RECIP_VERSION_STRING "$2" "$version"
same 'recip_version()' "$3" "$version"
same 'recip --version' "$("$build/recip" --version)" "recip $version"
same recip.pc "$(sed -n 's/^Version: //p' "$build/src/recip.pc")" "$version"
same "CMake's package" "$(sed -n 's/^set(PACKAGE_VERSION "\(.*\)")$/\1/p' "$build/src/recip-config-version.cmake")" "$version"
same 'the soname' "$(readelf -d "$build/librecip.so" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')" "librecip.so.$abi"
same 'the version of the symbols' \
    "$(readelf --dyn-syms -W "$build/librecip.so" | sed -n 's/.* recip_[a-z_]*@@//p' | sort -u)" "RECIP_$abi"
grep -q "^## $version" "$source/CHANGELOG.md" || same 'the newest in CHANGELOG.md' other "$version"
rm -rf "$folder"
exit $failures
