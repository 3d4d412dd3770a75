#!/bin/sh
# SPDX-License-Identifier: MIT
# make.sh SOURCE FOLDER UPLOT: what `make` does in a fresh copy of the sources. It builds, and never installs packages: it says in
# one line what is missing and what to type, and `make deps` installs it. Nothing is compiled again without need. CC, CFLAGS and
# CONFIGURE are honoured. The system's package tools are replaced by some that only write down what they are called for.
set -eu
source=$1
folder=$2
uplot=$3
rm -rf "$folder"
mkdir -p "$folder/tree" "$folder/bin"
(cd "$source" && tar -cf - --exclude=./build --exclude=./.git .) | tar -xf - -C "$folder/tree"
cd "$folder/tree"
unset CC CXX CFLAGS CXXFLAGS LDFLAGS CONFIGURE MAKEFLAGS MAKELEVEL
PATH=$folder/bin:$PATH

fail() {
    echo "make.sh: $*"
    [ ! -e "$folder/said" ] || cat "$folder/said"
    exit 1
}

# make_says STATUS ARGUMENT...: what make prints is in $folder/said.
make_says() {
    expected=$1
    shift
    status=0
    make "$@" >"$folder/said" 2>&1 || status=$?
    [ $status -eq "$expected" ] || fail "make $*: status $status instead of $expected"
}

# Every package is installed, but for those named in $folder/lacking; $folder/user is who calls.
cat >"$folder/bin/dpkg-query" <<FAKE
#!/bin/sh
for name; do :; done
grep -qxF "\$name" '$folder/lacking' || echo 'install ok installed'
FAKE
printf '#!/bin/sh\ncat "%s"\n' "$folder/user" >"$folder/bin/id"
printf '#!/bin/sh\necho "$@" >>"%s"\n' "$folder/apt" >"$folder/bin/apt-get"
chmod +x "$folder"/bin/*

: >"$folder/lacking"
: >"$folder/apt"
library='CONFIGURE=-DRECIP_TOOLS=OFF'

# Something is missing: one line with the command, for root and for others; nothing is built or installed.
echo libdw-dev-of-another-kind >"$folder/lacking"
sed -i 's/^build: /build: libdw-dev-of-another-kind /' packages.txt
for user in 0 1000; do
    echo $user >"$folder/user"
    make_says 2
    grep -v '^make: ' "$folder/said" >"$folder/lines"
    [ "$(wc -l <"$folder/lines")" -eq 1 ] || fail "not one line"
    grep -q 'missing: libdw-dev-of-another-kind' "$folder/lines" || fail "what is missing is not said"
    command='make deps'
    [ $user -eq 0 ] || command="sudo make deps"
    grep -q "type: $command\$" "$folder/lines" || fail "the line does not say $command"
    [ ! -e build ] || fail "there is a folder build"
done
[ ! -s "$folder/apt" ] || fail "make has called apt-get"
make_says 2 deps
[ ! -s "$folder/apt" ] || fail "make deps has called apt-get without root"
echo 0 >"$folder/user"
make_says 0 deps
grep -q '^install .*libdw-dev-of-another-kind' "$folder/apt" || fail "make deps has not called apt-get install"

# The library alone asks for less. Its build is announced; the second one compiles nothing.
: >"$folder/apt"
make_says 0 "$library"
grep -q Building build/build.log || fail "nothing has been compiled"
[ "$(wc -l <"$folder/said")" -le 5 ] || fail "more than five lines"
make_says 0 "$library"
! grep Building build/build.log || fail "something has been compiled again"

# The compiler and the flags, from the environment and from the command line; the user's flags come last.
used() {
    grep -q -- "$1" build/compile_commands.json || fail "not in the compiler's command: $1"
}
CFLAGS='-O1 -DFROM_THE_ENVIRONMENT="a b"' make_says 0 "$library"
used '-O2.* -O1 .*FROM_THE_ENVIRONMENT'
printf '#!/bin/sh\nexec gcc -DOTHER_COMPILER "$@"\n' >"$folder/bin/other-cc"
chmod +x "$folder/bin/other-cc"
CC=other-cc make_says 0 "$library"
used '"command": ".*other-cc[\\" ]'
make_says 0 "$library" CC=gcc CFLAGS=-DFROM_THE_LINE
used '"command": ".*gcc .*-DFROM_THE_LINE'
make_says 0 CONFIGURE='-DRECIP_TOOLS=OFF -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS="-DONE -DTWO"'
used '-DONE -DTWO -g '
make_says 0 "$library"
! grep -q 'FROM_THE\|DONE' build/compile_commands.json || fail "flags have stayed"
[ ! -s "$folder/apt" ] || fail "make has called apt-get"

# Configuring everything a second time leaves every file alone that something is made from.
sed -i "s/libdw-dev-of-another-kind //" packages.txt
configure() {
    cmake -S . -B all -DBUILD_TESTING=ON ${uplot:+"-DRECIP_UPLOT=$uplot"} >"$folder/said" 2>&1 || fail "cmake"
}
configure
touch -d '2000-01-02' "$folder/then"
find all -type f -exec touch -d '2000-01-01' {} +
configure
find all -type f -newer "$folder/then" ! -path '*/CMakeFiles/*' ! -name CMakeCache.txt ! -name Makefile ! -name '*.cmake' \
    ! -name compile_commands.json ! -name DartConfiguration.tcl >"$folder/written"
[ ! -s "$folder/written" ] || { cat "$folder/written"; fail "a second configuration has written these"; }
rm -rf "$folder"
