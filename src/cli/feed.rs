use crate::app::error::Error;
use crate::app::tank::feed::FeedReader;
use crate::cli::args::scene::SceneArgs;
use crate::cli::args::toy::ShowArgs;
use crate::cli::launch;
use crate::scene::Scene;
use crate::scene::feed::FeedDef;
use clap::Args;
use std::io::{self, IsTerminal};

/// The scene that numbers drive if none is named.
const SCENE: &str = "spectrum";

/// Let numbers on standard input drive a scene: cava -p raw.conf | slosh feed
///
/// Lines of numbers between blanks, commas or semicolons, or JSON. The scene says what they drive (`[[feed]]`, as in the scenes
/// levels and spectrum), or --to. Without a scene, spectrum plays. Keys work as in the toy.
#[derive(Debug, Args)]
#[command(mut_arg("scene", |arg| arg.help("The scene: a name, or a file such as my-scene.toml [default: spectrum]")))]
pub struct FeedArgs {
    #[command(flatten)]
    pub scene: SceneArgs,
    /// Use this column, from 1 on; may be repeated [default: all of them]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub column: Vec<u16>,
    /// Use this key of lines of JSON; may be repeated
    #[arg(long, value_name = "KEY", conflicts_with = "column")]
    pub key: Vec<String>,
    /// Drive this parameter, as inlet.0.speed or gravity; may be repeated, for one column or key each
    #[arg(long, value_name = "PARAMETER")]
    pub to: Vec<String>,
    /// Numbers that become the ends of the range, as 0,100 [default: 0 and the largest so far]
    #[arg(long, value_name = "A,B", value_parser = pair, allow_hyphen_values = true)]
    pub from: Option<[f32; 2]>,
    /// Values that the parameter takes, as 0,2 [default: all that it can have]
    #[arg(long, value_name = "A,B", value_parser = pair, allow_hyphen_values = true)]
    pub range: Option<[f32; 2]>,
    /// Seconds in which values follow, 0 to 60
    #[arg(long, value_name = "SECONDS")]
    pub smooth: Option<f32>,
    #[command(flatten)]
    pub show: ShowArgs,
}

pub fn run(args: &FeedArgs) -> Result<(), Error> {
    let mut scene = args.scene.clone();
    if scene.flags.value("scene").is_none() {
        scene.flags.set("scene", SCENE);
    }
    let flags = [scene.flags.settings(), args.show.flags.settings()].concat();
    let (settings, mut options) = launch::scene_options(&scene, flags)?;
    let Scene { name, feed, world, .. } = &mut options.scenes[options.first];
    bind(feed, args);
    for feed in &*feed {
        feed.validated(world).map_err(|(key, wrong)| Error::Input(format!("--{key}: {wrong}")))?;
    }
    if feed.is_empty() {
        return Err(Error::Input(format!(
            "{name} has no [[feed]]: give --to PARAMETER, as --to gravity, or play levels"
        )));
    }
    if io::stdin().is_terminal() {
        let message = "standard input is a terminal: pipe numbers in, as in `vmstat 1 | slosh feed --column 13`";
        return Err(Error::Input(message.to_owned()));
    }
    options.feed = Some(FeedReader::new(args.column.iter().map(|&column| column.into()).collect()));
    options.saver.idle = None;
    launch::show(&settings, options, &args.show)
}

/// Applies the flags to what the scene binds.
fn bind(feed: &mut Vec<FeedDef>, args: &FeedArgs) {
    if !args.to.is_empty() {
        let def = |to: &String| FeedDef { to: to.clone(), smooth: 0.1, ..FeedDef::default() };
        *feed = args.to.iter().map(def).collect();
    }
    let is_spread = |def: &FeedDef| def.to.contains('*') && def.column.is_none() && def.key.is_none();
    for (number, def) in feed.iter_mut().enumerate() {
        if !is_spread(def) {
            def.column = args.column.get(number).map(|&column| column.into()).or(def.column).or(Some(number + 1));
        }
        def.key = args.key.get(number).cloned().or(def.key.take());
        (def.from, def.range) = (args.from.or(def.from), args.range.or(def.range));
        def.smooth = args.smooth.map_or(def.smooth, |smooth| smooth.clamp(0.0, 60.0));
    }
}

fn pair(text: &str) -> Result<[f32; 2], String> {
    let numbers = text.split_once(',').and_then(|(a, b)| Some([a.trim().parse().ok()?, b.trim().parse().ok()?]));
    numbers
        .filter(|pair: &[f32; 2]| pair.iter().all(|it| it.is_finite()))
        .ok_or_else(|| "must be two numbers, as 0,100".to_owned())
}
