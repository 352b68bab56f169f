//! `slosh completions SHELL`, and the answers to what its script asks.
//!
//! The script is a few lines: at each Tab the shell runs slosh itself with the words of the line and [`VARIABLE`] set
//! (clap_complete's dynamic engine). So a subcommand's flags, positionals, the user's own scenes, palettes and themes and
//! files are all offered, and scripts need no update. Scripts generated ahead of time were tried first: zsh's cannot complete
//! a subcommand behind the optional scene, and none offers the user's own names.

use crate::app::error::Error;
use crate::cli::Cli;
use clap::CommandFactory;
use clap_complete::Shell;
use clap_complete::env::{CompleteEnv, Shells};
use std::io::{self, Write};

/// Set by the scripts; its value is the name of the shell.
pub const VARIABLE: &str = "SLOSH_COMPLETE";

/// In a folder of `fpath` the script is itself the function that zsh calls at the first Tab. clap_complete's (4.6) only
/// registers there, so that the first Tab did nothing.
const ZSH_AUTOLOADED: &str = "\n[[ $funcstack[1] != _slosh ]] || _clap_dynamic_completer_slosh \"$@\"\n";

/// Answers a shell that asks for completions, and exits. Returns where none asks.
pub fn answer() {
    CompleteEnv::with_factory(Cli::command).var(VARIABLE).complete();
}

/// Writes the script for a shell. It finds slosh in `PATH`.
///
/// # Errors
/// If standard output is closed.
pub fn print(shell: Shell) -> Result<(), Error> {
    let shells = Shells::builtins();
    let completer =
        shells.completer(&shell.to_string()).ok_or_else(|| Error::Input(format!("no completions for {shell}")))?;
    let mut script = Vec::new();
    completer.write_registration(VARIABLE, "slosh", "slosh", "slosh", &mut script)?;
    if shell == Shell::Zsh {
        script.extend_from_slice(ZSH_AUTOLOADED.as_bytes());
    }
    io::stdout().lock().write_all(&script)?;
    Ok(())
}
