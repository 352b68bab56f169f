//! `slosh join`: a session on a tank that somebody hosts.

use crate::app::error::Error;
use crate::cli::args::LookArgs;
use crate::cli::args::setting_flags::SettingFlags;
use crate::cli::settings::table::group;
use crate::data::Setting;
use clap::Args;

/// Join a tank that `slosh host` keeps
#[derive(Debug, Args)]
pub struct JoinArgs {
    /// The name of the tank, or ssh://HOST/NAME for one on another machine
    #[arg(value_name = "NAME", default_value = "tank")]
    pub tank: String,
    /// What you are called: letters, digits, - _ and ., at most 16
    #[arg(long = "as", value_name = "NAME")]
    pub known_as: Option<String>,
    /// For accounts of strangers: run no program, and do not suspend
    #[arg(long)]
    pub restricted: bool,
    #[command(flatten)]
    pub look: LookArgs,
    #[command(flatten)]
    terminal: SettingFlags<{ group::TERMINAL }>,
}

impl JoinArgs {
    pub fn settings(&self) -> Vec<Setting> {
        [self.look.settings(), self.terminal.settings()].concat()
    }
}

#[cfg(not(unix))]
pub fn run(_: &JoinArgs) -> Result<(), Error> {
    Err(Error::Run("a shared tank needs Unix sockets, which slosh does not have on this system".to_owned()))
}

/// Plays on the tank until the guest leaves.
///
/// # Errors
/// If there is no such tank, no terminal, or the host ends.
#[cfg(unix)]
pub fn run(args: &JoinArgs) -> Result<(), Error> {
    unix::run(args)
}

#[cfg(unix)]
pub use unix::{guest_name, join_config};

#[cfg(unix)]
mod unix {
    use crate::app::error::Error;
    use crate::app::host::socket;
    use crate::app::join::JoinConfig;
    use crate::app::shared_tank::GuestName;
    use crate::app::{interactive, join};
    use crate::cli::join::JoinArgs;
    use crate::cli::settings::Settings;
    use crate::cli::settings::layers;
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    pub fn run(args: &JoinArgs) -> Result<(), Error> {
        if let Some(place) = args.tank.strip_prefix("ssh://") {
            if args.restricted {
                return Err(Error::Input("a restricted session joins tanks of this machine only".to_owned()));
            }
            return Err(over_ssh(args, place));
        }
        let settings = layers::settings(args.settings())?;
        let name = socket::validated_name(&args.tank)?;
        let config = join_config(&settings, name, guest_name(args.known_as.as_deref()), args.restricted)?;
        interactive::end(join::run(socket::connect(name)?, config)?)
    }

    /// How a session joins that is set up so.
    ///
    /// # Errors
    /// If standard output is no terminal.
    pub fn join_config(settings: &Settings, tank: &str, name: String, restricted: bool) -> Result<JoinConfig, Error> {
        Ok(JoinConfig {
            tank: tank.to_owned(),
            name,
            look: settings.look.clone(),
            terminal: interactive::open_options(&settings.terminal)?,
            fps: settings.fps.min(30),
            keymap: settings.keymap.clone(),
            tilt: settings.tilt,
            mouse: settings.terminal.mouse,
            hint: settings.hint,
            restricted,
        })
    }

    /// The name that is given, else that of the user.
    pub fn guest_name(given: Option<&str>) -> String {
        let user = || ["USER", "LOGNAME"].into_iter().find_map(|name| std::env::var(name).ok());
        GuestName::clean(&given.map(str::to_owned).or_else(user).unwrap_or_default()).to_string()
    }

    /// Becomes `ssh`, which runs `slosh join` there. Returns only if that failed.
    fn over_ssh(args: &JoinArgs, place: &str) -> Error {
        let (host, tank) = place.split_once('/').unwrap_or((place, socket::DEFAULT_NAME));
        let (host, port) = match host.rsplit_once(':') {
            Some((host, port)) if !host.ends_with(':') && !port.ends_with(']') => (host, Some(port)),
            _ => (host, None),
        };
        // What begins with a hyphen would be an option of ssh.
        let allowed = |c: char| c.is_ascii_alphanumeric() || "._-@[]:%".contains(c);
        let port_ok = port.is_none_or(|port| port.parse::<u16>().is_ok_and(|port| port > 0));
        if host.is_empty() || host.starts_with('-') || !host.chars().all(allowed) || !port_ok {
            return Error::Input(format!("{:?} is not as ssh://[USER@]HOST[:PORT][/NAME] must be", args.tank));
        }
        let tank = match socket::validated_name(tank) {
            Ok(tank) => tank,
            Err(error) => return error,
        };
        let mut remote = vec!["slosh".to_owned(), "join".to_owned(), tank.to_owned()];
        let name = guest_name(args.known_as.as_deref());
        remote.extend(["--as".to_owned(), name]);
        let flags = args.settings().into_iter();
        remote.extend(flags.filter_map(|flag| Some(format!("--{}={}", flag.bare_key()?, flag.as_flag_value()))));
        // The shell there takes the words apart again.
        let quoted: Vec<String> = remote.iter().map(|word| format!("'{}'", word.replace('\'', r"'\''"))).collect();
        let mut ssh = Command::new("ssh");
        ssh.arg("-t");
        if let Some(port) = port {
            ssh.args(["-p", port]);
        }
        let error = ssh.arg("--").arg(host.trim_matches(['[', ']'])).arg(quoted.join(" ")).exec();
        Error::Run(format!("ssh: {error}"))
    }
}
