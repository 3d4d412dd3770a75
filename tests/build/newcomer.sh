#!/bin/sh
# SPDX-License-Identifier: MIT
# newcomer.sh SOURCE FOLDER SUITE: what the README asks of somebody new, in a fresh Debian of that suite, by a user who is not root: make,
# the program in C, recip run --stats on a program, recip check of a lock. 77: without root, or debootstrap, or where no Debian can be had.
set -eu
source=$1
folder=$2
suite=$3
PATH=$PATH:/usr/sbin:/sbin
command -v debootstrap >/dev/null || { echo "there is no debootstrap here"; exit 77; }
[ "$(id -u)" -eq 0 ] || { echo "debootstrap needs root"; exit 77; }
root=$folder/debian
umount "$root/proc" 2>/dev/null || true # of the last run, if it was killed
rm -rf "$folder"
mkdir -p "$folder"

fail() {
    tail -n 40 "$folder/said"
    echo "newcomer.sh: $suite: $*"
    exit 1
}

packages=$(sed -n 's/^build: //p' "$source/packages.txt" | tr ' ' ',')
mirror=$(sed -n 's/^URIs: *\([^ ]*\).*/\1/p; s/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]*\) .*/\2/p' /etc/apt/sources.list /etc/apt/sources.list.d/* \
    2>/dev/null | head -n 1)
debootstrap --variant=minbase --include="$packages,make,xz-utils" "$suite" "$root" "${mirror:-http://deb.debian.org/debian}" \
    >"$folder/said" 2>&1 || { tail -n 5 "$folder/said"; echo "no Debian can be had here"; exit 77; }
"$source/scripts/dist" "$folder" >"$folder/said"
chroot "$root" useradd -m ann
mkdir "$root/home/ann/recip"
tar -xf "$folder"/recip-*.tar.xz -C "$root/home/ann/recip" --strip-components 1
chroot "$root" chown -R ann /home/ann
mount -t proc proc "$root/proc"
trap 'umount "$root/proc"' EXIT
trap 'exit 1' HUP INT TERM

# as_ann WHAT COMMAND: in the new system, in the folder of the sources.
as_ann() {
    what=$1
    shift
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/home/ann LC_ALL=C.UTF-8 chroot --userspec=ann "$root" sh -euc "cd ~/recip; $*" >"$folder/said" 2>&1 || fail "$what"
}

as_ann make 'make CONFIGURE=-DRECIP_NPM=OFF'
! grep -q 'warning:' "$root/home/ann/recip/build/build.log" || { grep 'warning:' "$root/home/ann/recip/build/build.log" >"$folder/said"; fail 'the compiler warns'; }
as_ann 'the first program' 'sed -n "/^\`hello.c\`:\$/,/^From the build folder/s/^    //p" docs/getting-started.md >hello.c
    cc hello.c -Iinclude build/librecip.a -pthread -o hello && ./hello | grep "2: hello from"'
as_ann 'recip run' 'cc -g examples/kitchen.c -o kitchen -pthread
    build/recip run --stats -- ./kitchen 2>&1 | grep "first locked in cook (kitchen.c"'
as_ann 'recip check' 'build/recip check --source examples/own-lock-client.c
    sed -i "s/served + 1, memory_order_release/served + 1, memory_order_relaxed/" examples/own-lock.h
    ! build/recip check --source examples/own-lock-client.c >said && grep "data race" said'
as_ann 'recip bench, sim, table, who' 'build/recip bench --lock mutex,pthread --threads 2 --duration 0.01 --runs 1
    build/recip sim --lock mcs --threads 2 --episodes 100; build/recip table --lock mcs; build/recip who $$'
# The preload library beside this C library: condition variables, private and process-shared.
as_ann 'programs of the tests' 'for name in cond left-to-glibc cancel c11; do
    cc -D_GNU_SOURCE -DTEST_SCALE=4 -I. -Iinclude tests/preload/$name.c -o t-$name -pthread; build/recip run -- ./t-$name; done'
umount "$root/proc"
trap - EXIT
rm -rf "$folder"
