#!/bin/sh
# SPDX-License-Identifier: MIT
# install.sh SOURCE FOLDER: `make install` in a fresh copy of the sources, whose path has a space. By somebody else than the owner
# of the build folder it changes nothing there. Manual pages, documents and the licence are installed. Programs find the library:
# root's installation runs ldconfig, and otherwise there is a line about it. ldconfig and id are replaced by some that say what
# the test wants; but at the end, where the kernel lets us have an /etc and a /usr/local of our own, by nothing.
set -eu
source=$1
folder=$2
rm -rf "$folder"
mkdir -p "$folder/the tree" "$folder/bin"
(cd "$source" && tar -cf - --exclude=./build --exclude=./.git .) | tar -xf - -C "$folder/the tree"
cd "$folder/the tree"
unset CC CXX CFLAGS CXXFLAGS LDFLAGS DESTDIR PREFIX MAKEFLAGS MAKELEVEL
export CONFIGURE=-DRECIP_TOOLS=OFF
PATH=$folder/bin:$PATH

fail() {
    echo "install.sh: $*"
    cat "$folder/said"
    exit 1
}

# become USER; the loader looks for libraries in $folder/usr/lib. "ldconfig" alone is written down.
become() {
    printf '#!/bin/sh\necho %s\n' "$1" >"$folder/bin/id"
    cat >"$folder/bin/ldconfig" <<FAKE
#!/bin/sh
case \$* in
'') echo called >>'$folder/ldconfig-called' ;;
-p) sed 's/.*/	librecip.so.0.1 (libc6,x86-64) => &/' '$folder/cache' ;;
*) echo '$folder/usr/lib: (from /etc/ld.so.conf.d/libc.conf:2)' ;;
esac
FAKE
    chmod +x "$folder"/bin/*
    rm -f "$folder/ldconfig-called"
    [ "$1" -ne 0 ] || echo "$folder/usr/lib/librecip.so.0.1" >"$folder/cache"
}
install_to() {
    make install "$@" >"$folder/said" 2>&1 || fail "make install $* fails"
}
# Everything in the build folder, with its time and owner.
listing() {
    find build -printf '%p %T@ %s %U\n' | sort
}

# Not built, and not the owner.
owner=$(stat -c %u .)
: >"$folder/cache"
become $((owner + 1))
if make install DESTDIR="$folder/stage" >"$folder/said" 2>&1; then
    fail "what has not been built is installed"
fi
grep -q 'type make first' "$folder/said" || fail "it is not said that make comes first"
[ ! -e build ] || fail "there is a build folder"

# Built, and not the owner.
make >"$folder/said" 2>&1 || fail "make"
listing >"$folder/before"
install_to DESTDIR="$folder/stage" PREFIX=/usr
listing | diff "$folder/before" - || fail "the build folder has changed"
[ ! -e "$folder/ldconfig-called" ] || fail "ldconfig has run for a staged installation"
grep -q '^recip: .*ldconfig' "$folder/said" || fail "ldconfig is not mentioned"
for file in lib/librecip.so lib/librecip.a include/recip.h lib/pkgconfig/recip.pc share/man/man3/recip_mutex_lock.3 \
    share/man/man3/recip_sem_post.3 share/doc/recip/LICENSE share/doc/recip/README.md share/doc/recip/docs/mutex.md; do
    [ -e "$folder/stage/usr/$file" ] || fail "$file is not installed"
done
grep -q '^.so man3/' "$folder/stage/usr/share/man/man3/recip_sem_post.3" || fail "recip_sem_post.3 points nowhere"

# Root, to where the loader looks, and elsewhere.
become 0
install_to PREFIX="$folder/usr"
[ -e "$folder/ldconfig-called" ] || fail "ldconfig has not run"
! grep '^recip: .*librecip.so' "$folder/said" || fail "a line too many"
: >"$folder/cache"
install_to PREFIX="$folder/opt"
grep -q "^recip: .*-rpath,$folder/opt/lib" "$folder/said" || fail "no line about $folder/opt/lib"

# A user, likewise.
become 4242
install_to PREFIX="$folder/usr"
[ ! -e "$folder/ldconfig-called" ] || fail "ldconfig has run for a user"
grep -q '^recip: .*sudo ldconfig$' "$folder/said" || fail "no line about ldconfig"
install_to PREFIX="$folder/opt"
grep -q "^recip: .*-rpath,$folder/opt/lib" "$folder/said" || fail "no line about $folder/opt/lib"

# Without a word about where: a program that is linked with -lrecip starts.
rm "$folder"/bin/*
cat >"$folder/program.c" <<'PROGRAM'
#include <recip.h>
static recip_mutex_t mutex = RECIP_MUTEX_INIT;
int main(void)
{
    recip_mutex_lock(&mutex);
    recip_mutex_unlock(&mutex);
    return 0;
}
PROGRAM
cat >"$folder/in-a-world-of-its-own" <<'SCRIPT'
set -eu
mount -t tmpfs tmpfs "$1"
for place in etc usr/local; do
    mkdir -p "$1/$place/upper" "$1/$place/work"
    mount -t overlay overlay -o "lowerdir=/$place,upperdir=$1/$place/upper,workdir=$1/$place/work" "/$place"
done
# In a user's own namespace, root's folders stay root's.
: >/etc/recip-trial
mkdir -p /usr/local/lib
: >/usr/local/lib/recip-trial
touch "$2/began"
make install
cd "$2"
cc program.c -o program -lrecip
./program
SCRIPT
mkdir "$folder/world"
status=0
unshare -rm sh "$folder/in-a-world-of-its-own" "$folder/world" "$folder" >"$folder/said" 2>&1 || status=$?
if [ ! -e "$folder/began" ]; then
    echo "no /etc and /usr/local of our own here: not tried with the real ldconfig"
elif [ $status -ne 0 ]; then
    fail "after make install, a program linked with -lrecip does not start"
fi
rm -rf "$folder"
