//! The command line from outside: the real program without a terminal.

use crate::program::{self, Finished, folder};
use std::fs;
use std::io::Read;
use std::process::{Command, Output, Stdio};

const COLUMNS: &str = "time,particles,kinetic,potential,momentum_x,momentum_y,com_x,com_y,max_speed,mean_speed,\
                       density_mean,density_max,front_x,surface_left,surface_mid,surface_right,\
                       divergence_max,divergence_before,nodes,springs,torn,elastic,energy,spread_x,spread_y,\
                       grid_pressure,interaction_radius,\
                       temperature,temperature_min,temperature_max,heat,heat_in,warm_mass,vapor,nusselt";

/// The last columns are empty in a tank without a temperature.
const OF_HEAT: usize = 8;

fn slosh(args: &str) -> Command {
    let mut command = program::slosh();
    command.args(args.split_whitespace()).stdin(Stdio::null());
    command
}

fn run(args: &str) -> Output {
    slosh(args).finished()
}

/// Standard output of a run that must succeed.
fn good(args: &str) -> Vec<u8> {
    let output = run(args);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "slosh {args}: {} with {complaint}", output.status);
    assert_eq!(complaint, "", "slosh {args}");
    output.stdout
}

fn good_text(args: &str) -> String {
    String::from_utf8(good(args)).expect("UTF-8")
}

/// Standard error of a run that must be refused, with no standard output.
fn refused(args: &str) -> String {
    let output = run(args);
    assert_eq!(output.status.code(), Some(2), "slosh {args}");
    assert_eq!(output.stdout, b"", "slosh {args}");
    String::from_utf8(output.stderr).expect("UTF-8")
}

#[test]
fn list_names_everything_in_plain_text() {
    let list = good_text("list");
    for name in ["dam", "circle", "drop", "zero-g", "fountain", "pegs", "hourglass"] {
        assert!(list.contains(&format!("\n  {name} ")), "{name} is not in\n{list}");
    }
    for name in ["water", "braille", "half", "quadrant", "sextant", "octant", "ascii", "speed", "pressure", "256"] {
        assert!(list.contains(&format!("\n  {name}")), "{name} is not in\n{list}");
    }
    assert!(!list.contains('\x1b'));
}

/// Velocities and pressures, on a grid and in a liquid.
#[test]
fn a_line_through_a_tank_has_pressures_wherever_it_has_velocities() {
    for scene in ["cavity --set smoke.cells=400", "karman --set smoke.cells=400", "dam --particles 300"] {
        let text = good_text(&format!("probe {scene} --seconds 0.2 --line x=0.3"));
        let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|row| row.split(',').collect()).collect();
        assert!(rows.len() > 20, "{scene}: {text}");
        let pressures = rows.iter().map(|row| row[4].parse::<f32>().unwrap_or_else(|_| panic!("{scene}: {row:?}")));
        let (least, most) = pressures.fold((f32::MAX, f32::MIN), |(a, b), p| (a.min(p), b.max(p)));
        assert!(most - least > 1e-4, "{scene}: from {least} to {most}");
    }
}

#[test]
fn a_users_scene_file_is_read_like_an_embedded_one() {
    let folder = folder("own-scene");
    let file = folder.join("my-scene.toml");
    fs::write(&file, "particles = 200\n\n[[liquid]]\nbox = [0, 0, 1, 0.5]\n").expect("written");
    let file = file.to_str().expect("UTF-8");
    let probe = good_text(&format!("probe {file} --seconds 0"));
    assert!(probe.lines().nth(1).expect("a row").starts_with("0.000000,200,"), "{probe}");

    fs::write(file, b"name = \"\xff\xfe\"").expect("written");
    assert!(refused(&format!("probe {file}")).contains("UTF-8"));
    fs::write(file, vec![b'#'; 2 << 20]).expect("written");
    assert!(refused(&format!("probe {file}")).contains("1 MiB"));
}

