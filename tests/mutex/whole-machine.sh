#!/bin/sh
# SPDX-License-Identifier: MIT
# whole-machine.sh SOURCE FOLDER: the mutex's tests in a whole emulated machine, AArch64 with Debian's kernel. An emulator of single
# programs (qemu-user) has no rseq; a kernel has. The programs are cross-compiled, and the machine runs them from its first file system:
# all that CTest knows, as it knows them, and some of the preload library's. There rseq-interrupted sees that release is by a
# restartable sequence, and that one which is interrupted gives up. 77: no cross-compiler, no emulator, or no Debian can be had.
set -eu
source=$1
folder=$2
cpus=2
seconds=3600 # of the machine
for command in qemu-system-aarch64 aarch64-linux-gnu-gcc cpio python3 apt-get dpkg-deb; do
    command -v $command >/dev/null || { echo "there is no $command here"; exit 77; }
done
mkdir -p "$folder"
cd "$folder"

fail() {
    [ ! -e said ] || tail -n 40 said
    echo "whole-machine.sh: $*"
    exit 1
}

# ---- Debian's kernel for it, and a shell; kept for the next time ----

debian() {
    command=$1
    shift
    "$command" -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Sandbox::User=root -o Dir::State="$folder/apt" \
        -o Dir::State::status="$folder/apt/status" -o Dir::Cache="$folder/apt/cache" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::Etc::sourcelist="$folder/apt/sources.list" "$@" >>"$folder/said" 2>&1
}
fetch() {
    rm -rf apt packages system unpacked
    mkdir -p apt/lists/partial apt/cache/archives/partial packages
    : >apt/status
    mirror=$(sed -n 's/^URIs: *\([^ ]*\).*/\1/p; s/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]*\) .*/\2/p' /etc/apt/sources.list /etc/apt/sources.list.d/* \
        2>/dev/null | head -n 1)
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror:-http://deb.debian.org/debian} bookworm main" >apt/sources.list
    debian apt-get update || return 1
    kernel=$(debian apt-cache depends linux-image-arm64 && sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p' said | tail -n 1)
    (cd packages && debian apt-get download "$kernel" busybox-static) || return 1
    for package in packages/*.deb; do dpkg-deb -x "$package" unpacked || return 1; done
    mv unpacked system
}
: >said
set -- system/boot/vmlinuz-*
[ -e "$1" ] || fetch || { tail -n 5 said; echo "no Debian for arm64 can be had here"; exit 77; }
kernel=$(echo system/boot/vmlinuz-*)

# ---- The programs ----

cmake -S "$source" -B build -G 'Unix Makefiles' -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc \
    -DBUILD_TESTING=ON -DRECIP_TOOLS=OFF -DRECIP_TEST_CMOCKA=OFF -DRECIP_TEST_SCALE=10 >said 2>&1 || fail cmake
programs=$(cmake --build build --target help | sed -n 's/^[.]* \(mutex-[a-z-]*\|preload-\(stress\|cond\|types\|fork\|timed\)\)$/\1/p')
# shellcheck disable=SC2086 # words, as they are meant
cmake --build build --parallel 2 --target recip-preload $programs >said 2>&1 || fail 'the build'
ctest --test-dir build --show-only=json-v1 -R '^(mutex-|preload-(stress|cond|types|fork|timed)-mutex$)' >tests.json 2>said || fail ctest
# A line for each test: its name, and its command with its variables, the programs by where they are there.
python3 - tests.json "$folder/build" >list <<'PYTHON'
import json, os, sys
tests, build = json.load(open(sys.argv[1]))["tests"], sys.argv[2]
for test in tests:
    variables = [value for field in test["properties"] if field["name"] == "ENVIRONMENT" for value in field["value"]]
    words = ["env"] + variables + test.get("command", ["missing"])
    print(test["name"], *(word.replace(build, "/programs") for word in words))
PYTHON
grep -q '^mutex-rseq-interrupted ' list || fail "the list of tests has no rseq-interrupted"

# ---- The machine's first file system ----

rm -rf root
mkdir -p root/bin root/usr root/lib root/proc root/sys root/dev root/tmp
cp system/bin/busybox root/bin/
for name in sh env mount timeout poweroff sleep; do ln -s busybox root/bin/$name; done
ln -s ../bin root/usr/bin
for library in ld-linux-aarch64.so.1 libc.so.6 libgcc_s.so.1; do cp /usr/aarch64-linux-gnu/lib/$library root/lib/; done
for program in /programs/librecip-preload.so $(grep -o '/programs/[^ ]*' list | sort -u); do
    mkdir -p "root$(dirname "$program")"
    cp "build/${program#/programs/}" "root$program"
done
{
    echo '#!/bin/sh'
    echo 'mount -t proc proc /proc; mount -t sysfs sysfs /sys; mount -t devtmpfs dev /dev'
    echo 'export HOME=/tmp PATH=/bin'
    while read -r name command; do
        echo "timeout -s KILL 600 $command >/tmp/said 2>&1; status=\$?"
        echo "[ \$status -eq 0 ] || [ \$status -eq 77 ] || busybox sed 's/^/    /' /tmp/said"
        echo "echo machine: $name \$status"
    done <list
    echo 'echo machine: end'
    echo 'poweroff -f'
} >root/init
chmod +x root/init
(cd root && find . | cpio -o -H newc -R 0:0 --quiet) >initrd

timeout $seconds qemu-system-aarch64 -machine virt -cpu max -accel tcg,thread=multi -smp $cpus -m 1024 -nographic -no-reboot -nodefaults \
    -serial stdio -kernel "$kernel" -initrd initrd -append 'console=ttyAMA0 quiet panic=-1 nowatchdog rcupdate.rcu_cpu_stall_suppress=1' </dev/null >said 2>&1 || fail 'the machine'
tr -d '\r' <said >console
grep -q '^machine: end$' console || fail 'the machine has not come to the end'
passed=$(grep -c '^machine: .* 0$' console || true)
skipped=$(sed -n 's/^machine: \(.*\) 77$/\1/p' console | paste -sd ' ')
echo "$passed tests passed; skipped:${skipped:+ $skipped}"
grep '^machine: mutex-rseq-interrupted 0$' console || fail 'release was not seen to be by a restartable sequence'
[ "$(wc -l <list)" -eq "$(grep -cE '^machine: .* (0|77)$' console)" ] || { sed -n '/^machine: .* \(0\|77\)$/!p' console; fail 'tests failed'; }
