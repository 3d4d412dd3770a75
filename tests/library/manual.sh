#!/bin/sh
# SPDX-License-Identifier: MIT
# manual.sh SOURCE BUILD FOLDER: every call of <recip.h> has a manual page, which shows it as the header declares it, but for
# what the declarations tell -Wthread-safety.
set -eu
source=$1
build=$2
folder=$3
failures=0

complain() {
    echo "$*"
    failures=$((failures + 1))
}

rm -rf "$folder"
cmake --install "$build" --prefix "$folder/usr" >/dev/null
pages=$(dirname "$(find "$folder/usr" -name recip_mutex_lock.3)")

# Declarations, one a line, without spaces: of the header without what is its own, and of the pages.
sed -e 's/^RECIP_INLINE_ //' "$source/include/recip.h" | tr '\n' ' ' | tr ';/' '\n' |
    sed 's/) *RECIP_[A-Z]*_([^)]*)$/)/' | grep -o -E '(const char|void|int) \*?recip_[a-z_]*[a-z]\([^)]*\)$' | tr -d ' ' | sort >"$folder/declared"
cat "$source"/man/*.3 | sed -n 's/^\.BI* //p' | tr -d '" ' | tr '\n' ' ' | tr ';' '\n' | tr -d ' ' |
    grep -o -E '(constchar|void|int)\*?recip_[a-z_]*\([^)]*\)$' | sort >"$folder/shown"
[ "$(wc -l <"$folder/declared")" -gt 25 ] || complain "hardly anything is declared: $(cat "$folder/declared")"
diff "$folder/declared" "$folder/shown" >"$folder/difference" ||
    complain "declared in recip.h (<) and shown in man/ (>) are not the same: $(cat "$folder/difference")"

for name in $(sed 's/.*\(recip_[a-z_]*\)(.*/\1/' "$folder/declared") RECIP_MUTEX_GUARD RECIP_VERSION_STRING; do
    [ -e "$pages/$name.3" ] || complain "man 3 $name: not installed"
    cat "$source"/man/*.3 | sed -n '/^\.SH NAME/,/^\.SH SYNOPSIS/p' | grep -q -w "$name" || complain "$name: under no NAME"
done
rm -rf "$folder"
exit $failures
