//! Settings: layers, their result, and `slosh config`.

use crate::program::{self, Finished};
#[cfg(unix)]
use crate::pty::Setup;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Color;
use slosh::app::LookOptions;
use slosh::app::action::{Action, TerminalCaps};
use slosh::cli::settings::layers::Sources;
use slosh::cli::settings::table::SETTINGS;
use slosh::cli::settings::{Settings, theme};
use slosh::data::Setting;
use slosh::scene::Scene;
use slosh::sim::parallel::instructions::Instructions;
use slosh::sim::{World, WorldOptions};
use slosh::view::camera::CELL_PIXELS;
use slosh::view::{Background, Camera, ColorBy, ColorDepth, GlyphMode, LiquidStyle, Painter, Rgb, palette};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

fn sources(file: &str, variables: &[(&str, &str)], flags: &[(&str, &str)]) -> Sources {
    Sources {
        file: Some(("config.toml".to_owned(), file.to_owned())),
        variables: variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        flags: flags.iter().map(|(key, value)| Setting::with_origin(key, value, &format!("--{key} {value}"))).collect(),
    }
}

fn flags(flags: &[(&str, &str)]) -> Settings {
    sources("", &[], flags).settings().expect("good flags")
}

#[test]
fn without_settings_terminal_and_scene_decide() {
    let settings = Sources::default().settings().expect("no settings are valid");
    assert_eq!((settings.look.glyphs, &settings.look.palette, settings.terminal.color), (None, &None, None));
    assert_eq!((settings.scene.as_str(), settings.particles, settings.seed), ("dam", None, None));
    assert_eq!(
        (settings.look.fps, settings.controls.mouse, settings.saver.reduced_motion, settings.saver.idle),
        (60, true, false, Some(std::time::Duration::from_secs(8)))
    );
}

#[test]
fn a_later_layer_overrides_earlier_ones() {
    let file = "glyphs = \"braille\"\npalette = \"lava\"\ncolor = 256\nfps = 24\n[keys]\npause = \"y\"\n";
    let variables = [("SLOSH_GLYPHS", "ascii"), ("SLOSH_COLOR_BY", "pressure"), ("SLOSH_FPS", "")];
    let settings = sources(file, &variables, &[("color-by", "speed")]).settings().expect("good layers");
    assert_eq!(settings.look.glyphs, Some(GlyphMode::Ascii), "a variable overrides the file");
    assert_eq!(settings.look.color_by, ColorBy::Speed, "a flag overrides a variable");
    assert_eq!(settings.look.fps, 24, "an empty variable is ignored");
    assert_eq!(
        (settings.look.palette.as_ref(), settings.terminal.color),
        (palette::find("lava"), Some(ColorDepth::Ansi256))
    );
    let keys: Vec<String> = settings.controls.keymap.combos(Action::Pause).map(|chord| chord.to_string()).collect();
    assert_eq!(keys, ["y"]);
}

#[test]
fn auto_restores_the_default() {
    let file = "glyphs = \"half\"\npalette = \"lava\"\ncolor = \"mono\"\nseed = 3\nparticles = 99";
    let auto = ["glyphs", "palette", "color", "seed", "particles"].map(|key| (key, "auto"));
    let settings = sources(file, &[], &auto).settings().expect("good layers");
    assert_eq!((settings.look.glyphs, settings.look.palette, settings.terminal.color), (None, None, None));
    assert_eq!((settings.seed, settings.particles), (None, None));
}

#[test]
fn a_random_seed_can_be_given_as_a_setting() {
    // Half of all 64-bit numbers are beyond TOML's range.
    for _ in 0..64 {
        let seed = flags(&[]).seed_or_random();
        assert_eq!(flags(&[("seed", &seed.to_string())]).seed, Some(seed));
    }
}

