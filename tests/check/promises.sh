#!/bin/sh
# SPDX-License-Identifier: MIT
# promises.sh RECIP SOURCE-TREE [broken]: what docs/promises.md says is so. Each promise has clients and mutants that exist, and each
# mutant of the mutex that is not harmless belongs to a promise. With 'broken': one of the clients of its row notices each mutant.
set -u
recip=$1
table=$2/docs/promises.md
mutants=$2/tools/check/mutants/mutex
failures=0

complain() {
    echo "$*"
    failures=$((failures + 1))
}

# column NUMBER: the words in backquotes there.
column() {
    printf '%s\n' "$row" | cut -d '|' -f "$1" | grep -o '`[^`]*`' | tr -d '`'
}

clients=$("$recip" check --list-clients | awk '/^  / { print $1 }')
rows=$(grep '^| ' "$table" | tail -n +2)
[ "$(printf '%s\n' "$rows" | wc -l)" -ge 12 ] || complain "$table: there are fewer promises than there were"
found=
while IFS= read -r row; do
    promise=$(printf '%s\n' "$row" | cut -d '|' -f 2)
    its_clients=$(column 3)
    its_mutants=$(column 4)
    [ -n "$its_clients" ] || complain "no client holds:$promise"
    [ -n "$its_mutants" ] || complain "no mutant breaks:$promise"
    for client in $its_clients; do
        printf '%s\n' "$clients" | grep -qxF -e "$client" || complain "there is no client '$client':$promise"
    done
    for mutant in $its_mutants; do
        found="$found $mutant "
        if ! [ -e "$mutants/$mutant.patch" ]; then
            complain "there is no mutant '$mutant':$promise"
        elif [ "${3:-}" = broken ]; then
            noticed=
            for client in $its_clients; do
                "$recip" check mutex --patch "$mutants/$mutant.patch" --client "$client" >/dev/null 2>&1 && noticed=1 && break
            done
            [ "$noticed" ] || complain "none of its clients notices '$mutant':$promise"
        fi
    done
done <<EOT
$rows
EOT
for patch in "$mutants"/*.patch; do
    name=$(basename "$patch" .patch)
    case $found in
    *" $name "*) ;;
    *) grep -q '^Harmless: ' "$patch" || complain "'$name' breaks no promise of $table" ;;
    esac
done
exit $((failures > 0))
