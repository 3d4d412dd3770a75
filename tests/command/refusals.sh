#!/bin/sh
# refusals.sh RECIP: bad input gets one line on stderr that names the offending word, exit status 2, and nothing else.
set -u
recip=$1
failures=0

# refused WORD ARGUMENT...: the line has to contain WORD.
refused() {
    word=$1
    shift
    output=$("$recip" "$@" 2>/dev/null)
    lines=$("$recip" "$@" 2>&1 >/dev/null)
    "$recip" "$@" >/dev/null 2>&1
    status=$?
    if [ "$status" -ne 2 ] || [ -n "$output" ] || [ "$(printf '%s\n' "$lines" | wc -l)" -ne 1 ]; then
        echo "recip $*: status $status, stdout '$output', stderr '$lines'"
        failures=$((failures + 1))
    fi
    case $lines in
    *"$word"*) ;;
    *)
        echo "recip $*: '$lines' does not name '$word'"
        failures=$((failures + 1))
        ;;
    esac
}

refused command
refused frobnicate frobnicate
refused --frobnicate --frobnicate
refused "'nosuch'" list nosuch
refused --frobnicate list --frobnicate
refused "'0'" bench --threads 0
refused "'abc'" bench --threads abc
refused "'-1'" bench --threads -1
refused "'4x'" bench --threads 1,4x
refused "''" bench --threads 1,,2
refused "'99999999999999999999'" bench --threads 99999999999999999999
refused "'-1'" bench --duration -1
refused "'nan'" bench --duration nan
refused "'soon'" bench --duration=soon
refused "'0'" bench --runs 0
refused "'nosuch'" bench --lock nosuch
refused "''" bench --lock mcs,
refused "'300'" bench --lock anderson --threads 300
refused --threads bench --threads
refused "'-q'" bench -q
refused "'extra'" bench extra

refused "'extra'" --help extra
refused "'4000'" bench --lock mcs --threads 4000

# Output that cannot be written is an error.
for words in list 'list --help' --version; do
    # shellcheck disable=SC2086
    if "$recip" $words >/dev/full 2>/dev/null; then
        echo "recip $words: nothing said about a full device"
        failures=$((failures + 1))
    fi
done

# Help and version are answers, not refusals.
for words in --help --version 'list --help' 'bench --help' 'run --help'; do
    # shellcheck disable=SC2086
    if ! "$recip" $words >/dev/null 2>&1; then
        echo "recip $words failed"
        failures=$((failures + 1))
    fi
done
exit "$failures"