#[test]
fn vector_instructions_are_set_by_name() {
    assert_eq!(flags(&[]).instructions, Instructions::Best);
    for instructions in Instructions::ALL {
        let settings = sources("", &[("SLOSH_SIMD", instructions.name())], &[]).settings();
        match instructions.available() {
            true => assert_eq!(settings.expect("the machine has them").instructions, instructions),
            false => assert!(settings.expect_err("it has none").to_string().contains("this machine does not have")),
        }
    }
    let home = home("simd");
    for command in ["", "probe dam --seconds 0.02", "render dam --seconds 0.02", "bench --particles 100"] {
        let output = slosh(&home, command, &[("SLOSH_SIMD", "mmx")]);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{command}: {error}");
        assert_eq!(error.lines().count(), 1, "{command}: {error}");
        assert!(error.contains("SLOSH_SIMD=mmx") && error.contains("avx2"), "{command}: {error}");
    }
}

#[test]
fn every_name_that_is_listed_is_found() {
    for glyphs in GlyphMode::ALL {
        assert_eq!(flags(&[("glyphs", glyphs.name())]).look.glyphs, Some(glyphs));
    }
    for name in palette::names().iter().copied() {
        assert_eq!(flags(&[("palette", name)]).look.palette.expect("a palette").name(), name);
    }
    for depth in ColorDepth::ALL {
        assert_eq!(flags(&[("color", depth.name())]).terminal.color, Some(depth));
    }
    for drive in ColorBy::ALL {
        assert_eq!(flags(&[("color-by", drive.name())]).look.color_by, drive);
    }
}

#[test]
fn errors_name_file_line_key_and_advice() {
    let files = [
        "\n\npalete = \"lava\"",
        "fps = \"many\"",
        "# fast\nfps = 1000",
        "reduced-motion = \"yes\"",
        "scene = 3",
        "glyphs = \"octnt\"",
        "color = 257",
        "idle = -1",
        "seed = 1.5",
        "particles = 0",
        "[keys]\npuase = \"y\"",
        "[keys]\npause = \"hyper+y\"",
        "keys = 3",
        "fps = = 3",
        "[[palettes]]\nname = \"x\"\ninherits = \"dsuk\"",
        "[[palettes]]\nname = \"x\"",
        "background = \"blue\"",
        "theme = \"papr\"",
        "\n[[themes]]\nname = \"a\"\ncolour = 3",
        "[[themes]]\nname = \"a\"\ninherits = \"b\"\n[[themes]]\nname = \"b\"\ninherits = \"a\"",
        "[[themes]]\nname = \"a\"\ninherits = \"a\"",
        "theme = \"a\"\n[[themes]]\nname = \"a\"\npalette = \"lva\"",
        "overlay = [\"red\", \"#000000\"]",
        "overlay = \"#000000\"",
    ];
    let with_error = |file| format!("{file}\n→ {}\n", sources(file, &[], &[]).settings().expect_err(file));
    insta::assert_snapshot!("errors_of_settings", files.map(with_error).join("\n"));
    let error = sources("", &[("SLOSH_FPS", "fast")], &[]).settings().expect_err("no number").to_string();
    assert!(error.contains("SLOSH_FPS=fast") && error.contains("1 to 240"), "{error}");
}

/// It may belong to another version, so every command starts, and two of them say that it is unknown.
#[test]
fn an_unknown_variable_is_a_warning() {
    let home = home("unknown-variable");
    let variable = [("SLOSH_PALETT", "lava")];
    assert!(slosh(&home, "list", &variable).status.success());
    for command in ["config", "doctor"] {
        let output = slosh(&home, command, &variable);
        let told = String::from_utf8_lossy(&output.stdout);
        let line = told.lines().find(|line| line.contains("SLOSH_PALETT")).unwrap_or_default();
        assert!(output.status.success() && line.contains("did you mean SLOSH_PALETTE?"), "{command}: {told}");
    }
}

/// Runs `slosh` with a home of its own under the tests' folder.
fn slosh(home: &Path, args: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = program::slosh();
    command.args(args.split_whitespace()).stdin(Stdio::null());
    command.env_remove("XDG_CONFIG_HOME").env("HOME", home).envs(variables.iter().copied());
    command.finished()
}

fn home(name: &str) -> PathBuf {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&home);
    fs::create_dir_all(&home).expect("a folder");
    home
}

fn said(output: &Output) -> String {
    String::from_utf8([&output.stdout[..], &output.stderr[..]].concat()).expect("UTF-8")
}

