# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2154 # for programs.sh, which reads it
# Programs of programs.sh: what fits nowhere else.

needs_stressng=stress-ng
expects_stressng=1
run_stressng() {
    on stress-ng --mutex 2 --pthread 2 --verify -t 3 --temp-path "$folder" 2>&1 | grep -c 'successful run completed'
}

# Text to a document and back.
needs_libreoffice=soffice
expects_libreoffice=same
convert() {
    on soffice "-env:UserInstallation=file://$work/profile" --headless --convert-to "$1" --outdir converted "$2" >>client.log 2>&1
}
run_libreoffice() {
    seq -f 'line %.0f' 200 >document.txt
    rm -rf converted client.log
    convert odt document.txt
    convert txt:Text converted/document.odt
    # The byte order mark is its own.
    if sed '1s/^\xef\xbb\xbf//' converted/document.txt | tr -d '\r' | cmp - document.txt; then echo same; fi
}

# A page with workers of its own, without the sandbox, which asks glibc's mutexes for their owners.
needs_chromium=chromium
expects_chromium='704982704 704982704 704982704 704982704'
run_chromium() {
    command -v node >/dev/null || { echo 'node is not here'; return; }
    printf '#!/bin/sh\nexec timeout -k 10 300 "%s" run %s -- chromium --no-sandbox "$@"\n' "$recip" "$options" >"$work/chromium"
    chmod 755 "$work/chromium"
    timeout -k 10 300 node "$here/programs/chromium.mjs" "$work/chromium"
}

# The emulator has a thread for each of the guest's. The guest is static, and so has none of our library.
needs_qemu_user=qemu-aarch64
no_statistics_qemu_user='it ends by a system call of its own, without statistics'
expects_qemu_user='status 0'
run_qemu_user() {
    command -v aarch64-linux-gnu-gcc >/dev/null || { echo 'aarch64-linux-gnu-gcc is not here'; return; }
    for guest in stress cond; do
        [ -e "guest-$guest" ] || aarch64-linux-gnu-gcc -O1 -static -pthread -o "guest-$guest" "$here/$guest.c" || return
        on qemu-aarch64 "./guest-$guest"
        echo "$guest: status $?"
    done
}

# A machine of four CPUs, each emulated by a thread of its own, that adds up under a lock of its own.
needs_qemu_system=qemu-system-riscv64
expects_qemu_system='^200000$'
run_qemu_system() {
    command -v riscv64-linux-gnu-gcc >/dev/null || { echo 'riscv64-linux-gnu-gcc is not here'; return; }
    [ -e four-cpus ] || riscv64-linux-gnu-gcc -nostdlib -static -Wl,-Ttext=0x80000000,--build-id=none -no-pie -mcmodel=medany -o four-cpus \
        "$here/programs/four-cpus.S" || return
    on qemu-system-riscv64 -accel tcg,thread=multi -M virt -smp 4 -m 64M -nographic -monitor none -serial stdio -bios none -kernel four-cpus </dev/null
    echo "status $?"
}
