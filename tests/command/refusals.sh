#!/bin/sh
# SPDX-License-Identifier: MIT
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
refused "'reciprocating-demote'" sim --lock mcs,reciprocating-demote
refused "'reciprocating-streaming'" table --lock reciprocating-streaming
refused "'-q'" bench -q
refused "'0.001'" bench --duration 0.001
refused "'10001'" bench --lock mutex --threads 10001
refused "'-1'" bench --warm-up -1
refused "'extra'" bench extra
refused mutexbench bench extra
refused "'latency'" bench mutexbench latency
refused --csv bench --json --csv
refused "'nosuch'" bench --baseline nosuch
refused "'mcs'" bench --lock mutex --baseline mcs
refused --threads bench latency --threads 2
refused --keys bench --keys 10
refused --section bench --section step
refused --inside bench latency --inside 3
refused "'-1'" bench --outside 0,-1
refused "'7'" bench fairness --slice 7
refused "'anderson'" bench atomic --lock anderson
refused "'none'" bench atomic --lock none
refused "'big'" bench mutex --section step,big
refused "'nosuch'" bench mutex --lock nosuch
refused "'pair'" bench mutex --section pair --threads 2
refused "'pair'" bench mutex --section pair --outside 250
refused "'bare'" bench mutex --section step --lock mutex,bare
refused "'mcs'" bench mutex --section pair --lock mutex,mcs
refused "'nosuch'" bench mutex --baseline nosuch
refused "'20'" bench waiting --times 20
refused "'/5'" bench waiting --times 20/0,/5
refused "''" bench waiting --times 5/
refused "'0x'" bench waiting --times 20/0x
refused "'5'" bench waiting --period 5
refused "'1us'" bench waiting --period 1us
refused "'soon'" bench waiting --period soon
refused "'0'" bench waiting --hogs 0
refused "'0'" bench waiting --seldom-threads 0
refused "'70000'" bench waiting --lock mutex:70000
refused "''" bench waiting --lock mutex:
refused "'nosuch'" bench waiting --lock nosuch
refused "'mcs'" bench waiting --cond --lock mcs
refused "'zoo'" bench waiting --cond --lock zoo
refused "'4000'" bench waiting --lock ticket --hogs 4000
refused --threads bench waiting --threads 3
refused --hogs bench --hogs 3
refused --period bench mutex --period 1ms
refused --cond bench latency --cond
refused "'0.01ms'" bench waiting --cond --period 10us --seldom-threads 1000 --duration 1000
refused "'/nonexistent' cannot be read: No such file" bench --from /nonexistent
refused "'/' cannot be read: Is a directory" bench --from /

refused "'extra'" --help extra
refused "'nosuch'" help nosuch
refused "'--lock'" help --lock
refused "'extra'" help bench extra

# What was meant is said if it is near, and nothing if it is not.
refused "'bnech' (did you mean 'bench'?)" bnech
refused "'hlep' (did you mean 'help'?)" hlep
refused "'repo' (did you mean 'report'?)" help repo
refused "'--treads' for 'recip bench' (did you mean '--threads'?)" bench --treads 3
refused "'--treads=3' for 'recip sim' (did you mean '--threads'?)" sim --treads=3
refused "'msc' (did you mean 'mcs'?)" bench --lock pthread,msc
refused "'reciprocatng' (did you mean 'reciprocating'?)" list reciprocatng
refused "'que' (did you mean 'queue'?)" list que
refused "'nsyn' (did you mean 'nsync'?)" bench mutex --lock nsyn
refused "'fairnes' (did you mean 'fairness'?)" bench fairnes
refused "'frobnicate': list" frobnicate
refused "'xyz'; 'recip list'" list xyz
refused "'--zzz' for 'recip bench'; its options are --help, --lock" bench --zzz
refused "'4000'" bench --lock mcs --threads 4000

# Output that cannot be written is an error.
for words in list 'list --help' --version 'check --list-clients' 'check tas --quick' 'table --lock mcs'; do
    # shellcheck disable=SC2086
    if "$recip" $words >/dev/full 2>/dev/null; then
        echo "recip $words: nothing said about a full device"
        failures=$((failures + 1))
    fi
done

# Help and version are answers, not refusals.
for words in --help --version help 'list --help' 'bench --help' 'run --help'; do
    # shellcheck disable=SC2086
    if ! "$recip" $words >/dev/null 2>&1; then
        echo "recip $words failed"
        failures=$((failures + 1))
    fi
done
for command in list run bench sim table check who; do
    [ "$("$recip" help $command)" = "$("$recip" $command --help)" ] && continue
    echo "recip help $command is not recip $command --help"
    failures=$((failures + 1))
done
exit "$failures"
