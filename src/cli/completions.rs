//! `slosh completions SHELL`, and the candidates that its script requests: at each Tab the shell runs slosh with the words of the
//! line and with [`VARIABLE`] set (clap_complete's dynamic engine).

use crate::app::error::Error;
use crate::cli::Cli;
use clap::CommandFactory;
use clap_complete::Shell;
use clap_complete::env::{CompleteEnv, Shells};
use std::io::{self, Write};

pub const VARIABLE: &str = "SLOSH_COMPLETE";

/// bash splits a word at `=` and does not quote what it inserts. This puts the word together for clap_complete, and quotes.
const BASH_WORDS: &str = include_str!("../data/shell/complete.bash");

/// In a folder of `fpath` the script is the function that zsh calls at the first Tab, but clap_complete's (4.6) only registers
/// the completer. This line calls it.
const ZSH_AUTOLOADED: &str = "\n[[ $funcstack[1] != _slosh ]] || _clap_dynamic_completer_slosh \"$@\"\n";

/// zsh would quote a leading tilde as well, so the names are quoted here, unless the user has begun a quote.
const ZSH_QUOTES: &str = include_str!("../data/shell/complete.zsh");

pub fn answer() {
    CompleteEnv::with_factory(command).var(VARIABLE).complete();
}

/// The command line, with its flags hidden unless one has been begun.
fn command() -> clap::Command {
    let typed = std::env::args_os().next_back().unwrap_or_default();
    Cli::command().mut_args(|arg| {
        let is_hidden = arg.is_hide_set() || typed.is_empty() && !arg.is_positional();
        arg.hide(is_hidden)
    })
}

pub fn print(shell: Shell) -> Result<(), Error> {
    let shells = Shells::builtins();
    let completer =
        shells.completer(&shell.to_string()).ok_or_else(|| Error::Input(format!("no completions for {shell}")))?;
    let mut script = Vec::new();
    completer.write_registration(VARIABLE, "slosh", "slosh", "slosh", &mut script)?;
    let mut script = String::from_utf8_lossy(&script).into_owned();
    match shell {
        Shell::Bash => script = format!("{script}\n{BASH_WORDS}"),
        Shell::Zsh => {
            let value = "local value=\"${completion%%:*}\"";
            script =
                script.replace(value, &format!("{value}\n{}", ZSH_QUOTES.trim_end())).replace("-r '/'", "-r '/' $raw");
            script = script.replace("'values' other", "'values' other $raw");
            script += ZSH_AUTOLOADED;
        }
        _ => {}
    }
    Ok(io::stdout().lock().write_all(script.as_bytes())?)
}