#[test]
fn probe_prints_its_columns_and_a_row_a_sample() {
    let probe = good_text("probe dam --particles 300 --seconds 1 --every 0.25");
    let mut lines = probe.lines();
    assert_eq!(lines.next(), Some(COLUMNS));
    let rows: Vec<Vec<f64>> =
        lines.map(|row| row.split(',').map(|field| field.parse().unwrap_or(f64::NAN)).collect()).collect();
    assert_eq!(rows.len(), 5);
    for (number, row) in rows.iter().enumerate() {
        assert_eq!(row.len(), COLUMNS.split(',').count());
        assert!((row[0] - 0.25 * number as f64).abs() < 1e-4, "sample {number} is of {}", row[0]);
        assert_eq!(row[1], 300.0);
        let (numbers, of_heat) = row.split_at(row.len() - OF_HEAT);
        assert!(numbers.iter().all(|value| value.is_finite()) && of_heat.iter().all(|value| value.is_nan()));
    }
    let (first, last) = (&rows[0], &rows[4]);
    assert!(
        first[2] == 0.0 && last[2] > 0.01,
        "the dam breaks: its kinetic energy goes from {} to {}",
        first[2],
        last[2]
    );
    assert!(last[3] < first[3], "and its potential energy falls");
    assert!(last[12] > first[12], "and its front runs");
    assert!(first[13] > 0.5 && first[15] == 0.0, "it began at the left wall");
    assert_eq!(good_text("probe --particles 50 --seconds 0").lines().count(), 2);
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let probe = |seed: u32| good(&format!("probe drop --particles 300 --seconds 1 --seed {seed}"));
    assert_eq!(probe(1), probe(1));
    assert_ne!(probe(1), probe(2));
    let render = |seed: u32| good(&format!("render drop --particles 300 --seconds 1 --seed {seed}"));
    assert_eq!(render(1), render(1));
}

#[test]
fn flags_reach_the_world() {
    let last = |args: &str| -> Vec<f64> {
        let probe = good_text(&format!("probe dam --particles 200 --seconds 1 --every 1 {args}"));
        let row = probe.lines().last().expect("a row");
        let fields = row.split(',').take(COLUMNS.split(',').count() - OF_HEAT);
        fields.map(|field| field.parse().expect("a number")).collect()
    };
    let plain = last("");
    let floating = last("--set gravity=0");
    assert_eq!(floating[3], 0.0, "without gravity there is no potential energy");
    // Surface tension and the walls change the free column slowly.
    assert!(floating[2] < 0.25 * plain[2], "without gravity little moves: {} against {}", floating[2], plain[2]);
    assert!(last("--tilt -90")[6] < plain[6], "tilted to the left the liquid stays left");
    assert_eq!(last("--at 0 tilt -90deg"), last("--tilt -90"), "degrees to the left, with their unit");
    assert_eq!(last("--tilt -90@1"), plain, "a tilt that comes at the end changes nothing");
    assert!(last("--size 20x40")[6] < plain[6], "a narrower window is a narrower tank");
}

#[test]
fn text_frames_are_rows_of_glyphs() {
    let frame = good_text("render dam --particles 800 --size 60x20 --seconds 3 --format text");
    assert_eq!(frame.lines().count(), 20);
    assert!(frame.lines().all(|row| row.chars().count() <= 60));
    assert!(!frame.contains('\x1b'));
    assert_eq!(frame.lines().next(), Some(""), "air above");
    let below = frame.lines().last().expect("a row");
    assert!(below.chars().count() == 60 && below.chars().all(|sign| "█▓▒".contains(sign)), "water below: {below}");

    let frames = good_text("render dam --particles 300 --size 30x10 --seconds 1 --frames 4 --format text");
    assert_eq!(frames.lines().count(), 40);
    let ascii = good_text("render dam --particles 300 --size 30x10 --format text --glyphs ascii");
    assert!(ascii.is_ascii() && ascii.trim() != "", "{ascii}");
}

/// Removes the colours from a line and asserts that no other sequences remain.
fn bare(line: &str) -> String {
    let mut bare = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('\x1b') {
        bare += &rest[..at];
        let (parameters, after) =
            rest[at..].strip_prefix("\x1b[").and_then(|rest| rest.split_once('m')).expect("a CSI m");
        assert!(parameters.chars().all(|c| c.is_ascii_digit() || c == ';'), "{parameters:?}");
        rest = after;
    }
    bare + rest
}

