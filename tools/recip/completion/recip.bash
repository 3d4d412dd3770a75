# SPDX-License-Identifier: MIT
# Completion of `recip` for bash. Commands, options, kinds and locks are asked from the command itself.

# The options of a command, with a = behind those that take a value.
_recip_options() {
    "$1" "$2" --help 2>/dev/null | sed -n 's/^ \{2,6\}\(-.,  *\)\{0,1\}\(--[a-z-]*\)\(\[*=\{0,1\}\).*/\2\3/p' | sed 's/\[=$//; s/\[$//'
}

# The words after "KIND is one of:", and the like.
_recip_kinds() {
    "$1" bench --help 2>/dev/null | sed -n '/^ /d; s/^\([a-z]*\)\(, the default\)\{0,1\}: .*/\1/p'
}

_recip_locks() {
    "$1" list 2>/dev/null | sed -n '2,$s/^\([^ ][^ ]*\) .*/\1/p'
}

_recip_clients() {
    "$1" check --list-clients 2>/dev/null | sed -n 's/^  \([^ ][^ ]*\) .*/\1/p'
}

# The last word of a list with commas; what is before it stays.
_recip_last_of_list() {
    local before=
    case $2 in
    *,*) before=${2%,*}, ;;
    esac
    mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${2##*,}")
}

_recip_value() {
    case $2 in
    --lock | --compare | --baseline | -l) _recip_last_of_list "$(COLUMNS=4000 _recip_locks "$1")" "$3" ;;
    --client | -c) mapfile -t COMPREPLY < <(compgen -W "$(COLUMNS=4000 _recip_clients "$1")" -- "$3") ;;
    --from | --output | -o | --source | --patch | --plot | --trace | --stats | --suppressions | --machine)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$3")
        ;;
    *) return 1 ;;
    esac
}

_recip() {
    local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} i
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ] || { [ "$command" = help ] && [ "$COMP_CWORD" -eq 2 ]; }; then
        local commands
        commands=$("$program" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p')
        [ "$COMP_CWORD" -ne 1 ] || commands="$commands help --help --version"
        mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$word")
        return
    fi
    # What follows -- is a command line of its own.
    for ((i = 2; i < COMP_CWORD; i++)); do
        [ "${COMP_WORDS[i]}" = -- ] || continue
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -c -f -- "$word")
        return
    done
    # "--lock=mcs" comes as three words.
    if [ "$word" = = ]; then
        word=
    elif [ "$before" = = ]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    _recip_value "$program" "$before" "$word" && return
    case $command:$word in
    *:-*)
        mapfile -t COMPREPLY < <(compgen -W "$(_recip_options "$program" "$command") --help" -- "$word")
        [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null
        ;;
    list:* | check:*) mapfile -t COMPREPLY < <(compgen -W "$(COLUMNS=4000 _recip_locks "$program")" -- "$word") ;;
    bench:*) mapfile -t COMPREPLY < <(compgen -W "$(_recip_kinds "$program")" -- "$word") ;;
    who:*) # a process, or a core file
        mapfile -t COMPREPLY < <(compgen -f -W "$(cd /proc && echo [0-9]*)" -- "$word") ;;
    report:*)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        ;;
    esac
}

complete -F _recip recip
