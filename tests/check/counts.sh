#!/bin/sh
# SPDX-License-Identifier: MIT
# counts.sh RECIP: the complete executions of Listing 1 are those that another checker, GenMC, has counted; in 512 MiB.
set -u
recip=$1
failures=0

counts() {
    lock=$1
    client=$2
    executions=$3
    line=$("$recip" check "$lock" --client "$client" --memory 512 | grep executions)
    case $line in
    *" $executions executions "*ok) ;;
    *)
        echo "$lock $client: $executions expected: $line"
        failures=$((failures + 1))
        ;;
    esac
}

counts reciprocating 3x1 36
counts reciprocating 3x2 3912
counts reciprocating 4x1 456
counts reciprocating 4x2,1,1,1 1980

# The same by number of threads and acquisitions.
"$recip" check reciprocating --threads 3 --acquisitions 2 | grep -q ' 3912 executions' || failures=$((failures + 1))
"$recip" check reciprocating --acquisitions 2,1,1,1 | grep -q ' 1980 executions' || failures=$((failures + 1))
exit $failures
