# SPDX-License-Identifier: MIT
# awk -v client=NAME -f figures.awk: what a client of a server says of throughput and tail, in the same form for all:
#
#     throughput: 12345.6 per second
#     p99: 234.5 us
#     longest: 3456 us
#
# Requests that failed are an error, and so is a figure that is not there.

function fail(why) {
    print client ": " why >"/dev/stderr"
    failed = 1
    exit 1
}

# The number after the last match of `before` in the line.
function number_after(before) {
    return match($0, before) ? substr($0, RSTART + RLENGTH) + 0 : 0
}

BEGIN { known = " ab sysbench redis-benchmark memaslap dnsperf db_bench "; if (!index(known, " " client " ")) fail("not known") }

# ab: milliseconds; "99,1.234" is a line of the file that -e writes, "100%" one of the report, which has no fractions.
client == "ab" && /^Requests per second:/ { throughput = $4 }
client == "ab" && /^99,/ { p99 = number_after("^99,") * 1000 }
client == "ab" && /^ *100% / { longest = $2 * 1000 }
client == "ab" && /^(Failed requests|Non-2xx responses):/ && $NF > 0 { fail($0) }

# sysbench --percentile=99: milliseconds.
client == "sysbench" && /^ *transactions: / { throughput = number_after("[(]") }
client == "sysbench" && /^ *99th percentile: / { p99 = $3 * 1000 }
client == "sysbench" && /^ *max: / { longest = $2 * 1000 }

# redis-benchmark --csv: "test","rps","avg","min","p50","p95","p99","max", the last six in milliseconds.
client == "redis-benchmark" && /^"[A-Z]/ {
    gsub(/"/, "")
    split($0, field, ",")
    throughput = field[2]
    p99 = field[7] * 1000
    longest = field[8] * 1000
}

# memaslap: after "Total Statistics", a histogram in microseconds. "8: A B C D" counts those of 8, 9, 10 and 11 bits, so A is of 128 to
# 255 us. p99 is within a factor of two; in that range, it is taken to be evenly spread.
client == "memaslap" && /^(Get|Set|Total) Statistics/ {
    total = /^Total Statistics [(]/
    events = number_after("[(]")
}
client == "memaslap" && total && /^ *Max: / { longest = $2 }
client == "memaslap" && total && /^ *[0-9]+: / {
    for (i = 2; i <= NF; i++) {
        start = 2 ^ ($1 + i - 3)
        if (!p99 && seen + $i >= 0.99 * events) p99 = start * (1 + (0.99 * events - seen) / $i)
        seen += $i
    }
}
client == "memaslap" && /^Run time: / { throughput = number_after("TPS: ") }

# dnsperf -v: a line for each answer, "> NOERROR NAME TYPE SECONDS", to the microsecond.
client == "dnsperf" && /^> / {
    if ($2 != "NOERROR") fail($0)
    us = int($NF * 1e6 + 0.5)
    took[us]++
    answers++
    if (us > longest) longest = us
}
client == "dnsperf" && /^ *Queries per second: / { throughput = $4 }
client == "dnsperf" && /^ *Queries lost: / && $3 > 0 { fail($0) }

# db_bench --histogram: microseconds, of the benchmark that came last.
client == "db_bench" && / micros\/op / { throughput = number_after("micros/op +") }
client == "db_bench" && /^Min: / { longest = number_after("Max: ") }
client == "db_bench" && /^Percentiles: / { p99 = number_after("P99: ") }

END {
    if (failed) exit 1
    for (us = 0; answers && p99 == ""; us++)
        if ((seen += took[us]) >= 0.99 * answers) p99 = us
    if (throughput == "") fail("no throughput in its output")
    if (p99 == "") fail("no p99 in its output")
    if (longest == "") fail("no longest in its output")
    printf "throughput: %.6g per second\np99: %.6g us\nlongest: %.6g us\n", throughput, p99, longest
}
