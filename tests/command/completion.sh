#!/bin/sh
# SPDX-License-Identifier: MIT
# completion.sh bash|zsh SOURCE RECIP: what that shell proposes for a line is what the command has. 77: the shell is not here. Of zsh,
# the functions that hand proposals to the user are replaced by some that print them.
set -eu
shell=$1
source=$2
recip=$3
command -v "$shell" >/dev/null || { echo "there is no $shell here"; exit 77; }
failures=0

# proposed WORD...: what is proposed for the last word, one a line.
case $shell in
bash)
    proposed() {
        # shellcheck disable=SC2016
        bash -uc 'compopt() { :; }; . "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _recip; printf "%s\n" "${COMPREPLY[@]-}"' \
            - "$source/tools/recip/completion/recip.bash" "$recip" "$@"
    }
    ;;
zsh)
    proposed() {
        zsh -fc '
            compset() { [[ $1 = -P ]] && taken=${(M)words[CURRENT]#${~2}}; }
            compadd() { if [[ $1 = -a ]]; then print -l -- $taken${(P)^2}; else print -l -- "$@"; fi; }
            _describe() { local word; for word in ${(P)2}; print -r -- ${word%%:*}; }
            _files() { print -l -- *(N); }
            script=$1; shift; words=("$@"); CURRENT=$#; taken=; . $script' - "$source/tools/recip/completion/_recip" "$recip" "$@" |
            grep -e "^$(for last; do :; done; printf '%s' "${last##*=}")" || true
    }
    ;;
esac

# proposes WANTED WORD...: it is among what is proposed.
proposes() {
    wanted=$1
    shift
    proposed "$@" | grep -qxF -e "$wanted" && return
    echo "$shell: for 'recip $*' there is no '$wanted', but: $(proposed "$@" | tr '\n' ' ')"
    failures=$((failures + 1))
}

# proposes_only WANTED WORD...: these and nothing else.
proposes_only() {
    wanted=$1
    shift
    [ "$(proposed "$@" | sort | tr '\n' ' ' | sed 's/ *$//')" = "$wanted" ] && return
    echo "$shell: for 'recip $*', not '$wanted' but: $(proposed "$@" | tr '\n' ' ')"
    failures=$((failures + 1))
}

cd "$source"
for command in list run bench sim table check who report help; do
    proposes $command ''
done
proposes_only bench b
proposes_only bench help b
proposes_only 'mcs mcs-park mcscr mcscr-park mcsh mcsh-park' list mcs
proposes_only 'mutex mutexbench' bench mu
proposes mcs bench --lock m
proposes pthread,mutex bench --lock pthread,mu
proposes README.md report READ
if [ "$shell" = bash ]; then
    proposes reciprocating bench --lock = recip
    proposes --threads= bench --thr
else
    proposes reciprocating bench --lock=recip
    proposes --threads bench --thr
fi
proposes 1 who 1
proposes README.md run -- READ

# Every option that the command names when one is wrong.
for command in list run bench sim table check report; do
    for option in $("$recip" $command --zzz 2>&1 | sed 's/.*its options are//; s/,//g'); do
        proposed $command -- | sed 's/=$//' | grep -qxF -e "$option" && continue
        echo "$shell: recip $command: $option is not proposed"
        failures=$((failures + 1))
    done
done
exit $failures
