//! `slosh init SHELL`: what starts the screensaver on idle in a shell, in tmux or in screen.
//!
//! | where | what waits | what starts it |
//! |---|---|---|
//! | zsh | `TMOUT` with `TRAPALRM`: zsh's own idle timer | the trap, in front of the line editor |
//! | bash | a background job per prompt ([`wait`](crate::app::saver::wait)) | the trap of SIGALRM, which readline runs while it waits |
//! | fish | the same | a handler of SIGALRM |
//! | tmux | `lock-after-time` | `lock-command`, on every client's whole terminal |
//! | screen | `idle` | `blankerprg` |
//!
//! bash and fish have no timer that looks at keys. The time of the last key is the time at which the terminal was last
//! read, which the kernel keeps for it (in steps of eight seconds, so that it gives no rhythm of typing away). A `read`
//! with a time limit in the prompt was tried first and eats the first key.

use crate::app::config::InitArgs;
use crate::app::failure::Failure;
use clap::ValueEnum;
use std::io::{self, Write};
use std::path::Path;

/// Where the snippet goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Place {
    Zsh,
    Bash,
    Fish,
    Tmux,
    Screen,
}

const ZSH: &str = r#"# slosh as a screensaver for zsh. In ~/.zshrc: eval "$(slosh init zsh)"
TMOUT=@SECONDS@
TRAPALRM() {
    # Only in front of the line editor: no job is in the foreground then.
    zle || return 0
    zle -I
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
    # In a subshell of its own, so that the shell speaks of no job.
    _slosh_timer=$( { @SLOSH@ wait-idle --seconds @SECONDS@ --signal $$ --tty $_slosh_tty >/dev/null 2>&1 & } ; echo $!)
    return $status
}
trap '_slosh_disarm; { @COMMAND@; } </dev/tty >/dev/tty; _slosh_arm' ALRM
trap '_slosh_disarm' EXIT
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

/// Prints the snippet.
pub fn run(args: &InitArgs) -> Result<(), Failure> {
    let text = snippet(args)?;
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(())
}

fn snippet(args: &InitArgs) -> Result<String, Failure> {
    let slosh = program();
    let saver = format!("{slosh} saver");
    // A locker takes over whatever ended the screensaver.
    let command = args.lock.as_ref().map_or(saver.clone(), |lock| format!("{saver}; {lock}"));
    let (text, command) = match args.place {
        Place::Zsh => (ZSH, command),
        Place::Bash => (BASH, quoted_within(&command)),
        Place::Fish => (FISH, command),
        Place::Tmux => (TMUX, quoted_within(&command)),
        // Keys belong to screen while its blanker runs, so nothing else may end it.
        Place::Screen => (SCREEN, quoted_within(&format!("{saver} --dismiss none"))),
    };
    if args.place == Place::Screen && args.lock.is_some() {
        let advice = "screen locks by itself: bind `lockscreen`, or set $LOCKPRG to the command";
        return Err(Failure::Input(format!("--lock: {advice}")));
    }
    let filled = text.replace("@SECONDS@", &args.seconds.to_string());
    Ok(filled.replace("@SLOSH@", &slosh).replace("@COMMAND@", &command))
}

/// This program as shells find it: by its name where that leads here, else by its path.
fn program() -> String {
    let Ok(here) = std::env::current_exe() else { return "slosh".to_owned() };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join("slosh")).find(|path| path.is_file());
    let same = |path: &Path| path.canonicalize().is_ok_and(|path| Some(path) == here.canonicalize().ok());
    if found.as_deref().is_some_and(same) { "slosh".to_owned() } else { quoted(&here.to_string_lossy()) }
}

/// For every shell there is, in quotes only where it must be.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+:@%".contains(c);
    if word.chars().all(plain) { word.to_owned() } else { format!("'{}'", quoted_within(word)) }
}

/// For between single quotes.
fn quoted_within(text: &str) -> String {
    text.replace('\'', "'\\''")
}
