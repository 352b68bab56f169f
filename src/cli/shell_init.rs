//! `slosh init SHELL`: a snippet that starts the screensaver on idle in a shell, in tmux or in screen. zsh, tmux and screen have
//! idle timers. In bash and fish a background job per prompt ([`wait-idle`](crate::cli::idle_wait)) sends SIGALRM when the
//! terminal, whose time of the last read the kernel keeps in steps of eight seconds, has had no input.

use crate::app::error::Error;
use clap::{Args, ValueEnum};
use std::io::{self, Write};
use std::path::Path;

/// Print a snippet that starts the screensaver on idle in a shell, in tmux or in screen
///
/// In ~/.zshrc: eval "$(slosh init zsh)". In ~/.bashrc: eval "$(slosh init bash)". In config.fish: slosh init fish |
/// source. Others: slosh init tmux >> ~/.tmux.conf, slosh init screen >> ~/.screenrc. A TMOUT that ends idle sessions
/// goes on to do so: in bash any, in zsh one that is read-only. No screensaver plays then.
#[derive(Debug, Args)]
pub struct InitArgs {
    pub place: SnippetPlace,
    /// Seconds without a key after which the screensaver starts
    #[arg(long, value_name = "N", default_value = "300", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub seconds: u32,
    /// Command to run when the screensaver ends, such as vlock
    #[arg(long, value_name = "COMMAND")]
    pub lock: Option<String>,
}

/// The program that the snippet is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SnippetPlace {
    Zsh,
    Bash,
    Fish,
    Tmux,
    Screen,
}

const ZSH: &str = r#"# slosh as a screensaver for zsh. In ~/.zshrc: eval "$(slosh init zsh)"
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
"#;

const BASH: &str = r#"# slosh as a screensaver for bash. In ~/.bashrc: eval "$(slosh init bash)"
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
"#;

const FISH: &str = r#"# slosh as a screensaver for fish. In ~/.config/fish/config.fish: slosh init fish | source
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
"#;

const TMUX: &str = r#"# slosh as tmux's screensaver. In ~/.tmux.conf: source-file, or run: slosh init tmux >> ~/.tmux.conf
set-option -g lock-after-time @SECONDS@
set-option -g lock-command '@COMMAND@'
"#;

const SCREEN: &str = r#"# slosh as screen's screensaver. Run: slosh init screen >> ~/.screenrc
blankerprg sh -c '@COMMAND@'
idle @SECONDS@ blanker
"#;

pub fn run(args: &InitArgs) -> Result<(), Error> {
    let text = snippet(args)?;
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(())
}

fn snippet(args: &InitArgs) -> Result<String, Error> {
    let slosh = program();
    let saver = format!("{slosh} saver");
    let locked = args.lock.as_ref().map(|lock| locked(&saver, lock));
    let by_sh = |quote: fn(&str) -> String| match &locked {
        Some(script) => format!("sh -c '{}'", quote(script)),
        None => saver.clone(),
    };
    let (text, command) = match args.place {
        SnippetPlace::Zsh => (ZSH, by_sh(quoted_within)),
        SnippetPlace::Bash => (BASH, by_sh(quoted_within)),
        SnippetPlace::Fish => (FISH, by_sh(quoted_within_fish)),
        // tmux passes the command to sh.
        SnippetPlace::Tmux => (TMUX, quoted_within(locked.as_ref().unwrap_or(&saver))),
        // screen shows its blanker's output unchanged, and takes every byte from the real terminal for a key: no queries, no
        // modes, and no input that ends the screensaver.
        SnippetPlace::Screen => (SCREEN, quoted_within(&format!("{saver} --output-only --exit-on none"))),
    };
    if args.place == SnippetPlace::Screen && args.lock.is_some() {
        let advice = "screen locks by itself: bind `lockscreen`, or set $LOCKPRG to the command";
        return Err(Error::Input(format!("--lock: {advice}")));
    }
    let filled = text.replace("@SECONDS@", &args.seconds.to_string());
    Ok(filled.replace("@SLOSH@", &slosh).replace("@COMMAND@", &command))
}

/// A shell command that runs the screensaver and then the locker. Its shell switches off and ignores the terminal's signals,
/// because Ctrl-C between the two programs would end both, and sets the mode after log-in, in which Return reaches a locker.
fn locked(saver: &str, lock: &str) -> String {
    format!("trap \"\" INT QUIT TSTP; _slosh_mode=$(stty -g); stty sane -isig; {saver}; {lock}; stty \"$_slosh_mode\"")
}

/// The command by which a shell finds this program: its name if `PATH` leads here, else its path.
fn program() -> String {
    let Ok(here) = std::env::current_exe() else { return "slosh".to_owned() };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join("slosh")).find(|path| path.is_file());
    let same = |path: &Path| path.canonicalize().is_ok_and(|path| Some(path) == here.canonicalize().ok());
    if found.as_deref().is_some_and(same) { "slosh".to_owned() } else { quoted(&here.to_string_lossy()) }
}

/// Quotes a word for all supported shells, only where necessary.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+:@%".contains(c);
    if word.chars().all(plain) { word.to_owned() } else { format!("'{}'", quoted_within(word)) }
}

fn quoted_within(text: &str) -> String {
    text.replace('\'', "'\\''")
}

/// Escapes text for single quotes in fish, which reads backslashes in them as escapes.
fn quoted_within_fish(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\'', "\\'")
}
