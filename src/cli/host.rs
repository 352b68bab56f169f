use crate::app::shared_tank::Permissions;
use crate::cli::args::scene::SceneArgs;
use crate::cli::args::setting_flags::SettingFlags;
use crate::cli::args::toy::ShowArgs;
use crate::cli::settings::table::group;
use crate::data::Setting;
use clap::{Args, Subcommand};

/// Run a shared tank that others join with `slosh join`, on this machine or over ssh
///
/// In a terminal it is also a session on that tank, and ends with it. Without a terminal it runs until it is stopped.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct HostArgs {
    #[command(subcommand)]
    pub command: Option<HostCommand>,
    #[command(flatten)]
    pub scene: SceneArgs,
    /// Name of the tank for slosh join
    #[arg(long, value_name = "NAME", default_value = "tank")]
    pub name: String,
    /// Also let the users of this group join
    #[arg(long, value_name = "GROUP")]
    pub group: Option<String>,
    /// Aspect of the tank, width over height, whatever the windows of the guests are [default: the scene's own, else 2.4]
    #[arg(long, value_name = "RATIO")]
    pub aspect: Option<f32>,
    /// Permissions of guests: names separated by commas, all or none. Watching is always allowed; all does not include copy
    #[arg(long, value_name = "LIST", default_value = "all")]
    pub allow: Permissions,
    /// Your name as a guest
    #[arg(long = "as", value_name = "NAME")]
    pub known_as: Option<String>,
    /// Do not join in this terminal
    #[arg(long)]
    pub no_session: bool,
    #[command(flatten)]
    pub show: ShowArgs,
    #[command(flatten)]
    saver: SettingFlags<{ group::SAVER }>,
}

#[derive(Debug, Subcommand)]
pub enum HostCommand {
    /// Remove a guest from a tank that you host
    Kick {
        /// Name of the guest
        #[arg(value_name = "NAME")]
        guest: String,
        /// Name of the tank
        #[arg(long = "name", value_name = "NAME", default_value = "tank")]
        tank: String,
    },
}

impl HostArgs {
    pub fn settings(&self) -> Vec<Setting> {
        [self.scene.flags.settings(), self.show.flags.settings(), self.saver.settings()].concat()
    }
}

#[cfg(not(unix))]
pub use crate::cli::join::run;

#[cfg(unix)]
pub use unix::run;

#[cfg(unix)]
mod unix {
    use crate::app::Options;
    use crate::app::error::Error;
    use crate::app::host::server::Server;
    use crate::app::host::socket::{self, Socket};
    use crate::app::join::connection::HostConnection;
    use crate::app::record::WriteOptions;
    use crate::app::session::interactive;
    use crate::app::shared_tank::recording::TankRecorder;
    use crate::app::shared_tank::view::{RecordedView, WINDOW};
    use crate::app::shared_tank::{DEFAULT_ASPECT, SharedTank, TankConfig};
    use crate::cli::host::{HostArgs, HostCommand};
    use crate::cli::join::{guest_name, join_config};
    use crate::cli::launch;
    use crate::cli::settings::Settings;
    use crate::term::sanitize;
    use crate::term::tty::signals::Signals;
    use std::io::{self, ErrorKind, IsTerminal, Read, Write};
    use std::os::fd::AsFd;
    use std::os::unix::net::UnixStream;
    use std::time::Instant;

    pub fn run(args: &HostArgs) -> Result<(), Error> {
        if let Some(HostCommand::Kick { guest, tank }) = &args.command {
            let answer = HostConnection::open(socket::connect_as_host(tank)?, tank)?.kick(guest)?;
            return Ok(writeln!(io::stdout(), "{}", sanitize::message(&answer))?);
        }
        let (settings, options) = launch::scene_options(&args.scene, args.settings())?;
        let (tank, recorder) = tank(args, &settings, &options)?;
        let socket = Socket::open(&args.name, args.group.as_deref())?;
        let alone = args.no_session || !io::stdout().is_terminal();
        let mut server = Server::new(tank, recorder, settings.threads_or_suitable(), alone, Instant::now())?;
        server.bandwidth = settings.terminal.bandwidth;
        server.palettes.clone_from(&settings.look.palettes);
        if alone { serve(server, socket) } else { serve_and_join(args, &settings, server, socket) }
    }

    fn tank(
        args: &HostArgs,
        settings: &Settings,
        options: &Options,
    ) -> Result<(SharedTank, Option<TankRecorder>), Error> {
        let simulation = &options.simulation;
        let config = TankConfig {
            scene: options.first,
            scenes: options.scenes.clone(),
            aspect: args.aspect.unwrap_or(DEFAULT_ASPECT),
            overrides_aspect: args.aspect.is_some(),
            allow: args.allow,
            seed: settings.seed_or_random(),
            particles: simulation.particles,
            threads: simulation.threads,
            instructions: simulation.instructions,
            idle: options.saver.idle.map(|idle| idle.as_secs_f32()),
            reduced_motion: options.saver.reduced_motion,
        };
        let mut tank = SharedTank::new(config)?;
        let Some(path) = &args.show.record else { return Ok((tank, None)) };
        let write = WriteOptions { force: args.show.force, live: true, ..WriteOptions::default() };
        let view = RecordedView { look: options.look.clone(), settings: options.settings_file.clone(), window: WINDOW };
        let recorder = TankRecorder::begin(path, write, &mut tank, &view)?;
        Ok((tank, Some(recorder)))
    }

    fn serve_and_join(args: &HostArgs, settings: &Settings, mut server: Server, socket: Socket) -> Result<(), Error> {
        let mut config = join_config(settings, &args.name, guest_name(args.known_as.as_deref()), false)?;
        let is_default = args.name == socket::DEFAULT_NAME;
        config.invitation =
            Some(if is_default { "slosh join".to_owned() } else { format!("slosh join {}", args.name) });
        let (ours, theirs) = UnixStream::pair()?;
        let (wake, until) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        let (served, played) = std::thread::scope(|scope| {
            // A recorder cannot move to another thread, so the session runs there.
            let play = move || {
                let played = interactive::join(ours, config);
                drop(until);
                played
            };
            let session = std::thread::Builder::new().name("session".to_owned()).spawn_scoped(scope, play)?;
            server.add(theirs, true, Instant::now());
            let has_ended = || !matches!((&wake).read(&mut [0]), Err(error) if error.kind() == ErrorKind::WouldBlock);
            let served = server.serve(&socket, &wake, has_ended);
            drop(server);
            let played = session.join().unwrap_or_else(|_| Err(Error::Run("the session has failed".to_owned())));
            Ok::<_, Error>((served, played))
        })?;
        // If the host failed, its error is the cause and is reported first.
        served?;
        let signal = played?;
        drop(socket);
        interactive::end(signal)
    }

    fn serve(mut server: Server, socket: Socket) -> Result<(), Error> {
        let mut signals = Signals::watch()?;
        let wake = signals.as_fd().try_clone_to_owned()?;
        writeln!(io::stdout(), "{}", socket.guests.path.display())?;
        io::stdout().flush()?;
        let mut ended = None;
        server.serve(&socket, wake, || {
            ended = signals.take_ending().next();
            ended.is_some()
        })?;
        drop(socket);
        interactive::end(ended)
    }
}
