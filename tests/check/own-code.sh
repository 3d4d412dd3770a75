#!/bin/sh
# own-code.sh RECIP SOURCE-TREE SCRATCH: the example passes; each way to break it is found, and told so that one can see where.
set -u
recip=$1
example=$2/docs/examples/spinlock-client.c
scratch=$3
mkdir -p "$scratch"
failures=0

complain() {
    echo "$*"
    failures=$((failures + 1))
}

output=$("$recip" check --source "$example") || complain "the example does not pass: $output"

# broken NAME SED-SCRIPT PATTERN...: the output has to match each pattern, the status to be 1.
broken() {
    name=$1
    sed "$2" "$example" >"$scratch/$name.c"
    shift 2
    cmp -s "$scratch/$name.c" "$example" && complain "$name: nothing was replaced"
    output=$("$recip" check --source "$scratch/$name.c" 2>&1)
    [ $? -eq 1 ] || complain "$name: the status is not 1: $output"
    for pattern; do
        printf '%s\n' "$output" | grep -q -e "$pattern" || complain "$name: no '$pattern' in: $output"
    done
}

broken race 's/0, memory_order_release/0, memory_order_relaxed/' 'data race: thread' ' at .*race.c:[0-9]' \
    ' and .*race.c:[0-9]' 'thread 1.*race.c:[0-9]* .*store.*= 0, relaxed' 'read from #'
broken owners 's/(atomic_exchange_explicit(&held, 1, memory_order_acquire))/(atomic_load_explicit(\&held, memory_order_acquire))/' \
    'two owners: threads'
broken stuck 's/    atomic_store_explicit(&held, 0, memory_order_release);//' 'waiting for ever: thread' 'waits: held is 1'
broken assertion 's/counter == 3/counter == 4/' 'assertion does not hold: counter == 4'
broken unmodelled 's/memory_order_release/memory_order_seq_cst/' 'seq_cst is not modelled'

exit $failures
