# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2154 # for programs.sh, which reads it
# Programs of programs.sh: threads of languages that are run.

needs_python=python3
expects_python=160000
run_python() {
    on python3 "$here/threads.py"
}

# jemalloc locks inside malloc, before anything else in the process has begun.
needs_jemalloc=python3
expects_jemalloc=160000
run_jemalloc() {
    library=$(ls /usr/lib/*/libjemalloc.so.2 2>/dev/null | head -n 1)
    [ -n "$library" ] || { echo "libjemalloc.so.2 is not here"; return; }
    LD_PRELOAD=$library on python3 "$here/threads.py"
}

needs_java=java
expects_java=400000
run_java() {
    on java -Xshare:auto "$here/Threads.java"
}

needs_node=node
expects_node=80000
run_node() {
    on node "$here/programs/workers.mjs"
}

needs_ruby=ruby
expects_ruby=160000
run_ruby() {
    on ruby "$here/programs/threads.rb" 2>/dev/null
}

# Processes of Erlang's own on four schedulers, which are threads.
needs_erlang=erl
expects_erlang=5000050000
run_erlang() {
    on erl +S 4:4 +SDio 4 -noshell -noinput -eval '
        Self = self(),
        Table = ets:new(counters, [public, {write_concurrency, true}]),
        ets:insert(Table, {sum, 0}),
        [spawn(fun() -> ets:update_counter(Table, sum, I), Self ! done end) || I <- lists:seq(1, 100000)],
        [receive done -> ok end || _ <- lists:seq(1, 100000)],
        io:format("~p~n", ets:lookup(Table, sum)),
        Ring = lists:foldl(fun(_, Next) -> spawn(fun Pass() -> receive {N, To} -> Next ! {N + 1, To}, Pass() end end) end,
            spawn(fun Last() -> receive {N, To} -> To ! N, Last() end end), lists:seq(1, 1000)),
        [begin Ring ! {0, Self}, receive N -> N = 1000 end end || _ <- lists:seq(1, 100)],
        Hashes = [begin
            File = "erlang." ++ integer_to_list(I),
            ok = file:write_file(File, binary:copy(<<I>>, 100000)),
            {ok, Read} = file:read_file(File), file:delete(File), erlang:md5(Read)
        end || I <- lists:seq(1, 50)],
        io:format("~p ~p~n", [1000, erlang:phash2(Hashes)]),
        halt(0).' 2>&1
}
