# slosh as a screensaver for zsh. In ~/.zshrc: eval "$(slosh init zsh)"
(( $+functions[_slosh_alarm] )) || _slosh_interval=@SECONDS@
# An existing alarm stays in force, at its own interval.
if (( $+functions[TRAPALRM] )) && [[ $functions[TRAPALRM] != *_slosh_look* ]]; then
    functions[_slosh_alarm]=$functions[TRAPALRM]
    (( TMOUT > 0 && TMOUT < _slosh_interval )) && _slosh_interval=$TMOUT
fi
# A read-only TMOUT is there to end idle sessions, and goes on to do so.
_slosh_after() { [[ ${(t)TMOUT} == *readonly* ]] || TMOUT=$1 }
_slosh_after $_slosh_interval
_slosh_look() { _slosh_line=$BUFFER }
zle -N _slosh_look
[[ ${(t)TMOUT} == *readonly* ]] || TRAPALRM() {
    (( $+functions[_slosh_alarm] )) && _slosh_alarm "$@"
    # Only while the line editor runs, because then no job is in the foreground.
    zle || return 0
    setopt localoptions localtraps
    # TMOUT counts from the prompt, TTYIDLE from the last key in steps of 8 s, so a changed line counts as input too.
    local before=$_slosh_line idle=$TTYIDLE
    zle _slosh_look
    if (( idle >= 0 && idle < @SECONDS@ )); then
        local left=$(( @SECONDS@ - idle ))
        _slosh_after $(( left < _slosh_interval ? left : _slosh_interval ))
        return 0
    fi
    _slosh_after $_slosh_interval
    [[ -z $_slosh_line || $_slosh_line == $before ]] || return 0
    zle -I
    # zsh itself is never stopped.
    trap '' INT QUIT
    { @COMMAND@ } </dev/tty >/dev/tty
    zle reset-prompt
}
