#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh RECIP STRESS TOO-MANY-MUTEXES CLOSES-DESCRIPTORS SETS-TITLE REPORT-ON-SIGNAL: `recip run` leaves the program's exit
# status, signals, input and output alone, keeps an LD_PRELOAD that is there, says in one line what it cannot do, and counts
# what the mutexes of STRESS and TOO-MANY-MUTEXES did. The arguments after RECIP are the programs of those names here.
set -u
recip=$1
stress=$2
too_many=$3
closes_descriptors=$4
sets_title=$5
report_on_signal=$6
failures=0

is() {
    if [ "$2" != "$3" ]; then
        echo "$1: '$2', not '$3'"
        failures=$((failures + 1))
    fi
}

is 'standard output' "$("$recip" run -- echo hello 2>&1)" hello
is 'standard input' "$(echo hello | "$recip" run -- cat 2>&1)" hello
"$recip" run -- sh -c 'exit 7'
is 'exit status' $? 7
"$recip" run -- sh -c 'kill -TERM $$' 2>/dev/null
is 'status after a signal' $? 143
is 'its own process' "$(sh -c 'echo $$; exec "$0" run -- sh -c "echo \$\$"' "$recip" | uniq | wc -l)" 1
# Descriptors, ignored signals, mask, folder, limits: as the command found them.
state='ls /proc/self/fd; grep -E "^Sig(Blk|Ign|Cgt)" /proc/self/status; umask; pwd; ulimit -a'
is 'what else a process has' "$(trap '' USR2; "$recip" run -- sh -c "$state" 2>&1)" "$(trap '' USR2; sh -c "$state" 2>&1)"
# A signal from outside ends the program itself, which may catch it as well.
"$recip" run -- sleep 100 &
kill -KILL $!
wait $! 2>/dev/null
is 'status after SIGKILL from outside' $? 137
is 'a signal that the program catches' "$("$recip" run -- sh -c 'trap "echo caught; exit 3" TERM; kill -TERM $$; sleep 1'; echo $?)" "$(printf 'caught\n3')"
is 'standard error' "$("$recip" run -- sh -c 'echo hello >&2' 2>&1 >/dev/null)" hello
is 'the lock' "$("$recip" run --lock mcs-park -- sh -c 'echo $RECIP_LOCK')" mcs-park
is 'the system'"'"'s own' "$("$recip" run --lock pthread -- sh -c 'echo "$LD_PRELOAD"')" ''
is 'the system'"'"'s own within another run' "$("$recip" run -- "$recip" run --lock pthread -- sh -c 'echo "$LD_PRELOAD"')" ''
is 'one lock within another run' "$("$recip" run -- "$recip" run --lock mcs-park -- sh -c 'echo "$RECIP_LOCK $LD_PRELOAD"')" \
    "$("$recip" run --lock mcs-park -- sh -c 'echo "$RECIP_LOCK $LD_PRELOAD"')"
is 'a library that was there, within another run' \
    "$(LD_PRELOAD=libc.so.6 "$recip" run -- "$recip" run --lock pthread -- sh -c 'echo "$LD_PRELOAD"')" libc.so.6
is 'a library that was there' "$(LD_PRELOAD=libc.so.6 "$recip" run -- sh -c 'echo "${LD_PRELOAD%%:*}"')" libc.so.6
"$recip" run -- /nonexistent 2>/dev/null
is 'no such program' $? 127

