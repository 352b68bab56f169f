#[cfg(not(unix))]
use crate::app::error::Error;
use crate::cli::args::PlayFlags;
use clap::Args;

/// Join a tank that `slosh host` runs
#[derive(Debug, Args)]
pub struct JoinArgs {
    /// Name of the tank, or ssh://HOST/NAME for a tank on another machine
    #[arg(value_name = "NAME", default_value = "tank")]
    pub tank: String,
    /// Your name in the tank: at most 16 letters, digits, - _ and .
    #[arg(long = "as", value_name = "NAME")]
    pub known_as: Option<String>,
    /// For accounts of strangers: run no program, and do not suspend. The name and the look come from the command given to ssh
    #[arg(long)]
    pub restricted: bool,
    #[command(flatten)]
    pub flags: PlayFlags,
}

#[cfg(not(unix))]
pub fn run<T>(_: &T) -> Result<(), Error> {
    Err(Error::Run("a shared tank needs Unix sockets, which slosh does not have on this system".to_owned()))
}

#[cfg(unix)]
pub use unix::{guest_name, join_config, run};

#[cfg(unix)]
mod unix {
    use crate::app::LookOptions;
    use crate::app::error::Error;
    use crate::app::host::socket;
    use crate::app::join::ssh::{self, SshAddress};
    use crate::app::session::interactive;
    use crate::app::shared_tank::GuestName;
    use crate::app::tank::remote::JoinConfig;
    use crate::cli::join::JoinArgs;
    use crate::cli::settings::{Settings, layers};
    use clap::{Args, Command, FromArgMatches};

    /// Upper limit on the frame rate that a guest requests, frames per second: a host draws each distinct view.
    const MAX_FPS: u32 = 30;

    pub fn run(args: &JoinArgs) -> Result<(), Error> {
        if args.tank.starts_with("ssh://") {
            if args.restricted {
                return Err(Error::Input("a restricted session joins tanks of this machine only".to_owned()));
            }
            return over_ssh(args);
        }
        let asked = if args.restricted { asked_by_ssh()? } else { None };
        // Settings of the account's command override those that a guest asks for.
        let settings = asked.iter().flat_map(|asked| asked.flags.settings()).chain(args.flags.settings()).collect();
        let settings = layers::settings(settings)?;
        let known_as = args.known_as.as_ref().or(asked.as_ref().and_then(|asked| asked.known_as.as_ref()));
        let name = socket::validated_name(&args.tank)?;
        let config = join_config(&settings, name, guest_name(known_as.map(String::as_str)), args.restricted)?;
        interactive::end(interactive::join(socket::connect(name)?, config)?)
    }

    /// Upper limit on the length of such a command, in bytes: more than all flags take.
    const MAX_ASKED: usize = 2000;

    /// Parses the command that `slosh join ssh://…` gives to ssh, which sshd passes in a variable when it runs the account's own
    /// command. Returns `None` for any other command, which has no effect.
    fn asked_by_ssh() -> Result<Option<JoinArgs>, Error> {
        let Ok(command) = std::env::var("SSH_ORIGINAL_COMMAND") else { return Ok(None) };
        let Some(words) = shlex::split(&command).filter(|_| command.len() <= MAX_ASKED) else { return Ok(None) };
        let [slosh, join, flags @ ..] = &*words else { return Ok(None) };
        if (slosh.as_str(), join.as_str()) != ("slosh", "join") {
            return Ok(None);
        }
        let parser = JoinArgs::augment_args(Command::new("join")).no_binary_name(true).disable_help_flag(true);
        let asked = parser.try_get_matches_from(flags).and_then(|matches| JoinArgs::from_arg_matches(&matches));
        let accepted = "this account accepts only `slosh join NAME`, --as and flags of the picture";
        asked.map(Some).map_err(|_| Error::Input(accepted.to_owned()))
    }

    pub fn join_config(settings: &Settings, tank: &str, name: String, restricted: bool) -> Result<JoinConfig, Error> {
        Ok(JoinConfig {
            tank: tank.to_owned(),
            name,
            look: LookOptions { fps: settings.look.fps.min(MAX_FPS), ..settings.look.clone() },
            controls: settings.controls.clone(),
            terminal: interactive::open_options(&settings.terminal, &settings.controls)?,
            restricted,
            invitation: None,
        })
    }

    pub fn guest_name(given: Option<&str>) -> String {
        let user = || ["USER", "LOGNAME"].into_iter().find_map(|name| std::env::var(name).ok());
        GuestName::clean(&given.map(str::to_owned).or_else(user).unwrap_or_default()).to_string()
    }

    /// Runs `slosh join` on another machine. Does not return if it ends with another exit code than 0.
    fn over_ssh(args: &JoinArgs) -> Result<(), Error> {
        let address = SshAddress::parse(&args.tank)?;
        let mut words = vec!["join".to_owned(), address.tank.clone()];
        words.extend(["--as".to_owned(), guest_name(args.known_as.as_deref())]);
        words.extend(args.flags.words());
        match ssh::play(&address, &words)? {
            0 => Ok(()),
            code => std::process::exit(code.into()),
        }
    }
}