#[test]
fn config_init_writes_a_file_that_changes_nothing_and_no_second_one() {
    let home = home("config-init");
    let xdg = home.join("xdg");
    let variables = [("XDG_CONFIG_HOME", xdg.to_str().expect("UTF-8"))];
    let before = said(&slosh(&home, "config", &variables));
    assert!(slosh(&home, "config --init", &variables).status.success());
    let file = xdg.join("slosh/config.toml");
    let text = fs::read_to_string(&file).expect("the file");
    for spec in SETTINGS {
        let line = format!("# {} = {}", spec.name, spec.default);
        assert!(text.lines().any(|written| written == line), "{line} is not in\n{text}");
    }
    let after = said(&slosh(&home, "config", &variables));
    assert_eq!(before.lines().skip(1).collect::<Vec<_>>(), after.lines().skip(1).collect::<Vec<_>>());

    fs::write(&file, "palette = \"lava\"\n").expect("written");
    let again = slosh(&home, "config --init", &variables);
    assert_eq!(again.status.code(), Some(2));
    assert!(said(&again).contains("config.toml exists") && said(&again).contains("--force"), "{}", said(&again));
    assert_eq!(fs::read_to_string(&file).expect("the file"), "palette = \"lava\"\n");
    assert!(slosh(&home, "config --init --force", &variables).status.success());
    assert_eq!(fs::read_to_string(&file).expect("the file"), text);

    // Uncommenting every line changes nothing: the lines show the values in force.
    let alive: String = text.lines().map(|line| format!("{}\n", line.strip_prefix("# ").unwrap_or(line))).collect();
    let keys = alive.lines().filter(|line| line.contains(" = ") || line.starts_with('['));
    fs::write(&file, keys.map(|line| format!("{line}\n")).collect::<String>()).expect("written");
    let alive = slosh(&home, "config", &variables);
    assert!(alive.status.success(), "{}", said(&alive));
    let values = |text: &str| -> Vec<String> {
        let lines = text.lines().skip(1).filter_map(|line| line.rsplit_once(" # "));
        lines.map(|(value, _)| value.trim_end().to_owned()).collect()
    };
    assert_eq!(values(&said(&alive)), values(&before));
}

#[test]
fn config_shows_values_in_force_and_their_origins() {
    let home = home("config-origins");
    fs::create_dir_all(home.join(".config/slosh")).expect("a folder");
    let file = home.join(".config/slosh/config.toml");
    fs::write(&file, "palette = \"lava\"\nfps = 24\ncolor-by = \"speed\"\n\n[keys]\nquit = \"f10\"\n")
        .expect("written");
    let output = slosh(&home, "config circle --color-by pressure --reduced-motion", &[("SLOSH_FPS", "12")]);
    let text = said(&output);
    for (value, origin) in [
        ("scene = \"circle\"", "the command line".to_owned()),
        ("palette = \"lava\"", format!("{}:1", file.display())),
        ("fps = 12", "SLOSH_FPS=12".to_owned()),
        ("color-by = \"pressure\"", "--color-by pressure".to_owned()),
        ("reduced-motion = true", "--reduced-motion".to_owned()),
        ("glyphs = \"auto\"", "default".to_owned()),
        ("quit = [\"f10\"]", format!("{}:6", file.display())),
        ("help = [\"?\", \"f1\"]", "default".to_owned()),
    ] {
        let line = text.lines().find(|line| line.starts_with(value)).unwrap_or_else(|| panic!("no {value} in\n{text}"));
        assert!(line.ends_with(&format!("# {origin}")), "{line} is not from {origin}");
    }
    // Its output is a file with the same effect.
    let copy = home.join("copy.toml");
    fs::write(&copy, &text).expect("written");
    let read = said(&slosh(&home, "config", &[("SLOSH_CONFIG", copy.to_str().expect("UTF-8"))]));
    assert!(read.contains("palette = \"lava\"") && read.contains(&format!("{}:7", copy.display())), "{read}");
}

#[test]
fn config_refuses_a_scene_that_the_toy_refuses() {
    let home = home("config-scene");
    let file = home.join("config.toml");
    fs::write(&file, "fps = 24\nscene = \"fountian\"\n").expect("written");
    let output = slosh(&home, "config", &[("SLOSH_CONFIG", file.to_str().expect("UTF-8"))]);
    let expected = format!("{}:2: unknown scene \"fountian\"; did you mean fountain", file.display());
    assert!(output.status.code() == Some(2) && said(&output).contains(&expected), "{}", said(&output));
    assert_eq!(slosh(&home, "config dam --set gravtiy=1", &[]).status.code(), Some(2));
}

