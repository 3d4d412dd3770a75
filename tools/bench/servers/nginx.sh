#!/bin/sh
# SPDX-License-Identifier: MIT
# shellcheck source-path=SCRIPTDIR
# nginx.sh FOLDER SECONDS CLIENTS: nginx, one worker that reads files in a pool of threads, a file of 8 KiB under ab.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/http.sh"
make_documents
{
    [ "$(id -u)" -ne 0 ] || echo 'user www-data;'
    cat <<END
daemon off;
worker_processes 1;
pid $work/pid;
error_log $work/error.log;
thread_pool readers threads=8;
events { worker_connections 1024; }
http {
    access_log off;
    keepalive_requests 100000000;
    client_body_temp_path $work/body;
    proxy_temp_path $work/proxy;
    fastcgi_temp_path $work/fastcgi;
    uwsgi_temp_path $work/uwsgi;
    scgi_temp_path $work/scgi;
    server {
        listen 127.0.0.1:$port;
        root $work/documents;
        aio threads=readers;
        sendfile on;
    }
}
END
} >"$work/nginx.conf"
serve nginx -c "$work/nginx.conf" -e "$work/error.log"
load_http
