# slosh as a screensaver for fish. In ~/.config/fish/config.fish: slosh init fish | source
set -g _slosh_tty (tty)
function _slosh_disarm --on-event fish_preexec --on-event fish_exit
    test -z "$_slosh_timer"; or kill $_slosh_timer 2>/dev/null
    set -g _slosh_timer
end
function _slosh_arm --on-event fish_prompt
    _slosh_disarm
    @SLOSH@ wait-idle --seconds @SECONDS@ --signal $fish_pid --tty $_slosh_tty >/dev/null 2>&1 &
    set -g _slosh_timer $last_pid
    disown $_slosh_timer 2>/dev/null
end
function _slosh_play --on-signal ALRM
    _slosh_disarm
    begin
        @COMMAND@
    end </dev/tty >/dev/tty
    _slosh_arm
    commandline -f repaint
end
