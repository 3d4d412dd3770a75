# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2154 # for programs.sh, which reads it
# Programs of programs.sh: stores and their clients.

needs_leveldb=$folder/leveldb
expects_leveldb=verified
run_leveldb() {
    rm -rf leveldb.data
    on ./leveldb leveldb.data 8 1 | head -n 1
}

needs_rocksdb=$folder/rocksdb
expects_rocksdb=verified
run_rocksdb() {
    rm -rf rocksdb.data
    on ./rocksdb rocksdb.data 8 1 | head -n 1
}

needs_redis=redis-server
expects_redis='status 0'
run_redis() {
    serve redis-server --port 0 --unixsocket "$folder/redis.sock" --save '' --io-threads 4 --io-threads-do-reads yes
    await redis-cli -s redis.sock ping || return
    redis-benchmark -s redis.sock -n 20000 -c 20 -P 4 -t set,get,incr,lpush -q >client.log 2>&1 || cat client.log
    redis-cli -s redis.sock get counter:__rand_int__
    for i in $(seq 20); do redis-cli -s redis.sock set "key:$i" "value $i"; done | sort | uniq -c
    redis-cli -s redis.sock eval 'local s = 0; for i = 1, 20 do s = s + #redis.call("get", "key:" .. i) end; return s' 0
    redis-cli -s redis.sock shutdown nosave
    await_end
}

needs_memcached=memcached
expects_memcached='status 0'
run_memcached() {
    serve memcached -u "$(id -un)" -s "$folder/memcached.sock" -t 4
    await test -S memcached.sock && python3 "$here/memcached-client.py" memcached.sock
    end_server
}

needs_mariadb=sysbench
expects_mariadb='status 0'
run_mariadb() {
    rm -rf mariadb.data
    mariadb-install-db --no-defaults --user="$(id -un)" --datadir="$folder/mariadb.data" --auth-root-authentication-method=normal \
        >install.log 2>&1 || { tail -n 3 install.log; return; }
    serve "$(command -v mariadbd || echo /usr/sbin/mariadbd)" --no-defaults --user="$(id -un)" --datadir="$folder/mariadb.data" \
        --skip-networking --socket="$folder/mariadb.sock" --pid-file="$folder/mariadb.pid" --innodb-buffer-pool-size=64M
    client="mariadb --no-defaults -u root -S $folder/mariadb.sock -N"
    await $client -e 'select 1' || { end_server; return; }
    $client -e 'create database sbtest'
    bench="sysbench oltp_read_write --db-driver=mysql --mysql-socket=$folder/mariadb.sock --mysql-user=root --tables=2 --table-size=2000 --threads=8 --time=5"
    { $bench prepare && $bench run; } >client.log 2>&1 || tail -n 5 client.log
    grep -c 'transactions:' client.log
    $client -e 'check table sbtest1, sbtest2; select count(*) from sbtest1' sbtest
    $client -e shutdown
    await_end
}

# It refuses root; then it runs as its own user. What one transaction adds to an account it adds to a teller, a branch and the history.
needs_postgresql=pgbench
expects_postgresql='^4000|t$'
run_postgresql() {
    programs_of=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
    as=
    if [ "$(id -u)" -eq 0 ]; then
        as='setpriv --reuid=postgres --regid=postgres --clear-groups'
        chown postgres "$work"
    fi
    $as "$programs_of/initdb" -A trust -N -U postgres -D "$work/data" >install.log 2>&1 || { tail -n 3 install.log; return; }
    # The library has to be where that user can read it.
    cp "$recip" "${recip%/*}/librecip-preload.so" "$work"
    recip_here=$recip
    recip="$work/recip"
    serve $as "$programs_of/postgres" -D "$work/data" -k "$work" -c listen_addresses= -c fsync=off -c max_parallel_workers=4
    client="-h $work -U postgres"
    if await $programs_of/pg_isready $client; then
        pgbench $client -i -q -s 2 postgres >client.log 2>&1 || tail -n 3 client.log
        on pgbench $client -n -c 8 -j 4 -t 500 postgres 2>/dev/null | grep -E 'actually processed|failed'
        psql $client -At -c 'select count(*), sum(delta) = (select sum(abalance) from pgbench_accounts) and
            sum(delta) = (select sum(bbalance) from pgbench_branches) and sum(delta) = (select sum(tbalance) from pgbench_tellers)
            from pgbench_history' postgres
        psql $client -At -c 'set max_parallel_workers_per_gather = 4' -c 'set parallel_setup_cost = 0' -c 'set min_parallel_table_scan_size = 0' \
            -c 'select count(*), sum(aid) from pgbench_accounts' postgres
    fi
    end_server INT
    recip=$recip_here
}

# Eight clients increment one number at once, and add entries.
needs_slapd=slapd
expects_slapd='^uidNumber: 1600$'
run_slapd() {
    mkdir "$work/data"
    cat >"$work/slapd.conf" <<END
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/nis.schema
modulepath /usr/lib/ldap
moduleload back_mdb
threads 8
pidfile $work/pid
database mdb
maxsize 67108864
suffix "dc=example"
rootdn "cn=admin,dc=example"
rootpw secret
directory $work/data
dbnosync
END
    url=ldap://127.0.0.1:$port
    client="-x -H $url -D cn=admin,dc=example -w secret"
    serve slapd -d 0 -h "$url" -f "$work/slapd.conf"
    if await ldapsearch -x -H "$url" -s base; then
        ldapadd $client >client.log <<END
dn: dc=example
objectClass: dcObject
objectClass: organization
dc: example
o: example

dn: uid=count,dc=example
objectClass: account
objectClass: posixAccount
uid: count
cn: count
uidNumber: 0
gidNumber: 0
homeDirectory: /
END
        clients=
        for i in $(seq 8); do
            for j in $(seq 200); do
                printf 'dn: uid=count,dc=example\nchangetype: modify\nincrement: uidNumber\nuidNumber: 1\n\n'
                printf 'dn: uid=%d-%d,dc=example\nchangetype: add\nobjectClass: account\nuid: %d-%d\n\n' "$i" "$j" "$i" "$j"
            done | ldapmodify $client >"client.$i.log" 2>&1 &
            clients="$clients $!"
        done
        for one in $clients; do wait "$one" || echo "a client ended with status $?"; done
        ldapsearch $client -LLL -b uid=count,dc=example uidNumber | grep uidNumber
        ldapsearch $client -LLL -b dc=example '(objectClass=account)' uid | grep '^uid:' | sort | sha256sum
    fi
    end_server
}