# What cannot be: one line, nothing run, status 2; and the same with plain LD_PRELOAD.
preload=${recip%/*}/librecip-preload.so
by_hand() {
    env LD_LIBRARY_PATH="${recip%/*}" LD_PRELOAD=librecip-preload.so "$@"
}
for lock in nosuch clh anderson retrograde reciprocating-gated; do
    is "run --lock $lock" "$("$recip" run --lock "$lock" -- echo ran 2>&1 | grep -c "^recip: .*'$lock'")" 1
    is "RECIP_LOCK=$lock" "$(by_hand RECIP_LOCK="$lock" /bin/echo ran 2>&1 | grep -c "^recip: .*'$lock'")" 1
    by_hand RECIP_LOCK="$lock" /bin/echo ran >/dev/null 2>&1
    is "status with RECIP_LOCK=$lock" $? 2
done
for words in '' 'true' '--lock mutex,mcs -- true' '--runs 3 -- true' '--compare pthread --stats -- true' \
    '--pattern ( --compare pthread -- true' '--pattern a --compare pthread -- true' '--lock pthread --stats -- true' \
    '--stats=/nonexistent/s.json -- true' '--stats=/ -- true'; do
    # shellcheck disable=SC2086
    "$recip" run $words >/dev/null 2>&1
    is "status of run $words" $? 2
done

# From a folder that LD_PRELOAD cannot name: with a space in it, LD_LIBRARY_PATH does; otherwise there is one line.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for folder in 'a folder' a:folder 'a ;folder'; do
    mkdir "$scratch/$folder"
    cp "$recip" "$preload" "$scratch/$folder"
done
spaced=$scratch/a\ folder
loaded='grep -o "/[^/]*/librecip-preload.so" /proc/self/maps | sort -u'
is "run from 'a folder'" "$("$spaced/recip" run -- sh -c "$loaded" 2>&1)" '/a folder/librecip-preload.so'
is "run from 'a folder' within another run" "$("$spaced/recip" run -- "$spaced/recip" run -- sh -c "$loaded" 2>&1)" \
    '/a folder/librecip-preload.so'
is 'LD_LIBRARY_PATH that was there' "$(LD_LIBRARY_PATH=/nonexistent: "$spaced/recip" run -- "$spaced/recip" run -- \
    sh -c 'echo "$LD_LIBRARY_PATH"')" "$spaced:/nonexistent:"
is 'LD_LIBRARY_PATH without need' "$(LD_LIBRARY_PATH=/nonexistent "$spaced/recip" run --lock pthread -- sh -c 'echo "$LD_LIBRARY_PATH"')" \
    /nonexistent
for folder in a:folder 'a ;folder'; do
    is "run from '$folder'" "$("$scratch/$folder/recip" run -- echo ran 2>&1 | sed "s|'.*/$folder/librecip-preload.so'|LIBRARY|")" \
        "recip: LD_PRELOAD cannot name LIBRARY: there is a colon in it, or a space and a semicolon"
    "$scratch/$folder/recip" run -- echo ran >/dev/null 2>&1
    is "status of run from '$folder'" $? 2
    is "the system's own from '$folder'" "$("$scratch/$folder/recip" run --lock pthread -- echo ran 2>&1)" ran
done

# Every lock that fits runs a program; the others say why not.
for lock in $("$recip" list | tail -n +2 | cut -d ' ' -f 1); do
    "$recip" run --lock "$lock" -- true 2>/dev/null
    case $? in 0 | 2) ;; *) is "run --lock $lock -- true" "status $?" 'status 0 or 2' ;; esac
done

# Statistics: of a program with threads, as text and as JSON, on each kind of lock.
for lock in mutex mcs-park; do
    text=$("$recip" run --lock "$lock" --stats -- "$stress" 2>&1)
    is "statistics on $lock: mutexes" "$(printf '%s\n' "$text" | grep -c "lock $lock: 100[0-9] mutexes in [0-9]* places*")" 1
    is "statistics on $lock: acquisitions" "$(printf '%s\n' "$text" | grep -c '^recip: [0-9]* acquisitions, [0-9.]*% contended')" 1
    is "statistics on $lock: where" "$(printf '%s\n' "$text" | grep -c '^    created in init_mutex (common.h:[0-9]*)$')" 1
    is "statistics on $lock: lines of more than 80 columns" "$(printf '%s\n' "$text" | grep -c '.\{81\}')" 0
    "$recip" run --lock "$lock" --stats="$scratch/s.json" -- "$stress"
    is "statistics on $lock: fields" "$(grep -o '"\(acquisitions\|contended\|handovers\|parks\|wait_p50_ns\|wait_p99_ns\|wait_max_ns\|hold_total_ns\|waits\)"' "$scratch/s.json" | sort -u | wc -l)" 9
done
is 'statistics of a program that closes stderr' "$("$recip" run --stats -- sh -c 'exec 2>&-' 2>&1 | grep -c 'lock mutex:')" 1
is 'statistics of a program with a file of its own in place of stderr' "$("$recip" run --stats -- "$closes_descriptors" "$scratch/own" 2>&1; cat "$scratch/own")" ''
"$recip" run --stats="$scratch/title.json" -- "$sets_title"
is 'statistics of a program that overwrites its environment' "$(grep -c '"acquisitions": 1,' "$scratch/title.json")" 3
is 'statistics without memory for them' "$( (ulimit -v 65536; "$recip" run --stats -- "$sets_title" 2>&1) | grep -c 'no memory for records; 1 acq')" 1
is 'statistics are silent unless asked for' "$("$recip" run -- "$stress" 2>&1)" ''
is 'statistics of another run around this one' "$("$recip" run --stats -- "$recip" run -- "$stress" 2>&1)" ''
is 'statistics into nothing' "$(by_hand RECIP_STATS= "$stress" 2>&1)" ''
# Into a pipe that somebody has open to read; without a reader the report does not wait for one.
mkfifo "$scratch/pipe"
exec 3<>"$scratch/pipe"
timeout 60 "$recip" run --stats="$scratch/pipe" -- true
is 'statistics into a pipe' "$(timeout 60 head -n 1 <&3 | grep -c '^{"schema": "recip-stats", "version": 1, "program": "true"')" 1
exec 3<&-
is 'statistics into a pipe that nobody reads' "$(timeout 60 "$recip" run --stats="$scratch/pipe" -- true 2>&1; echo $?)" \
    "$(printf "recip: cannot write the statistics to '%s': No such device or address\n0" "$scratch/pipe")"
