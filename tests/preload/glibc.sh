#!/bin/sh
# SPDX-License-Identifier: MIT
# glibc.sh quick|all PRELOAD FOLDER [LOCK...]: glibc's own tests of mutexes, condition variables and their kin, from
# Debian's package glibc-source, on the bare system and then on each lock (by default mutex, reciprocating-park, mcs-park).
# Every test that passes bare has to pass on every lock. `quick` leaves out those that take seconds; `all` takes
# every thread test that builds outside glibc's tree.
#
# Everything is unpacked and built in FOLDER and kept there for the next run; nothing of glibc is part of this project.
set -eu
length=$1
preload=$2
folder=$3
shift 3
[ $# -gt 0 ] || set -- mutex reciprocating-park mcs-park
cc=${CC:-gcc}
# They sleep most of the time.
jobs=6

archive=$(ls /usr/src/glibc/glibc-*.tar.xz 2>/dev/null || true)
if [ ! -f "$archive" ]; then
    echo "the package glibc-source is missing"
    exit 77
fi
mkdir -p "$folder"
cd "$folder"
folder=$PWD
mkdir -p shim objects programs results

# ---- unpack: the tests, and the support code that they share
if [ ! -e unpacked ]; then
    tar -xf "$archive" --strip-components=1 --wildcards '*/support/*' 'glibc-*/test-skeleton.c' '*/nptl/tst-*' \
        '*/sysdeps/pthread/tst-*' '*/eintr.c' '*/include/libc-diag.h' '*/include/array_length.h' '*/include/intprops.h' \
        '*/include/libc-pointer-arith.h'
    touch unpacked
fi
for name in support test-skeleton.c include/libc-diag.h include/array_length.h include/intprops.h \
    include/libc-pointer-arith.h; do
    ln -sfn "$folder/$name" "shim/$(basename "$name")"
done
: >shim/config.h
mkdir -p shim/elf
: >shim/elf/dl-tunables.h
echo '#include <pthread.h>' >shim/pthreadP.h
flags="-std=gnu11 -O2 -w -D_GNU_SOURCE -DTIMEOUTFACTOR=1 -include limits.h -Ishim -Isupport -Isysdeps/pthread -Inptl"

# ---- build: what does not compile outside the tree is left out
if [ ! -e libsupport.a ]; then
    # Where the tree's build would put what it has installed.
    paths='-DSRCDIR_PATH="." -DOBJDIR_PATH="." -DOBJDIR_ELF_LDSO_PATH="ld.so" -DINSTDIR_PATH="." -DLIBDIR_PATH="."'
    paths="$paths"' -DBINDIR_PATH="." -DSBINDIR_PATH="." -DROOTSBINDIR_PATH="." -DCOMPLOCALEDIR_PATH="." -DSYSCONFDIR_PATH="." -DSLIBDIR_PATH="."'
    for source in support/*.c; do
        name=$(basename "$source" .c)
        case $name in resolv* | *dns* | *addr* | *ent | *quote* | *-container | links-* | test-run-command | tst-* | README* | *time64*) continue ;; esac
        # shellcheck disable=SC2086
        $cc $flags $paths -c "$source" -o "objects/$name.o" 2>>support.log || true
    done
    ar rcs libsupport.a objects/*.o
fi

# Mutexes, condition variables and their kin; for `all`, every other thread test too.
named='tst-mutex* tst-cond* tst-robust* tst-once* tst-mtx-* tst-cnd-* tst-call-once* tst-abstime* tst-pthread-mutexattr*'
# Static programs load no library; 64-bit machines have one time.
list_tests() {
    for folder in nptl sysdeps/pthread; do
        for pattern in $1; do
            (cd "$folder" && ls $pattern.c 2>/dev/null | sed "s|^|$folder/|")
        done
    done | grep -v -e -static -e time64 -e 'mod[0-9a-z]*\.c$' | sort -u
}

build_test() {
    name=$(basename "$1" .c)
    exceptions=
    case $name in tst-*x[0-9]* | tst-cond-except) exceptions=-fexceptions ;; tst-oncey*) exceptions=-fno-exceptions ;; esac
    # shellcheck disable=SC2086
    [ -e "programs/$name" ] || [ -e "programs/$name.unbuilt" ] ||
        $cc $flags $exceptions "$1" -o "programs/$name" libsupport.a -pthread -lm -ldl -lrt 2>>tests.log ||
        touch "programs/$name.unbuilt"
}

[ "$length" = all ] && chosen=$(list_tests 'tst-*') || chosen=$(list_tests "$named")
tests=
for source in $chosen; do
    name=$(basename "$source" .c)
    build_test "$source"
    [ -e "programs/$name" ] && tests="$tests $name"
done

# ---- run
slow='tst-abstime tst-cond11 tst-cond16 tst-cond17 tst-cond18 tst-mutex5 tst-mutex5a tst-mutex9 tst-mutex10 tst-mutexpi5 tst-mutexpi5a
    tst-mutexpi7 tst-mutexpi7a tst-mutexpi9 tst-mutexpp5 tst-mutexpp9 tst-once2 tst-robust-fork tst-robust8 tst-robust9
    tst-robustpi8 tst-robustpi9'
if [ "$length" = quick ]; then
    for name in $slow; do
        tests=$(echo " $tests " | sed "s/ $name / /")
    done
fi

# run_one COLUMN TEST VARIABLE=VALUE...: results/COLUMN/TEST holds the exit status, .log the output.
cat >run-one <<'RUN'
#!/bin/sh
results=$PWD/results/$1
name=$2
shift 2
cd programs
env TIMEOUTFACTOR=4 "$@" timeout 300 "./$name" >"$results/$name.log" 2>&1 </dev/null
echo $? >"$results/$name"
RUN
chmod +x run-one

# run_all COLUMN VARIABLE=VALUE...
run_all() {
    column=$1
    shift
    rm -rf "results/$column"
    mkdir -p "results/$column"
    echo "$tests" | tr ' ' '\n' | grep . | xargs -P "$jobs" -I NAME ./run-one "$column" NAME "$@" || true
}

passed() {
    grep -lx 0 "results/$1"/* 2>/dev/null | grep -v '\.log$' | xargs -r -n 1 basename | sort
}

# Some tests measure time, or count processes, and fail now and then on a busy machine. One that failed is run again by
# itself; if it fails again, the bare system has to pass it three times for that to count.
settle() {
    lock=$1
    name=$2
    shift 2
    ./run-one "$lock" "$name" "$@"
    [ "$(cat "results/$lock/$name")" = 0 ] && return 0
    for _ in 1 2 3; do
        ./run-one bare "$name" RECIP_BARE=1
        if [ "$(cat "results/bare/$name")" != 0 ]; then
            echo "$name is unsteady on the bare system"
            return 0
        fi
    done
    return 1
}

run_all bare RECIP_BARE=1
passed bare >results/bare.passed
echo "bare: $(wc -l <results/bare.passed) of $(echo $tests | wc -w) tests pass"
status=0
for lock in "$@"; do
    run_all "$lock" LD_PRELOAD="${preload##*/}" LD_LIBRARY_PATH="${preload%/*}" RECIP_LOCK="$lock"
    if grep -l 'cannot be preloaded' "results/$lock"/*.log; then
        echo "$lock: these ran without the library"
        exit 1
    fi
    passed "$lock" >"results/$lock.passed"
    failed=0
    for name in $(comm -23 results/bare.passed "results/$lock.passed"); do
        settle "$lock" "$name" LD_PRELOAD="${preload##*/}" LD_LIBRARY_PATH="${preload%/*}" RECIP_LOCK="$lock" && continue
        echo "$lock: $name: status $(cat "results/$lock/$name"): $(tail -n 1 "results/$lock/$name.log")"
        failed=$((failed + 1))
        status=1
    done
    echo "$lock: $(($(wc -l <results/bare.passed) - failed)) of these"
done
exit $status
