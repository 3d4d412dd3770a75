#!/bin/sh
# SPDX-License-Identifier: MIT
# no-exceptions.sh PROGRAM: it runs as long as nothing is wrong; otherwise it says so in a line, and is aborted.
set -eu
program=$1
failures=0

"$program"

# ends MISTAKE LINE
ends() {
    said=$("$program" "$1" 2>&1) && status=0 || status=$?
    [ "$said" = "$2" ] && [ "$status" -eq 134 ] && return
    echo "$1: status $status: $said"
    failures=$((failures + 1))
}

# shellcheck disable=SC3045 # dash and bash have it
ulimit -c 0
ends bound 'recip::mutex: a bound above RECIP_BOUND_MAX: Invalid argument'
ends permits 'recip::counting_semaphore: permits outside 0 to RECIP_SEM_VALUE_MAX: Invalid argument'
ends release 'recip::counting_semaphore: more than RECIP_SEM_VALUE_MAX permits: Value too large for defined data type'
exit $failures