#[test]
fn the_settings_reach_every_command() {
    let home = home("config-reach");
    fs::create_dir_all(home.join(".config/slosh")).expect("a folder");
    let file = home.join(".config/slosh/config.toml");
    let render = "render --size 20x8 --seconds 0.2 --format text";
    fs::write(&file, "scene = \"circle\"\nparticles = 150\nglyphs = \"ascii\"\n").expect("written");
    let plain = said(&slosh(&home, &format!("{render} circle --particles 150 --glyphs ascii"), &[]));
    assert_eq!(said(&slosh(&home, render, &[])), plain);
    assert!(plain.is_ascii() && !said(&slosh(&home, &format!("{render} --glyphs half"), &[])).is_ascii());
    let probe = said(&slosh(&home, "probe dam --seconds 0", &[]));
    assert!(probe.lines().nth(1).expect("a row").starts_with("0.000000,150,"), "{probe}");

    fs::write(&file, "scene = \"crcle\"\n").expect("written");
    for args in ["render", "probe", ""] {
        let output = slosh(&home, args, &[]);
        assert_eq!(output.status.code(), Some(2), "slosh {args}");
        assert!(said(&output).contains("config.toml:1") && said(&output).contains("did you mean circle, "));
    }
}

#[test]
fn a_users_palettes_can_inherit() {
    let file = "palette = \"dusk at home\"\nbackground = \"#101018\"\n\
                [[palettes]]\nname = \"dusk at home\"\ninherits = \"dusk\"\nfoam = \"#ff8800\"\n\
                [[palettes]]\nname = \"water\"\ninherits = \"deep\"\n";
    let settings = sources(file, &[], &[]).settings().expect("good");
    let own = settings.look.palette.as_ref().expect("chosen");
    let dusk = palette::find("dusk").expect("embedded");
    assert_eq!((own.name(), own.deep, own.at(0.5)), ("dusk at home", dusk.deep, dusk.at(0.5)));
    assert_ne!(own.foam, dusk.foam);
    assert_eq!(
        settings.look.palettes.iter().filter(|palette| palette.name() == "water").count(),
        1,
        "the user's own replaces it"
    );
    assert_eq!(settings.look.palettes.len(), palette::embedded().len() + 1);
}

/// All of the liquid is a second fluid here, and so is its spray.
#[test]
fn a_users_palettes_colour_every_fluid() {
    let file = "[[palettes]]\nname = \"mine\"\ninherits = \"water\"\nstops = [\"#400000\", \"#ff2010\"]\n\
                deep = \"#300000\"\nfoam = \"#ff4030\"\nwall = \"#800000\"\n";
    let look = sources(file, &[], &[]).settings().expect("good").look;
    let text =
        "[fluid]\npreset = \"water\"\n[[liquid]]\nbox = [0, 0, 0.4, 0.9]\nfluid = \"water\"\npalette = \"mine\"\n";
    let scene = Scene::parse(text, "second.toml").expect("a scene").world;
    let area = Rect::new(0, 0, 60, 20);
    let aspect = Camera::aspect(area, CELL_PIXELS);
    let mut world = World::new(&scene, &WorldOptions { aspect, seed: 1, ..WorldOptions::default() });
    (0..90).for_each(|_| world.step());
    assert!(world.specks().len() > 20, "{} specks", world.specks().len());
    for liquid_style in [LiquidStyle::Surface, LiquidStyle::Particles] {
        let style = LookOptions { liquid_style, ..look.clone() }.style(&TerminalCaps::default());
        let mut buf = Buffer::empty(area);
        Painter::default().paint(&world, &style, CELL_PIXELS, area, &mut buf);
        let colors = buf.content.iter().flat_map(|cell| [cell.fg, cell.bg]);
        let channels =
            colors.filter_map(|color| if let Color::Rgb(red, _, blue) = color { Some((red, blue)) } else { None });
        let (red, blue): (Vec<_>, Vec<_>) =
            channels.filter(|(red, blue)| red != blue).partition(|(red, blue)| red > blue);
        assert!(red.len() > 200 && blue.is_empty(), "{liquid_style:?}: {} red, {} blue", red.len(), blue.len());
    }
}

