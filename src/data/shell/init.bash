# slosh as a screensaver for bash. In ~/.bashrc: eval "$(slosh init bash)"
_slosh_tty=$(tty)
_slosh_disarm() {
    [ -z "$_slosh_timer" ] || kill "$_slosh_timer" 2>/dev/null
    _slosh_timer=
}
_slosh_arm() {
    local status=$?
    _slosh_disarm
    # With TMOUT set, bash takes SIGALRM for the end of that time, and exits.
    [[ -z ${TMOUT//0} ]] || return $status
    # In a subshell, so that the shell prints no messages about jobs.
    _slosh_timer=$( { @SLOSH@ wait-idle --seconds @SECONDS@ --signal $$ --tty $_slosh_tty >/dev/null 2>&1 & } ; echo $!)
    return $status
}
_slosh_play() {
    local traps=$(trap -p INT QUIT TSTP)
    trap '' INT QUIT TSTP
    _slosh_disarm
    { @COMMAND@; } </dev/tty >/dev/tty
    trap - INT QUIT TSTP
    eval "$traps"
    _slosh_arm
}
trap _slosh_play ALRM
# Before what the shell does at its end already: `trap -p` prints trap -- 'COMMAND' EXIT.
_slosh_at_exit() {
    eval "set -- $(trap -p EXIT)"
    trap -- "_slosh_disarm${3:+; $3}" EXIT
}
_slosh_at_exit
PS0='${_slosh_timer:+$(kill $_slosh_timer 2>/dev/null)}'"$PS0"
PROMPT_COMMAND="_slosh_arm${PROMPT_COMMAND:+; $PROMPT_COMMAND}"