# The reader of stderr is gone: the program writes until it knows that.
{
    "$recip" run --stats -- sh -c 'trap "" PIPE; while echo x >&2; do sleep 0.01; done; trap - PIPE; exit 3'
    echo $? >"$scratch/status"
} 2>&1 >/dev/null | :
is 'exit status with nobody to read the statistics' "$(cat "$scratch/status")" 3
name=$(printf 'a\377\001"\303\244')
cp /bin/true "$scratch/$name"
"$recip" run --stats="$scratch/name.json" -- "$scratch/$name"
is 'statistics of a program with a strange name' \
    "$(python3 -c 'import json, sys; print(ascii(json.load(open(sys.argv[1], "rb"))["program"]))' "$scratch/name.json")" "'a\\ufffd\\x01\"\\xe4'"
"$recip" run --stats="$scratch/bursts.json" -- "$report_on_signal" "$scratch/bursts.json"
is 'reports to several threads at once' $? 0
# comes WHAT COMMAND...: waits until the command says yes, a minute at most.
comes() {
    what=$1
    shift
    for _ in $(seq 600); do
        "$@" && return
        sleep 0.1
    done
    is "$what" 'nothing in a minute' 'there'
}
# shellcheck disable=SC2016 # for that shell to expand
"$recip" run --stats -- sh -c ': >"$0"; while :; do sleep 0.1; done' "$scratch/runs" 2>"$scratch/signal" &
comes 'a program that runs' [ -e "$scratch/runs" ]
kill -s RTMAX-1 $!
comes 'statistics on a signal' grep -q 'process .* lock mutex:' "$scratch/signal"
kill $!
wait

# What gets no record, because there are too many, is counted as such.
"$recip" run --stats="$scratch/h.json" -- "$too_many"
is 'acquisitions with and without a record' "$(sed -n '1s/.*"acquisitions": \([0-9]*\),.*"uncounted_acquisitions": \([0-9]*\),.*/\1 \2/p' \
    "$scratch/h.json" | awk '{ print $1 + $2, ($2 > 0) }')" '600000 1'

"$recip" run --stats="$scratch/none.json" -- /nonexistent 2>/dev/null
is 'a file of statistics that nobody has written' "$([ -e "$scratch/none.json" ] && echo there)" ''

table=$("$recip" run --compare pthread,mutex,mcs-park --runs 2 --pattern 'rate: ([0-9.]+)' -- sh -c 'echo rate: 7; echo rate: 42.5')
is 'compare: medians by pattern' "$(printf '%s\n' "$table" | grep -c ' 42.5 ')" 3
table=$("$recip" run --compare pthread,mutex --runs 2 --pattern 'rate: ([0-9.]+)' --pattern 'longest: ([0-9.]+)' \
    -- sh -c 'echo longest: 9, rate: 42.5')
is 'compare: a table for each pattern' "$(printf '%s\n' "$table" | awk '/taking turns/ { printf "%s", $1 } $1 == "mutex" { printf "%s;", $2 }')" \
    'rate:42.5;longest:9;'
"$recip" run --compare pthread --runs 1 --pattern 'rate: ([0-9.]+)' --pattern 'longest: ([0-9.]+)' -- echo rate: 1 >/dev/null 2>"$scratch/said"
is 'compare: one of the figures is missing' "$? $(grep -c "'longest: .* expects one" "$scratch/said")" '1 1'
table=$("$recip" run --compare pthread,mutex --runs 1 -- sleep 0.01)
is 'compare: times' "$(printf '%s\n' "$table" | grep -c '^\(pthread\|mutex\) ')" 2
# figure PATTERN TEXT: what is found in a program's output.
figure() {
    "$recip" run --compare pthread --runs 1 --pattern "$1" -- printf "$2" 2>&1 | awk '$1 == "pthread" { print $2 }'
}
is 'compare: a group is where the number ends' "$(figure 'took ([0-9]+)\.' 'took 12.75 s')" 12
is 'compare: a digit of several' "$(figure 'n=([0-9])' 'n=123')" 1
is 'compare: no hexadecimal number' "$(figure '([0-9]+)x' '0x20')" 0
is 'compare: a match of nothing before' "$(figure '([0-9]*)' 'ab 5 cd')" 5
is 'compare: a zero byte before' "$(figure 'n=([0-9])' 'n=1\000n=7')" 7
is 'compare: the start of a line' "$(figure '^([0-9]+)' 'a 1\n22 3\n')" 22
is 'compare: what is no number' "$(figure '([a-z]+)' 'inf\n')" ''
seq 100 >"$scratch/lines"
counts='echo lines: $(wc -l)'
is 'compare: each run reads the file' "$("$recip" run --compare pthread,mutex --runs 2 --pattern 'lines: ([0-9]+)' \
    -- sh -c "$counts" <"$scratch/lines" | grep -c ' 100 *100 *100 ')" 2
is 'compare: no run reads the pipe' "$(seq 100 | "$recip" run --compare pthread,mutex --runs 2 --pattern 'lines: ([0-9]+)' \
    -- sh -c "$counts" | grep -c ' 0 *0 *0 ')" 2
"$recip" run --compare pthread,mutex --runs 1 -- false >/dev/null 2>&1
is 'compare: a command that fails' $? 1
exit "$failures"