/// The tour goes without a scene of the user's own that names a palette which does not exist, and says so.
#[cfg(unix)]
#[test]
fn a_scene_of_the_tour_with_an_unknown_palette_is_named() {
    let home = program::folder("own-palette");
    let scenes = home.join("slosh/scenes");
    fs::create_dir_all(&scenes).expect("a folder");
    fs::write(scenes.join("mine.toml"), "[[liquid]]\nbox = [0, 0, 1, 0.3]\npalette = \"wather\"\n").expect("written");
    let setup = Setup::new([program::SLOSH, "dam", "--particles", "100"]).size(100, 30);
    let mut pty = setup.var("XDG_CONFIG_HOME", home.to_str().expect("UTF-8")).start();
    let shown = pty.pump_until(program::SOON, |pty| pty.screen().contents().contains("unknown palette \"wather\""));
    assert!(shown && pty.screen().contents().contains("mine.toml:3"), "{}", pty.screen().contents());
    pty.send(b"q");
    pty.assert_ends(program::SOON, 0);
}

#[test]
fn a_theme_sets_several_values_and_each_can_be_overridden() {
    let paper = flags(&[("theme", "paper")]);
    assert_eq!(
        (paper.look.palette.as_ref(), paper.look.background),
        (palette::find("paper"), Background::Painted(Rgb(251, 248, 241)))
    );
    assert_eq!(paper.look.overlay, Some([Rgb(43, 42, 40), Rgb(238, 232, 218)]));
    let teletype = flags(&[("theme", "teletype"), ("palette", "lava")]);
    assert_eq!((teletype.look.glyphs, teletype.look.palette.as_ref()), (Some(GlyphMode::Ascii), palette::find("lava")));
    assert_eq!(teletype.look.overlay, paper.look.overlay, "from the theme that it inherits from");

    let file = "theme = \"mine\"\nglyphs = \"half\"\n[[themes]]\nname = \"mine\"\ninherits = \"phosphor\"\n\
                overlay = [\"#ffffff\", \"#000000\"]\n[[themes]]\nname = \"more\"\ninherits = \"mine\"\npalette = \"ice\"\n";
    let of =
        |variables: &[(&str, &str)], flags: &[(&str, &str)]| sources(file, variables, flags).settings().expect("good");
    let mine = of(&[], &[]);
    assert_eq!(
        (mine.look.palette.as_ref(), mine.look.glyphs),
        (palette::find("phosphor"), Some(GlyphMode::Half)),
        "its own file"
    );
    assert_eq!(mine.look.overlay, Some([Rgb::WHITE, Rgb::BLACK]));
    assert_eq!(of(&[("SLOSH_THEME", "more")], &[]).look.palette.as_ref(), palette::find("ice"));
    let flagged = of(&[("SLOSH_PALETTE", "ink")], &[("theme", "more")]);
    assert_eq!(
        (flagged.look.palette.as_ref(), flagged.look.glyphs),
        (palette::find("ice"), Some(GlyphMode::Braille)),
        "a flag"
    );
    let none = of(&[], &[("theme", "none")]);
    assert_eq!(
        (none.look.palette, none.look.overlay, none.look.glyphs),
        (None, None, Some(GlyphMode::Half)),
        "none restores the default"
    );
}

#[test]
fn every_theme_is_listed_and_can_be_used() {
    let home = home("config-themes");
    let listed = said(&slosh(&home, "list", &[]));
    for theme in theme::embedded() {
        assert!(listed.contains(&format!("  {:<17} {}", theme.name, theme.about)) && !theme.about.is_empty());
        let settings = flags(&[("theme", &theme.name)]);
        assert!(settings.look.palette.is_some() && settings.look.overlay.is_some(), "{}", theme.name);
    }
    let text = said(&slosh(&home, "config --theme night", &[]));
    let palette = text.lines().find(|line| line.starts_with("palette = \"deep\"")).expect("its palette");
    assert!(palette.contains("themes.toml:"), "{palette}");
}
