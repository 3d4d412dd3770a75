#!/bin/sh
# installing.sh BUILD FOLDER CC: what is installed is enough to build and run a program on the shared and static library.
set -eu
build=$1
folder=$2
cc=$3
rm -rf "$folder"
cmake --install "$build" --prefix "$folder/usr" >/dev/null
"$folder/usr/bin/recip" --version
cat >"$folder/program.c" <<'PROGRAM'
#include <recip/locks/mcs.h>
#include <recip/locks/reciprocating.h>

int main(void)
{
    static struct reciprocating_lock lock;
    static struct mcs_mutex mutex;
    struct reciprocating_context context;
    reciprocating_acquire(&lock, &context);
    mcs_mutex_lock(&mutex);
    mcs_mutex_unlock(&mutex);
    reciprocating_release(&lock, &context);
    return !reciprocating_try_acquire(&lock, &context);
}
PROGRAM
lib=$(dirname "$(find "$folder/usr" -name librecip.a)")
"$cc" -std=gnu11 -Wall -Wextra -Werror -I"$folder/usr/include" "$folder/program.c" -o "$folder/shared" -L"$lib" -lrecip
LD_LIBRARY_PATH=$lib "$folder/shared"
"$cc" -std=gnu11 -Wall -Wextra -Werror -I"$folder/usr/include" "$folder/program.c" -o "$folder/static" "$lib/librecip.a" -pthread
"$folder/static"
rm -rf "$folder"
