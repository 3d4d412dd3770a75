#!/bin/sh
# SPDX-License-Identifier: MIT
# shellcheck source-path=SCRIPTDIR
# apache.sh FOLDER SECONDS CLIENTS: Apache, its event MPM, a file of 8 KiB under ab.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/http.sh"
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
ThreadLimit 128
ThreadsPerChild 128
MinSpareThreads 1
MaxSpareThreads 128
MaxRequestWorkers 128
MaxKeepAliveRequests 0
END
[ "$(id -u)" -ne 0 ] || printf 'User www-data\nGroup www-data\n' >>"$work/apache.conf"
serve apache2 -f "$work/apache.conf" -D FOREGROUND
load_http
