# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2154 # for programs.sh, which reads it
# Programs of programs.sh: servers of the web, and of names. Each answer is looked at (http-client.py).

# Fifty files in $work/documents.
make_documents() {
    mkdir "$work/documents"
    python3 "$here/programs/http-client.py" --make "$work/documents"
}

client_gets() {
    python3 "$here/programs/http-client.py" "$port" 8 500
}

is_served() {
    python3 "$here/programs/http-client.py" "$port" 1 1
}

# threads_at_least NUMBER PROCESS...: of all these together.
threads_at_least() {
    wanted=$1
    shift
    there=0
    for process in "$@"; do there=$((there + $(ls "/proc/$process/task" | wc -l))); done
    if [ "$there" -ge "$wanted" ]; then echo "$wanted threads or more"; else echo "$there threads"; fi
}

children() {
    ps -o pid= --ppid "$server"
}

# One worker, whose threads read the files.
needs_nginx=nginx
expects_nginx='^4000 answers are right$'
run_nginx() {
    make_documents
    {
        [ "$(id -u)" -ne 0 ] || echo 'user www-data;'
        cat <<END
daemon off;
worker_processes 1;
pid $work/pid;
thread_pool readers threads=8;
events { worker_connections 256; }
http {
    access_log off;
    client_body_temp_path $work/body;
    proxy_temp_path $work/proxy;
    fastcgi_temp_path $work/fastcgi;
    uwsgi_temp_path $work/uwsgi;
    scgi_temp_path $work/scgi;
    server {
        listen 127.0.0.1:$port;
        root $work/documents;
        aio threads=readers;
        sendfile off;
    }
}
END
    } >"$work/nginx.conf"
    serve nginx -c "$work/nginx.conf" -e "$work/error.log"
    if await is_served; then
        client_gets
        threads_at_least 10 "$server" $(children)
    fi
    end_server QUIT
}

needs_apache=apache2
expects_apache='^4000 answers are right$'
run_apache() {
    make_documents
    cat >"$work/apache.conf" <<END
ServerRoot $work
PidFile $work/pid
ErrorLog $work/error.log
ServerName localhost
Listen 127.0.0.1:$port
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
DefaultRuntimeDir $work
Mutex default:$work
DocumentRoot $work/documents
StartServers 1
ServerLimit 1
ThreadLimit 32
ThreadsPerChild 32
MinSpareThreads 1
MaxSpareThreads 32
MaxRequestWorkers 32
END
    [ "$(id -u)" -ne 0 ] || printf 'User www-data\nGroup www-data\n' >>"$work/apache.conf"
    serve apache2 -f "$work/apache.conf" -D FOREGROUND
    if await is_served; then
        client_gets
        threads_at_least 32 "$server" $(children)
        if command -v ab >/dev/null; then
            ab -q -k -c 16 -n 5000 "http://127.0.0.1:$port/7" 2>&1 | grep -E '^(Complete|Failed) requests|Document Length'
        fi
    fi
    end_server
}

# One request goes through two of its own front ends, which four threads serve.
needs_haproxy=haproxy
expects_haproxy='^4000 answers are right$'
run_haproxy() {
    cat >"$work/haproxy.cfg" <<END
global
    nbthread 4
defaults
    mode http
    timeout connect 10s
    timeout client 30s
    timeout server 30s
frontend outer
    bind 127.0.0.1:$port
    default_backend inner
backend inner
    server one 127.0.0.1:$((port + 1))
frontend answers
    bind 127.0.0.1:$((port + 1))
    http-request return status 200 content-type text/plain lf-string "%[path,sha1,hex]"
END
    serve haproxy -db -f "$work/haproxy.cfg"
    if await is_served; then
        client_gets
        threads_at_least 4 "$server"
    fi
    end_server USR1
}

# In front of Python's server, which runs as it is. Each file is fetched from there once or twice, the rest comes from the cache.
needs_varnish=varnishd
expects_varnish='^4000 answers are right$'
run_varnish() {
    make_documents
    chmod -R a+rX "$work"
    timeout 300 python3 -m http.server "$((port + 1))" --bind 127.0.0.1 --directory "$work/documents" >"$work/origin.log" 2>&1 &
    origin=$!
    serve varnishd -F -j none -a "127.0.0.1:$port" -b "127.0.0.1:$((port + 1))" -n "$work/varnish" -s malloc,64m -p thread_pool_min=20
    if await is_served; then
        client_gets
        fetched=$(grep -c 'GET /' "$work/origin.log")
        if [ "$fetched" -lt 500 ]; then echo 'most came from the cache'; else echo "$fetched files were fetched"; fi
        threads_at_least 20 "$server" $(children)
    fi
    end_server
    kill "$origin"
    wait "$origin"
}

needs_bind=named
expects_bind='^ *Queries completed: *3000 (100.00%)$'
run_bind() {
    cat >"$work/named.conf" <<END
options {
    directory "$work";
    listen-on port $port { 127.0.0.1; };
    listen-on-v6 { none; };
    pid-file none;
    recursion no;
    dnssec-validation no;
    minimal-responses yes;
};
controls {};
zone "example" { type primary; file "example.zone"; };
END
    {
        # shellcheck disable=SC2016 # $TTL is BIND's
        printf '$TTL 3600\n@ IN SOA localhost. root.localhost. 1 3600 3600 3600 3600\n@ IN NS localhost.\n'
        for i in $(seq 1000); do echo "name$i IN A 127.0.$((i / 250)).$((i % 250))"; done
    } >"$work/example.zone"
    seq -f 'name%.0f.example A' 1000 >"$work/queries"
    ask="dnsperf -s 127.0.0.1 -p $port -d $work/queries"
    serve named -f -c "$work/named.conf" -n 4
    if await dig +tries=1 +time=1 "@127.0.0.1" -p "$port" name1.example; then
        $ask -n 3 -c 16 | grep -E 'Queries (sent|completed|lost)|Response codes'
        dig +short "@127.0.0.1" -p "$port" -f "$work/queries" | sha256sum
        threads_at_least 8 "$server"
    fi
    end_server
}
