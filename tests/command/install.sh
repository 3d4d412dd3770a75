#!/bin/sh
# SPDX-License-Identifier: MIT
# install.sh SOURCE BUILD FOLDER CC: what is installed, wherever it was put, is enough to build and run a program on the shared
# and static library: by naming it, by pkg-config, by CMake's find_package.
set -eu
source=$1
build=$2
folder=$3
cc=$4
rm -rf "$folder"
# Staged, then moved: nothing in it may know where it is.
DESTDIR="$folder/stage" cmake --install "$build" --prefix /opt/recip >/dev/null
mv "$folder/stage/opt/recip" "$folder/usr"
"$folder/usr/bin/recip" --version
for file in bash-completion/completions/recip zsh/site-functions/_recip; do
    [ -e "$folder/usr/share/$file" ] || { echo "$file is not installed"; exit 1; }
done
[ ! -x "$build/recip-report" ] || "$folder/usr/bin/recip" report --help >/dev/null
# The ten lines of the README, and somebody who calls them.
sed -n '/^    #include <recip.h>/,/^    }/s/^    //p' "$source/README.md" >"$folder/program.c"
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
# By the letter of C11, with whatever a user may want to be warned of.
strictly() {
    "$cc" -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Werror -I"$folder/usr/include" "$@"
}
strictly "$folder/program.c" -o "$folder/shared" -L"$lib" -lrecip
LD_LIBRARY_PATH=$lib "$folder/shared"
strictly "$folder/program.c" -o "$folder/static" "$lib/librecip.a" -pthread
"$folder/static"
# pkg-config.
export PKG_CONFIG_LIBDIR="$lib/pkgconfig"
[ "$(pkg-config --modversion recip)" = "$("$folder/usr/bin/recip" --version | cut -d ' ' -f 2)" ]
# What it prints is quoted for the shell.
eval '"$cc" "$folder/program.c" -o "$folder/shared-pc"' "$(pkg-config --cflags --libs recip)"
LD_LIBRARY_PATH=$lib ldd "$folder/shared-pc" | grep -q "librecip.so.0.1 => $lib/"
LD_LIBRARY_PATH=$lib "$folder/shared-pc"
eval '"$cc" -static "$folder/program.c" -o "$folder/static-pc"' "$(pkg-config --static --cflags --libs recip)"
"$folder/static-pc"
# CMake.
mkdir "$folder/user"
cat >"$folder/user/CMakeLists.txt" <<'PROJECT'
cmake_minimum_required(VERSION 3.16)
project(user C)
find_package(recip 0.1 REQUIRED)
foreach(kind recip recip-static)
  add_executable(with-${kind} ../program.c)
  target_link_libraries(with-${kind} PRIVATE recip::${kind})
endforeach()
PROJECT
cmake -S "$folder/user" -B "$folder/user/build" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$folder/usr" >/dev/null
cmake --build "$folder/user/build" >/dev/null
ldd "$folder/user/build/with-recip" | grep -q "$lib/librecip.so.0.1"
"$folder/user/build/with-recip"
if ldd "$folder/user/build/with-recip-static" | grep librecip; then
    exit 1
fi
"$folder/user/build/with-recip-static"
# It can be loaded late, as plugins and other languages do; and a plugin that has used it can go: nothing of it is left for the
# kernel to look at when the thread has slept.
cat >"$folder/plugin.c" <<'PLUGIN'
#include <recip.h>

void use(void);
void use(void)
{
    static recip_mutex_t mutex = RECIP_MUTEX_INIT;
    recip_mutex_lock(&mutex);
    recip_mutex_unlock(&mutex);
}
PLUGIN
cat >"$folder/late.c" <<'PROGRAM'
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

static int fails(void)
{
    puts(dlerror());
    return 1;
}

int main(int argc, char **argv)
{
    void *recip = argc == 3 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
    void *plugin = recip ? dlopen(argv[2], RTLD_NOW) : NULL;
    void (*use)(void) = plugin ? (void (*)(void))dlsym(plugin, "use") : NULL;
    if (!use)
        return fails();
    use();
    if (dlclose(plugin))
        return fails();
    if (dlopen(argv[2], RTLD_NOW | RTLD_NOLOAD)) {
        puts("the plugin is still there");
        return 1;
    }
    usleep(1000);
    return 0;
}
PROGRAM
strictly -O2 -fPIC -shared "$folder/plugin.c" -o "$folder/plugin.so"
"$cc" "$folder/late.c" -o "$folder/late"
"$folder/late" "$lib/librecip.so" "$folder/plugin.so"
rm -rf "$folder"
