//! `slosh completions SHELL`, and the candidates that its script requests.
//!
//! The script is a few lines. At each Tab the shell runs slosh with the words of the line and with [`VARIABLE`] set
//! (clap_complete's dynamic engine). So a subcommand's flags and positionals, the user's own scenes, palettes and
//! themes, and files are all completed, and scripts need no update. Tried and dropped: scripts generated ahead of time.
//! The one for zsh cannot complete a subcommand behind the optional scene, and none completes the user's own names.

use crate::app::error::Error;
use crate::cli::Cli;
use clap::CommandFactory;
use clap_complete::Shell;
use clap_complete::env::{CompleteEnv, Shells};
use std::io::{self, Write};

/// The variable that the scripts set to the name of the shell.
pub const VARIABLE: &str = "SLOSH_COMPLETE";

/// In a folder of `fpath` the script is the function that zsh calls at the first Tab. The script of clap_complete (4.6)
/// only registers the completer, so the first Tab would have no effect. This line calls it.
const ZSH_AUTOLOADED: &str = "\n[[ $funcstack[1] != _slosh ]] || _clap_dynamic_completer_slosh \"$@\"\n";

/// Prints the candidates if a shell requests completions, and exits. Otherwise returns.
pub fn answer() {
    CompleteEnv::with_factory(Cli::command).var(VARIABLE).complete();
}

/// Writes the script for a shell. The script finds slosh in `PATH`.
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
