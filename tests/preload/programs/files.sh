# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2154 # for programs.sh, which reads it
# Programs of programs.sh: files in, files out.

# Text and noise, the same each time.
make_data() {
    [ -e data ] || { seq 1 1500000; head -c 4000000 "$recip"; } >data
}

needs_zstd=zstd
expects_zstd=same
run_zstd() {
    make_data
    on zstd -q -T4 -c data | sha256sum
    on zstd -q -T4 -c data | on zstd -q -d -c | cmp - data && echo same
}

needs_xz=xz
expects_xz=same
run_xz() {
    make_data
    on xz -1 -T4 --block-size=1MiB -c data | sha256sum
    on xz -1 -T4 --block-size=1MiB -c data | on xz -T4 -d -c | cmp - data && echo same
}

needs_pigz=pigz
expects_pigz=same
run_pigz() {
    make_data
    on pigz -n -p 4 -c data | sha256sum
    on pigz -n -p 4 -c data | on pigz -d -c | cmp - data && echo same
}

needs_git=git
expects_git=sound
run_git() {
    rm -rf repository
    git init -q repository
    (cd repository && for i in $(seq 40); do
        seq "$i" 5000 >"file$i"
        git add . && GIT_COMMITTER_DATE='2025-01-01T00:00:00' git -c user.name=a -c user.email=a@b commit -q --date 2025-01-01T00:00:00 -m "$i"
    done)
    (cd repository && on git -c pack.threads=4 repack -q -adf && on git -c index.threads=4 fsck --strict 2>&1 && echo sound && git log --format=%T | sha256sum)
    (cd repository && on git -c grep.threads=4 grep -c 4999 | sha256sum)
}

needs_ffmpeg=ffmpeg
expects_ffmpeg='MD5='
run_ffmpeg() {
    on ffmpeg -nostdin -v error -f lavfi -i testsrc=duration=2:size=320x240 -c:v mpeg4 -threads 4 -f md5 - 2>&1
}

needs_x264=x264
expects_x264='encoded 75 frames'
run_x264() {
    make_data
    head -c 11404800 data >raw.yuv # 75 frames of noise and text
    on x264 --no-progress --threads 4 --demuxer raw --input-res 352x288 --preset veryfast --muxer raw -o - raw.yuv 2>x264.log | sha256sum
    grep -o 'encoded [0-9]* frames' x264.log
}

# Two hundred objects whose functions call each other in a circle. What is linked from them runs, and is the same file each time.
make_objects() {
    [ -e objects/done ] && return
    rm -rf objects
    mkdir objects
    for i in $(seq 0 199); do
        next=$(((i + 1) % 200))
        echo "int f$next(int n); int f$i(int n) { return n ? f$next(n - 1) + $i : 0; }" |
            cc -c -g -ffunction-sections -o "objects/f$i.o" -x c -
    done
    cc -c -g -o objects/main.o -x c - <<'END'
#include <stdio.h>
int f0(int n);
int main(void) { return printf("%d\n", f0(1000)) < 0; }
END
    touch objects/done
}

# link LINKER OPTION...: by way of the compiler, which knows the files of the C library.
link() {
    make_objects
    linker=$1
    shift
    rm -f linked
    on cc "-fuse-ld=$linker" "$@" -o linked objects/*.o 2>&1 && ./linked && sha256sum <linked
}

needs_mold=mold
expects_mold=99500
run_mold() {
    link mold -Wl,--no-fork -Wl,--thread-count=4
}

needs_lld=ld.lld
expects_lld=99500
run_lld() {
    link lld -Wl,--threads=4
}