#[test]
fn ansi_frames_are_coloured_rows() {
    let frame = good_text("render dam --particles 800 --size 60x20 --seconds 2 --format ansi");
    assert_eq!(frame.lines().count(), 20);
    assert!(frame.lines().all(|line| line.ends_with("\x1b[0m") && bare(line).chars().count() == 60));
    assert!(frame.contains(";2;"), "truecolor where nothing is known of the reader");

    let of = |flags: &str| good_text(&format!("render dam --particles 300 --size 30x10 {flags}"));
    assert!(of("--color 256").contains(";5;") && !of("--color 256").contains(";2;"));
    let sixteen = of("--color 16");
    assert!(sixteen.contains("\x1b[0;") && !sixteen.contains(";5;") && !sixteen.contains(";2;"), "{sixteen:?}");
    let mono = of("--color mono");
    assert!(mono.lines().all(|line| bare(line).len() >= line.len() - "\x1b[0m".len()), "{mono:?}");
    assert!(bare(mono.lines().last().expect("a row")).contains(['█', '▓', '▒']));
    assert_ne!(of("--palette water"), of("--palette lava"));
    assert_ne!(of("--color-by density --seconds 0.5"), of("--color-by speed --seconds 0.5"));
    for glyphs in ["octant", "sextant", "quadrant", "half", "braille", "ascii"] {
        let frame = of(&format!("--glyphs {glyphs}"));
        assert!(frame.lines().all(|line| bare(line).chars().count() == 30), "{glyphs}");
    }
}

#[test]
fn no_color_applies_to_text_and_not_to_pictures() {
    let with = |args: &str| {
        let output = slosh(args).env("NO_COLOR", "1").finished();
        assert!(output.status.success());
        output.stdout
    };
    let render = "render dam --particles 300 --size 30x10";
    assert!(!String::from_utf8_lossy(&with(render)).contains(";2;"));
    assert!(String::from_utf8_lossy(&with(&format!("{render} --color truecolor"))).contains(";2;"));
    assert_eq!(with(&format!("{render} --format png")), good(&format!("{render} --format png")));
}

#[test]
fn pictures_are_of_8_by_16_pixels_a_cell() {
    let bytes = good("render dam --particles 300 --size 30x10 --format png");
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("a PNG file");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("a picture");
    assert_eq!((info.width, info.height), (240, 160));
    let blue = pixels.chunks(3).filter(|pixel| pixel[2] > 80 && pixel[2] > pixel[0]).count();
    assert!(blue > 240 * 160 / 10, "{blue} pixels are blue");
}

#[test]
fn frames_are_written_as_complete_files() {
    let folder = folder("frames").join("new");
    let path = folder.to_str().expect("UTF-8");
    let stdout = good(&format!("render circle --particles 200 --size 20x10 --seconds 1 --frames 3 --out {path}"));
    assert_eq!(stdout, b"");
    let mut names: Vec<_> =
        fs::read_dir(&folder).expect("the folder").map(|file| file.expect("a file").file_name()).collect();
    names.sort();
    assert_eq!(names, ["frame-0001.png", "frame-0002.png", "frame-0003.png"]);
    assert_ne!(fs::read(folder.join("frame-0001.png")).ok(), fs::read(folder.join("frame-0003.png")).ok());

    good(&format!("render circle --particles 200 --size 20x10 --seconds 1 --format text --out {path}"));
    let text = fs::read_to_string(folder.join("frame-0001.txt")).expect("a file");
    assert_eq!(text, good_text("render circle --particles 200 --size 20x10 --seconds 1 --format text"));
}

#[test]
fn a_folder_that_cannot_be_created_is_an_error() {
    let blocked = folder("blocked").join("file");
    fs::write(&blocked, "in the way").expect("written");
    let output = run(&format!("render dam --particles 50 --size 10x5 --out {}/frames", blocked.display()));
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("blocked"));
}

