#!/bin/sh
# SPDX-License-Identifier: MIT
# figures.sh SOURCE FOLDER RECIP: the numbers of the documents, and the pictures, are those of docs/results, and what is counted there
# is counted so today. That a document, a picture, or a results file with another number is found, is tried on copies, and that `update`
# makes them agree again.
set -eu
source=$1
folder=$2
recip=$3
command -v python3 >/dev/null || { echo "there is no python3 here"; exit 77; }
figures=$source/scripts/figures
"$figures" check
"$figures" count "$recip"

failures=0
complain() {
    echo "$*"
    failures=$((failures + 1))
}
copy() {
    rm -rf "$folder"
    mkdir -p "$folder"
    cp -R "$source"/*.md "$source/docs" "$folder/"
}
# found WORD FILE SED: with that change of the file, `figures check` fails in one line that has the word. UPDATED in front: then `update`
# makes the document as it was.
found() {
    copy
    sed -i "$3" "$folder/$2"
    if cmp -s "$folder/$2" "$source/$2"; then
        complain "nothing to change in $2: $3"
    elif "$figures" check --tree "$folder" >"$folder/said" 2>&1; then
        complain "not found: in $2, $3"
    elif ! grep -q -e "^recip: .*$1" "$folder/said"; then
        complain "in $2, $3: it is not said that $1; but $(cat "$folder/said")"
    fi
}
updated() {
    found "$@"
    "$figures" update --tree "$folder" || complain "in $2, $3: not updated"
    cmp "$folder/$2" "$source/$2" || complain "in $2, $3: updated to something else"
}

# Each digit by the next one, in the lines that match.
other='y/0123456789/1234567890/'
waiting=docs/results/waiting.json
mutex=docs/results/mutex.json
updated 'README.md: .*waiting.json says' README.md '/^| p99 wait of the thread that/s/| [0-9.]* |/| 9.99 |/'
updated 'README.md: .*mutex.json says' README.md '/^| lock and unlock, one thread, ns/s/| [0-9.]* |/| 9.99 |/'
updated 'README.md: .*table.json says' README.md '/^5, MCS/'"s/TWA 8/TWA 9/"
updated 'README.md: .*check-reciprocating.json says' README.md '/^ *3x2/s/[0-9]* graphs/16416 graphs/'
updated 'docs/sim.md: .*table.json says' docs/sim.md 's/^| twa | [0-9.]* |/| twa | 8.09 |/'
updated 'the table is not that of' docs/measurements-waiting.md "/^| 20\/0, 1 |/$other"
updated 'the table is not that of' docs/measurements-mutex.md "/^| a step, nothing | 8/$other"
updated "nsync's" docs/measurements-waiting.md "s/nsync's [0-9.]* to/nsync's 99 to/"
updated 'the picture is not that of' docs/pictures/waiting.svg 's/cx="[0-9.]*"/cx="1.0"/'
updated 'the picture is not that of' docs/pictures/x5-2-max.svg 's/points="[0-9.]*/points="1.0/'
found 'the table is not that of' $waiting '/"mutex", "workload": "20.0", "threads": 3/s/"value": /"value": 9e9, "was": /'
found "README.md: .*says" $mutex '/"mutex", "workload": "pair/s/"value": /"value": 9e9, "was": /'
found "'commit' is missing" $waiting '/"commit"/d'
found "no 'kernel'" $waiting 's/"kernel"/"system"/'
found 'about the load' $waiting 's/"load/"unload/'
found 'a busy machine' $waiting 's/"busy": [a-z]*/"busy": true/; s/"cpus":/"busy": true, "cpus":/'
found 'cannot be read' $waiting '1d'
found 'no document has it' docs/results/claims '/^[^ ].* table$/,/^$/d'
found 'has no end' docs/measurements-waiting.md '/^<!-- end -->/d'

# Other results flow into all documents: each number of the mutex is another, and after an update nothing is left to find.
copy
for file in "$folder/$waiting" "$folder/$mutex"; do
    sed -i '/"lock": "mutex"/s/"\(value\|[a-z_]*_ns_p[0-9]*\)": \({"median": \)\{0,1\}/&9/g' "$file"
    ! cmp -s "$file" "$source/${file#"$folder/"}" || complain "nothing to change in $file"
done
"$figures" update --tree "$folder" || complain 'after an update documents and results disagree'
! cmp -s "$folder/README.md" "$source/README.md" || complain 'README.md has not been updated'

# What is counted otherwise today.
copy
sed -i 's/"executions": 3912/"executions": 3913/' "$folder/docs/results/check-reciprocating.json"
rm "$folder/docs/results/table.json"
if "$figures" count "$recip" --tree "$folder" >"$folder/said" 2>&1 || ! grep -q 'has .*3913.*, now it is .*3912' "$folder/said"; then
    complain "another count is not found"
fi

# `again` measures once more, keeps what was measured, and updates; what a busy machine measures is not kept.
copy
cat >"$folder/recip" <<FAKE
#!/bin/sh
cat "$folder/bench.json"
FAKE
chmod +x "$folder/recip"
"$recip" bench waiting --lock mutex,pthread --times 20/0 --hogs 3 --runs 6 --duration 0.01 --period 100us --json >"$folder/measured.json"
for busy in false true; do
    sed "s/\"busy\": [a-z]*/\"busy\": $busy/" "$folder/measured.json" >"$folder/bench.json"
    before=$(cat "$folder/$waiting")
    "$figures" again "$folder/recip" waiting --tree "$folder" >"$folder/said" 2>&1 || true
    case $busy in
    false) [ "$before" != "$(cat "$folder/$waiting")" ] || complain "again has kept nothing" ;;
    true)
        [ "$before" = "$(cat "$folder/$waiting")" ] || complain "again has kept what a busy machine measured"
        grep -q 'busy machine' "$folder/said" || complain "again does not say that the machine was busy"
        ;;
    esac
done
rm -rf "$folder"
exit $failures
