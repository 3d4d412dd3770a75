#!/bin/sh
# installing.sh SOURCE BUILD FOLDER CC: what is installed is enough to build and run a program on the shared and static library.
set -eu
source=$1
build=$2
folder=$3
cc=$4
rm -rf "$folder"
cmake --install "$build" --prefix "$folder/usr" >/dev/null
"$folder/usr/bin/recip" --version
[ ! -x "$build/recip-report" ] || "$folder/usr/bin/recip" report --help >/dev/null
# The ten lines of the README, and somebody who calls them.
sed -n '/^    #include <recip/,/^    }/s/^    //p' "$source/README.md" >"$folder/program.c"
cat >>"$folder/program.c" <<'PROGRAM'
int main(void)
{
    long counter = 0;
    increment(&counter);
    increment(&counter);
    return counter != 2;
}
PROGRAM
lib=$(dirname "$(find "$folder/usr" -name librecip.a)")
"$cc" -std=gnu11 -Wall -Wextra -Werror -I"$folder/usr/include" "$folder/program.c" -o "$folder/shared" -L"$lib" -lrecip
LD_LIBRARY_PATH=$lib "$folder/shared"
"$cc" -std=gnu11 -Wall -Wextra -Werror -I"$folder/usr/include" "$folder/program.c" -o "$folder/static" "$lib/librecip.a" -pthread
"$folder/static"
# It can be loaded late, as plugins and other languages do.
cat >"$folder/late.c" <<'PROGRAM'
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc > 1 && dlopen(argv[1], RTLD_NOW))
        return 0;
    puts(dlerror());
    return 1;
}
PROGRAM
"$cc" "$folder/late.c" -o "$folder/late"
"$folder/late" "$lib/librecip.so"
rm -rf "$folder"