#[test]
fn a_closed_pipe_ends_the_writer_quietly() {
    for args in
        ["probe dam --particles 50 --seconds 600 --every 0.02", "render dam --particles 50 --frames 2000 --seconds 33"]
    {
        let mut child = slosh(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("slosh starts");
        let mut start = [0; 64];
        child.stdout.take().expect("a pipe").read_exact(&mut start).expect("some output");
        let output = program::finish(child);
        assert!(output.status.success(), "slosh {args}: {}", output.status);
        assert_eq!(output.stderr, b"", "slosh {args}");
    }
}

#[test]
fn every_window_from_the_smallest_is_drawn() {
    for size in ["1x1", "1x50", "200x1", "3x2"] {
        let (columns, rows) = size.split_once('x').expect("a size");
        let frame = good_text(&format!("render dam --particles 100 --seconds 0.2 --size {size}"));
        assert_eq!(frame.lines().count(), rows.parse::<usize>().expect("rows"));
        assert!(frame.lines().all(|line| bare(line).chars().count() == columns.parse::<usize>().expect("columns")));
    }
}

/// `-h` fits on a screen, and the lines of `--help` into a window of 100 columns, of every command.
#[test]
fn help_is_short_or_wrapped() {
    let help = good_text("-h");
    let (_, commands) = help.split_once("Commands: ").expect("a list of commands");
    let commands = commands.split("\n\n").next().expect("a paragraph").split([',', '\n']).map(str::trim);
    for command in [""].into_iter().chain(commands) {
        for (flag, lines) in [("-h", 25), ("--help", 160)] {
            let help = good_text(&format!("{command} {flag}"));
            let widest = help.lines().map(|line| line.chars().count()).max().expect("a line");
            assert!(widest <= 100 && help.lines().count() <= lines, "slosh {command} {flag}: {widest} columns\n{help}");
        }
    }
}

#[test]
fn a_bandwidth_may_have_a_unit() {
    assert!(good_text("config --bandwidth 1.5M").contains("--bandwidth 1.5M"));
}

#[test]
fn doctor_gives_reasons_to_scripts() {
    let json: serde_json::Value = serde_json::from_slice(&good("doctor --json")).expect("JSON");
    assert!(json.as_array().is_some_and(|all| all.iter().all(|one| one["because"].is_string())), "{json}");
}

#[test]
fn short_flags_equal_long_ones() {
    let long = good("render drop --particles 300 --palette lagoon --glyphs half --color-by speed --size 40x12");
    let short = good("render drop -n 300 -p lagoon -g half -c speed -s 40x12");
    assert!(long == short);
}

#[test]
fn help_ends_with_three_examples_that_run() {
    let help = good_text("--help");
    let (_, examples) = help.split_once("Examples:\n").expect("examples");
    let commands: Vec<&str> = examples.lines().filter(|line| !line.trim().is_empty()).collect();
    assert_eq!(commands.len(), 3, "{examples}");
    assert!(commands.iter().all(|line| line.trim_start().starts_with("slosh")), "{examples}");
    let render = commands.iter().find(|line| line.contains("render")).expect("one without a terminal");
    let folder = folder("example");
    let args: Vec<&str> = render.split_whitespace().skip(1).collect();
    let status = slosh("").args(args).args(["-n", "200"]).current_dir(&folder).status().expect("it starts");
    assert!(status.success() && folder.join("fountain.gif").exists(), "{render}");
}

#[test]
fn list_has_the_users_own_entries_as_text_and_as_json() {
    let home = folder("own-list");
    fs::create_dir_all(home.join("slosh/scenes")).expect("a folder");
    let pond = "about = \"Still\"\n[[liquid]]\nbox = [0, 0, 0.4, 0.4]\n";
    fs::write(home.join("slosh/scenes/pond.toml"), pond).expect("written");
    let settings = "[[palettes]]\nname = \"teal\"\nabout = \"Mine\"\ninherits = \"water\"\n\
                    [[themes]]\nname = \"nord\"\nabout = \"Mine, too\"\npalette = \"teal\"\n";
    fs::write(home.join("slosh/config.toml"), settings).expect("written");
    let list = |args: &str| {
        let output = slosh(args).env("XDG_CONFIG_HOME", &home).finished();
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let text = list("list");
    assert!(text.contains("Palettes, your own (--palette NAME)\n  teal              Mine\n\n"), "{text}");
    assert!(text.contains("Themes, your own (--theme NAME)\n  nord              Mine, too\n\n"), "{text}");

    let json: serde_json::Value = serde_json::from_str(&list("list --json")).expect("JSON");
    let entry = |list: &serde_json::Value, name: &str| {
        list.as_array().expect("a list").iter().find(|entry| entry["name"] == name).cloned().unwrap_or_default()
    };
    let own = serde_json::json!({ "name": "pond", "about": "Still", "yours": true });
    assert_eq!(json["scenes"][0]["group"], "yours");
    assert_eq!(entry(&json["scenes"][0]["scenes"], "pond"), own);
    assert_eq!(entry(&json["scenes"][1]["scenes"], "dam")["yours"], false);
    assert_eq!(entry(&json["palettes"], "teal")["yours"], true);
    let nords = json["themes"].as_array().expect("a list").iter().filter(|theme| theme["name"] == "nord");
    assert_eq!(nords.count(), 1, "a namesake replaces the embedded one");
    assert_eq!(entry(&json["themes"], "nord")["about"], "Mine, too");
    for key in ["fluids", "glyphs", "color-by", "colors"] {
        assert!(!json[key].as_array().expect("a list").is_empty(), "{key}");
    }
}

#[test]
fn scenes_in_the_configuration_folder_are_scenes_like_any_other() {
    let home = folder("own-scenes");
    let scenes = home.join("slosh/scenes");
    fs::create_dir_all(&scenes).expect("a folder");
    let with_own = |args: &str| slosh(args).env("XDG_CONFIG_HOME", &home).finished();
    let text = |output: &[u8]| String::from_utf8(output.to_vec()).expect("UTF-8");
    // The embedded file is printed unchanged.
    let embedded = text(&with_own("scene fountain").stdout);
    assert_eq!(embedded, slosh::scene::find("fountain").expect("embedded"));
    fs::write(scenes.join("my-well.toml"), embedded).expect("written");
    fs::write(scenes.join("broken.toml"), "gravity = \"much\"").expect("written");
    fs::write(scenes.join("notes.txt"), "no scene").expect("written");

    let list = text(&with_own("list").stdout);
    let own = list.split("\n\n").next().expect("a section");
    assert!(own.starts_with("Scenes, your own (in ") && own.contains("  my-well "), "{own}");
    assert!(own.contains("broken") && own.contains("broken.toml:1") && !own.contains("notes"), "{own}");
    let probe = with_own("render my-well --seconds 0.1 --size 20x6 --format text");
    assert!(probe.status.success(), "{}", text(&probe.stderr));
    assert_eq!(text(&with_own("scene my-well").stdout), slosh::scene::find("fountain").expect("embedded"));

    for (args, parts) in [
        ("render broken --seconds 0.1", &["broken.toml:1", "`gravity`"][..]),
        ("scene my-wel", &["unknown scene", "did you mean my-well"]),
        ("scene nowhere-near", &["unknown scene", "`slosh list` shows all"]),
    ] {
        let output = with_own(args);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args}: {message}");
        assert!(parts.iter().all(|part| message.contains(part)), "{args}: {message}");
    }
    let mut asked = slosh("-- slosh my-w");
    asked.envs([("SLOSH_COMPLETE", "elvish"), ("_CLAP_COMPLETE_INDEX", "1"), ("_CLAP_IFS", "\n")]);
    let answer = asked.env("XDG_CONFIG_HOME", &home).finished();
    assert_eq!(text(&answer.stdout).trim(), "my-well");
}

#[test]
fn a_species_in_the_configuration_folder_is_one_like_any_other() {
    let home = folder("own-species");
    let scenes = home.join("slosh/scenes");
    fs::create_dir_all(&scenes).expect("a folder");
    let with_own = |args: &str| slosh(args).env("XDG_CONFIG_HOME", &home).finished();
    let text = |output: &[u8]| String::from_utf8(output.to_vec()).expect("UTF-8");
    let species = "name = \"koi\"\nlength = 0.3\n[[part]]\ndisc = [0, 0, 0.25]\ncolor = \"#ff8040\"\n";
    let scene = "particles = 400\n[[liquid]]\nbox = [0, 0, 1, 0.8]\n[[fish]]\nspecies = \"koi\"\ncount = 2\n";
    fs::write(scenes.join("koi.species.toml"), species).expect("written");
    fs::write(scenes.join("pond.toml"), scene).expect("written");
    let probe = with_own("probe pond --seconds 0.1 --every 0.1");
    assert!(probe.status.success(), "{}", text(&probe.stderr));
    let table = text(&probe.stdout);
    let columns: Vec<&str> = table.lines().next().expect("a head").split(',').collect();
    let fish = columns.iter().position(|name| *name == "fish").expect("a column of fish");
    assert_eq!(table.lines().nth(1).and_then(|row| row.split(',').nth(fish)), Some("2"), "{table}");
    let list = text(&with_own("list").stdout);
    assert!(list.contains("pond") && !list.contains("koi.species"), "{list}");
    fs::write(scenes.join("koi.species.toml"), species.replace("0.3", "30")).expect("written");
    let message = text(&with_own("probe pond --seconds 0.1").stderr);
    assert!(message.contains("koi.species.toml:2") && message.contains("`length`"), "{message}");
}
