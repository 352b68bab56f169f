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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SnippetPlace {
    Zsh,
    Bash,
    Fish,
    Tmux,
    Screen,
}

const ZSH: &str = include_str!("../data/shell/init.zsh");
const BASH: &str = include_str!("../data/shell/init.bash");
const FISH: &str = include_str!("../data/shell/init.fish");
const TMUX: &str = include_str!("../data/shell/init.tmux");
const SCREEN: &str = include_str!("../data/shell/init.screen");

pub fn run(args: &InitArgs) -> Result<(), Error> {
    Ok(io::stdout().lock().write_all(snippet(args)?.as_bytes())?)
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
