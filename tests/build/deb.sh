#!/bin/sh
# SPDX-License-Identifier: MIT
# deb.sh SOURCE FOLDER: `make deb` makes three packages, against which lintian has nothing to say. In a fresh Debian 12 they install
# with what they depend on, a program is built and run with them, the command works, and purging them leaves nothing. 77: without
# root, or without debootstrap, or where no Debian can be had.
set -eu
source=$1
folder=$2
for command in debootstrap lintian dpkg-buildpackage; do
    command -v $command >/dev/null || PATH=$PATH:/usr/sbin:/sbin
    command -v $command >/dev/null || { echo "there is no $command here"; exit 77; }
done
[ "$(id -u)" -eq 0 ] || { echo "debootstrap needs root"; exit 77; }
root=$folder/debian
# Without the last run's mounts, if it was killed.
umount "$root/proc" 2>/dev/null || true
rm -rf "$folder"
mkdir -p "$folder"

fail() {
    [ ! -e "$folder/said" ] || tail -n 40 "$folder/said"
    echo "deb.sh: $*"
    exit 1
}

mirror=$(sed -n 's/^URIs: *\([^ ]*\).*/\1/p; s/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]*\) .*/\2/p' /etc/apt/sources.list /etc/apt/sources.list.d/* \
    2>/dev/null | head -n 1)
debootstrap --variant=minbase --include=gcc,libc6-dev,make,pkg-config bookworm "$root" "${mirror:-http://deb.debian.org/debian}" \
    >"$folder/said" 2>&1 || { tail -n 5 "$folder/said"; echo "no Debian can be had here"; exit 77; }
"$source/scripts/deb" "$folder/packages" >"$folder/said" 2>&1 || fail "scripts/deb"

cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
cp /etc/apt/apt.conf.d/*proxy* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
mkdir "$root/packages"
cp "$folder"/packages/*.deb "$root/packages/"
sed -n '/^    #include <recip.h>/,/^    }/s/^    //p' "$source/README.md" >"$root/program.c"
echo 'int main(void) { long counter = 0; increment(&counter); return counter != 1; }' >>"$root/program.c"
cp "$source/docs/examples/spinlock-client.c" "$root/client.c"
cp "$source/tests/preload/threads.py" "$root/" 2>/dev/null || true
mount -t proc proc "$root/proc"
trap 'umount "$root/proc"' EXIT
trap 'exit 1' HUP INT TERM

# inside WHAT COMMAND: in the new system, whose environment is its own.
inside() {
    what=$1
    shift
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        ${http_proxy:+"http_proxy=$http_proxy"} chroot "$root" sh -euc "$*" >"$folder/said" 2>&1 || fail "$what"
}

inside 'a package list' 'dpkg-query -W -f "\${Package}\n" | sort >/before'
inside 'installation' 'apt-get install -y --no-install-recommends /packages/*.deb'
inside 'a program' 'cc program.c -o program $(pkg-config --cflags --libs recip) && ./program && ldd program | grep "librecip.so.0.1 => /lib"'
inside 'a static program' 'cc program.c -o program-static -static $(pkg-config --static --cflags --libs recip) && ./program-static'
inside 'recip list' 'recip list | grep "^mutex "'
inside 'recip run' 'recip run --stats -- ./program && RECIP_DEBUG=1 recip run -- sh -c "grep -q librecip-preload /proc/self/maps"'
inside 'recip bench' 'recip bench --lock mutex,pthread --threads 2 --duration 0.01 --runs 1'
inside 'recip check' 'recip check reciprocating --quick | grep "all passed"'
inside 'recip check --source' 'recip check --source client.c'
inside 'recip sim' 'recip sim --lock mcs --threads 2 --episodes 100 && recip table --lock mcs'
inside 'recip who' 'recip who $$'
inside 'the manual and the completion' 'ls /usr/share/man/man1/recip.1.gz /usr/share/man/man3/recip_mutex_lock.3.gz /usr/share/bash-completion/completions/recip'
# A library takes no command with it.
inside 'removing the command' 'apt-get purge -y recip && ./program'
inside 'removing all' 'apt-get purge -y librecip-dev librecip0.1 && ! ls /usr/include/recip* /usr/lib/*/librecip* /usr/share/recip /usr/share/doc/*recip* 2>/dev/null'
umount "$root/proc"
trap - EXIT
rm -rf "$folder"
