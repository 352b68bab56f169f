//! The documents: links and paths exist, and the page on the scene format agrees with the program.

use slosh::data::DataError;
use slosh::scene::{GROUPS, Scene, fluids};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The paths of README, the pages in `docs`, and the other documents in the root.
fn pages() -> Vec<PathBuf> {
    let in_folder = |folder: &str| {
        let entries = fs::read_dir(root().join(folder)).expect("a folder");
        let paths = entries.map(|entry| Path::new(folder).join(entry.expect("an entry").file_name()));
        paths.filter(|path| path.extension().is_some_and(|it| it == "md")).collect::<Vec<_>>()
    };
    [in_folder(""), in_folder("docs")].concat()
}

/// The lines of a page outside of code blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.starts_with("```");
        in_code ^= is_fence;
        !in_code && !is_fence
    })
}

/// The parts of a text between opening and closing marks.
fn between<'a>(text: &'a str, open: &'a str, close: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(open).skip(1).filter_map(move |rest| rest.split_once(close)).map(|(inside, _)| inside)
}

/// The code spans of a line.
fn code_spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// The anchors that GitHub gives to the page's headings.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let slug = |heading: &str| {
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.collect::<String>().to_lowercase().replace(' ', "-")
    };
    headings.map(slug).collect()
}

/// Describes what is wrong with a link, if anything.
fn broken_link(page: &Path, link: &str) -> Option<String> {
    if link.starts_with("https://") {
        return None;
    }
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = if file.is_empty() { page.to_owned() } else { page.parent().unwrap_or(Path::new("")).join(file) };
    let wrong = |what: &str| Some(format!("{}: ({link}) {what}", page.display()));
    if !root().join(&target).exists() {
        return wrong("leads to no file");
    }
    if !anchor.is_empty() && !anchors(&read(&target)).contains(anchor) {
        return wrong("leads to no heading");
    }
    None
}

/// Whether a code span is a path in the repository.
fn is_path(span: &str) -> bool {
    let folders = ["src/", "tests/", "docs/", "benches/", "fuzz/", ".ci/"];
    !span.contains(' ') && (folders.iter().any(|folder| span.starts_with(folder)) || span.ends_with(".rs"))
}

#[test]
fn every_link_and_path_leads_somewhere() {
    let mut broken = Vec::new();
    for page in pages() {
        let text = read(&page);
        for line in prose(&text) {
            broken.extend(between(line, "](", ")").filter_map(|link| broken_link(&page, link)));
            // The code map omits `src/`.
            let exists = |span: &str| root().join(span).exists() || root().join("src").join(span).exists();
            let paths = code_spans(line).filter(|span| is_path(span) && !exists(span));
            broken.extend(paths.map(|path| format!("{}: `{path}` is no file", page.display())));
        }
    }
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
    // The checks above do find broken links and paths.
    assert!(broken_link(Path::new("README.md"), "docs/none.md").is_some());
    assert!(broken_link(Path::new("docs/physics.md"), "#no-such-heading").is_some());
    assert!(is_path("src/none.rs") && is_path("sim/none.rs") && !is_path("cargo test"));
}

#[test]
fn the_code_map_has_every_folder() {
    fn folders(folder: &Path, all: &mut BTreeSet<PathBuf>) {
        for path in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if path.is_dir() {
                folders(&path, all);
            } else if path.extension().is_some_and(|it| it == "rs") && folder != root().join("src") {
                all.insert(folder.strip_prefix(root().join("src")).expect("a folder of src").to_owned());
            }
        }
    }
    let page = read("docs/architecture.md");
    let map = page.split("\n## ").find(|section| section.starts_with("Code map")).expect("the code map");
    let first_cell = |line: &str| line.split(" | ").next().unwrap_or_default().to_owned();
    let cells: Vec<String> = map.lines().filter(|line| line.starts_with("| `")).map(first_cell).collect();
    let listed: BTreeSet<PathBuf> = cells.iter().flat_map(|cell| code_spans(cell)).map(PathBuf::from).collect();
    let gone: Vec<_> = listed.iter().filter(|path| !root().join("src").join(path).is_dir()).collect();
    assert!(gone.is_empty(), "the code map lists what is no folder: {gone:?}");
    let mut all = BTreeSet::new();
    folders(&root().join("src"), &mut all);
    // A row stands for the folders in it; a folder that has rows for its parts needs none.
    let has_row = |path: &Path| listed.iter().any(|row| path.starts_with(row) || row.starts_with(path));
    let missing: Vec<_> = all.iter().filter(|path| !has_row(path)).collect();
    assert!(missing.is_empty() && all.len() > 30, "the code map lacks {missing:?}");
}

/// Code spans of the form "`name` in `src/file.rs`": the file has such a function, type or enum.
#[test]
fn the_functions_that_the_sources_name_are_in_their_files() {
    let page = read("docs/sources.md");
    let mut checked = 0;
    for line in page.lines() {
        let parts: Vec<&str> = line.split('`').collect();
        for at in (1..parts.len().saturating_sub(2)).step_by(2).filter(|&at| [" in ", " and "].contains(&parts[at + 1]))
        {
            let file = parts[at..].iter().find(|part| part.ends_with(".rs"));
            let Some(file) = file.filter(|_| !parts[at].contains('=')) else { continue };
            let text = read(file);
            let has = |word: &str| {
                ["(", " ", "<", "\n"].iter().any(|end| text.contains(&format!("{word} {}{end}", parts[at])))
            };
            assert!(["fn", "struct", "enum"].iter().any(|word| has(word)), "{file} has no `{}`", parts[at]);
            checked += 1;
        }
    }
    assert!(checked > 25, "{checked} names");
}

#[test]
fn every_picture_is_shown_somewhere() {
    let all: String = pages().iter().map(read).collect();
    let mut folders = vec![root().join("docs/img")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder of pictures") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "png") {
                let name =
                    path.strip_prefix(root().join("docs/img")).expect("a picture").to_string_lossy().into_owned();
                assert!(all.contains(&format!("img/{name})")), "docs/img/{name} is on no page");
            }
        }
    }
}

#[test]
fn the_readme_is_short_and_begins_with_how_to_run_and_test() {
    let readme = read("README.md");
    assert!(readme.len() <= 10_240, "README.md has {} bytes", readme.len());
    let beginning: Vec<&str> = readme.lines().take(25).collect();
    for command in ["cargo run --release", "cargo test"] {
        assert!(beginning.iter().any(|line| line.starts_with(command)), "{command} is not in the first 25 lines");
    }
}

#[test]
#[cfg(unix)]
fn packages_call_the_program_as_it_is() {
    for file in [".ci/package/arch/PKGBUILD", ".ci/package/nix/flake.nix", ".ci/packages"] {
        let calls = |line: &str| {
            let (_, call) =
                line.trim().split_once("slosh ").filter(|(path, _)| *path == "$" || *path == "$out/bin/")?;
            Some(call.split(['|', '>', '<', ')']).next()?.trim().replace("$shell", "bash"))
        };
        let text = read(file);
        let calls: Vec<String> = text.lines().filter_map(calls).collect();
        assert!(calls.len() > 1, "{file}: {calls:?}");
        for call in calls {
            let run = Command::new(env!("CARGO_BIN_EXE_slosh")).args(call.split(' ')).output().unwrap();
            assert!(run.status.success(), "{file}: slosh {call}: {}", String::from_utf8_lossy(&run.stderr));
        }
    }
}

#[test]
fn the_gallery_shows_every_scene() {
    let gallery = read("docs/scenes.md");
    for group in GROUPS {
        let section = gallery.split("\n## ").find(|section| section.to_lowercase().starts_with(group.name));
        let section = section.unwrap_or_else(|| panic!("docs/scenes.md lacks the group {}", group.name));
        for (name, text) in group.scenes {
            let about = Scene::parse(text, name).expect("an embedded scene").about;
            assert!(section.contains(&format!("| `{name}`: {about} |")), "docs/scenes.md lacks `{name}`: {about}");
        }
    }
}

#[test]
fn the_scenes_in_the_scene_format_are_scenes() {
    let page = read("docs/scene-format.md");
    let scenes: Vec<Scene> = between(&page, "```toml\n", "```")
        .map(|text| Scene::parse(text, "scene-format.md").unwrap_or_else(|error| panic!("{error}\n{text}")))
        .collect();
    let world = &scenes[0].world;
    assert_eq!((world.liquid.len(), world.obstacle.len(), world.inlet.len(), world.outlet.len()), (1, 2, 1, 1));
}

/// The pictures on a page: alternative texts and files.
fn pictures(page: &str) -> Vec<(String, PathBuf)> {
    let text = read(page);
    // An alternative text may contain brackets.
    let pictures = text.split("![").skip(1).filter_map(|picture| {
        let (says, rest) = picture.split_once("](")?;
        Some((says, rest.split_once(')')?.0))
    });
    let folder = Path::new(page).parent().expect("a folder");
    pictures.map(|(says, file)| (says.to_owned(), root().join(folder).join(file))).collect()
}

/// The number of frames of an animated PNG; `None` for a still one.
fn frames(file: &Path) -> Option<u32> {
    let bytes = fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    // The chunk `acTL` comes before the first picture: length, name, number of frames.
    let at = bytes[..bytes.len().min(4096)].windows(4).position(|name| name == b"acTL")?;
    Some(u32::from_be_bytes(bytes[at + 4..at + 8].try_into().expect("four bytes")))
}

#[test]
fn pictures_of_readme_and_gallery_move_have_text_and_are_small() {
    let size = |file: &Path| fs::metadata(file).unwrap_or_else(|error| panic!("{}: {error}", file.display())).len();
    let (gallery, readme) = (pictures("docs/scenes.md"), pictures("README.md"));
    for group in GROUPS {
        for (name, text) in group.scenes {
            let about = Scene::parse(text, name).expect("an embedded scene").about;
            let (says, file) =
                gallery.iter().find(|(_, file)| file.ends_with(format!("moving/{name}.png"))).unwrap_or_else(|| {
                    panic!("docs/scenes.md has no moving picture of {name}: .ci/pictures {name} draws it")
                });
            assert_eq!(*says, about, "what the gallery says of {name} where pictures are not shown");
            assert!(frames(file) > Some(12), "{name} does not move");
            assert!(size(file) < 150_000, "{name} has {} bytes", size(file));
        }
    }
    let (_, top) = &readme[0];
    assert!(frames(top) > Some(60) && size(top) < 1_000_000, "the top of README has {} bytes", size(top));
    for (says, file) in gallery.iter().chain(&readme).chain(&pictures("docs/manual.md")) {
        assert!(says.split(' ').count() > 2, "the text of {} is only {says:?}", file.display());
    }
    let mut folders = vec![root().join("docs/img")];
    let mut all = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder of pictures") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { folders.push(path) } else { all += size(&path) }
        }
    }
    assert!(all < 7_000_000, "all pictures have {all} bytes");
}

/// A table of the scene format: its heading, a minimal scene that has it, and its path in a scene that is written back.
/// `@` marks the line for one of its keys.
struct Table {
    heading: &'static str,
    scene: &'static str,
    path: &'static [&'static str],
    /// Keys of which a table must have exactly one.
    one_of: &'static [&'static str],
}

const REGION: &[&str] = &["box", "circle", "capsule", "polygon", "art"];

const TABLES: &[Table] = &[
    table("Scene", "liquid = [{ box = [0, 0, 1, 0.5] }]\nsmoke = {}\n@\n", &[]),
    table(
        "`gate`",
        "liquid = [{ box = [0, 0, 0.5, 0.5] }]\nobstacle = [{ box = [0.5, 0, 0.6, 1] }]\n[gate]\nat = 1\n@",
        &["gate"],
    ),
    table("`[tank]`", "liquid = [{ box = [0, 0, 1, 0.5] }]\n[tank]\n@", &["tank"]),
    table("`roll`", "liquid = [{ box = [0, 0, 1, 0.5] }]\n[tank.roll]\nangle = 5\nperiod = 4\n@", &["tank", "roll"]),
    table("`flip`", "liquid = [{ box = [0, 0, 1, 0.5] }]\n[tank.flip]\nevery = 9\n@", &["tank", "flip"]),
    table(
        "`knock`",
        "liquid = [{ box = [0, 0, 1, 0.5] }]\n[tank.knock]\nvelocity = [0, 1]\nevery = 9\n@",
        &["tank", "knock"],
    ),
    table("`[metaballs]`", "liquid = [{ box = [0, 0, 1, 0.5] }]\n[metaballs]\n@", &["metaballs"]),
    table("`[fluid]`", "liquid = [{ box = [0, 0, 1, 0.5] }]\n[fluid]\n@", &["fluid"]),
    Table {
        one_of: REGION,
        ..table("Region", "smoke = {}\n[[obstacle]]\nbox = [0, 0, 1, 0.5]\n@", &["obstacle", "0"])
    },
    table(
        "`circle`",
        "smoke = {}\n[[obstacle]]\n[obstacle.circle]\nat = [0.5, 0.5]\nradius = 0.1\n@",
        &["obstacle", "0", "circle"],
    ),
    table(
        "`capsule`",
        "smoke = {}\n[[obstacle]]\n[obstacle.capsule]\nfrom = [0.5, 0.5]\nto = [0.6, 0.5]\nradius = 0.1\n@",
        &["obstacle", "0", "capsule"],
    ),
    table("`[[liquid]]`", "[[liquid]]\nbox = [0, 0, 1, 0.5]\n@", &["liquid", "0"]),
    table(
        "`[[inlet]]`",
        "smoke = {}\n[[inlet]]\nat = [0.5, 0.9]\ntoward = [0, -1]\nwidth = 0.1\nspeed = 1\n@",
        &["inlet", "0"],
    ),
    table(
        "`drops`",
        "smoke = {}\n[[inlet]]\nat = [0.5, 0.9]\ntoward = [0, -1]\nwidth = 0.1\nspeed = 1\n[inlet.drops]\nevery = 3600\nfor = 1\n@",
        &["inlet", "0", "drops"],
    ),
    table("`[[outlet]]`", "smoke = {}\n[[outlet]]\nbox = [0, 0, 1, 0.5]\nrate = 1\n@", &["outlet", "0"]),
    table("`[[piston]]`", "smoke = {}\n[[piston]]\nbox = [0, 0, 1, 0.1]\ntravel = [0, 0.5]\n@", &["piston", "0"]),
    table(
        "`swing`",
        "smoke = {}\n[[piston]]\nbox = [0, 0, 1, 0.1]\ntravel = [0, 0.5]\n[piston.swing]\namplitude = 0.1\nperiod = 2\n@",
        &["piston", "0", "swing"],
    ),
    table("`[[feed]]`", "liquid = [{ box = [0, 0, 1, 0.5] }]\n[[feed]]\nto = \"gravity\"\n@", &["feed", "0"]),
    table("`[[mark]]`", "smoke = {}\n[[mark]]\nline = [[0, 0], [1, 1]]\n@", &["mark", "0"]),
    table(
        "`mark.swing`",
        "smoke = {}\n[[mark]]\nline = [[0, 0], [1, 1]]\n[mark.swing]\nby = [0, 0.1]\nperiod = 2\n@",
        &["mark", "0", "swing"],
    ),
    table("`[heat]`", "liquid = [{ box = [0, 0, 1, 0.5] }]\n[heat]\n@", &["heat"]),
    Table {
        one_of: &["temperature", "power"],
        ..table("`[[heater]]`", "smoke = {}\n[[heater]]\nbox = [0, 0, 1, 0.5]\ntemperature = 20\n@", &["heater", "0"])
    },
    Table {
        one_of: &["disc", "box", "polygon"],
        ..table("`[[body]]`", "[[body]]\ndisc = 0.1\nat = [0.5, 0.5]\n@", &["body", "0"])
    },
    table("`[[fish]]`", "liquid = [{ box = [0, 0, 1, 0.5] }]\n[[fish]]\nspecies = \"tetra\"\n@", &["fish", "0"]),
    table(
        "Species",
        "liquid = [{ box = [0, 0, 1, 0.5] }]\n[[fish]]\n[fish.species]\nname = \"eel\"\n\
         part = [{ disc = [0, 0, 0.2], color = \"#ffffff\" }]\n@",
        &["fish", "0", "species"],
    ),
    Table {
        one_of: &["polygon", "disc"],
        ..table(
            "`[[part]]`",
            "liquid = [{ box = [0, 0, 1, 0.5] }]\n[[fish]]\n[fish.species]\nname = \"eel\"\n[[fish.species.part]]\n\
             disc = [0, 0, 0.2]\ncolor = \"#ffffff\"\n@",
            &["fish", "0", "species", "part", "0"],
        )
    },
    table("`[[weed]]`", "liquid = [{ box = [0, 0, 1, 0.5] }]\n[[weed]]\nat = 0.5\n@", &["weed", "0"]),
    table("`[[bubbles]]`", "liquid = [{ box = [0, 0, 1, 0.5] }]\n[[bubbles]]\nat = [0.5, 0]\n@", &["bubbles", "0"]),
    table(
        "`[cloth]`",
        "[cloth]\nsheet = [{ at = [0.5, 1], size = [1, 1], nodes = [9, 9], pins = \"top\" }]\n@",
        &["cloth"],
    ),
    table(
        "`[[cloth.sheet]]`",
        "[[cloth.sheet]]\nat = [0.5, 1]\nsize = [20, 20]\nnodes = [9, 9]\npins = \"top\"\n@",
        &["cloth", "sheet", "0"],
    ),
    table("`[smoke]`", "[smoke]\n@", &["smoke"]),
    table("`[[smoke.dye]]`", "[[smoke.dye]]\n@", &["smoke", "dye", "0"]),
    table("`[[smoke.source]]`", "[[smoke.source]]\nbox = [0, 0, 1, 0.5]\n@", &["smoke", "source", "0"]),
    table("`[[smoke.initial_dye]]`", "[[smoke.initial_dye]]\nbox = [0, 0, 1, 0.5]\n@", &["smoke", "initial_dye", "0"]),
    table("`[sph]`", "[sph]\nliquid = [{ box = [0, 0, 1, 0.5] }]\n@", &["sph"]),
    table("`[[sph.liquid]]`", "[[sph.liquid]]\nbox = [0, 0, 1, 0.5]\n@", &["sph", "liquid", "0"]),
];

const fn table(heading: &'static str, scene: &'static str, path: &'static [&'static str]) -> Table {
    Table { heading, scene, path, one_of: &[] }
}

/// A row of the page's table.
struct Row {
    key: String,
    value: String,
    default: String,
}

/// Returns the rows under a heading.
fn rows(page: &str, heading: &str) -> Vec<Row> {
    let (_, rest) =
        page.split_once(&format!("\n### {heading}\n")).unwrap_or_else(|| panic!("no heading ### {heading}"));
    let section = rest.split("\n#").next().expect("a section");
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [key, value, _unit, default, _] = cells[..] else { panic!("{heading}: not 5 cells: {line}") };
        Row { key: key.trim_matches('`').to_owned(), value: value.to_owned(), default: default.to_owned() }
    };
    section.lines().filter(|line| line.starts_with("| `")).map(row).collect()
}

impl Table {
    /// Returns the scene with the line of a key replaced by another line.
    fn with(&self, key: &str, line: &str) -> String {
        let replaced = |name: &str| name == key || (self.one_of.contains(&key) && self.one_of.contains(&name));
        let kept = self.scene.lines().filter(|line| !line.split_once(" = ").is_some_and(|(name, _)| replaced(name)));
        kept.map(|kept| kept.replace('@', line) + "\n").collect()
    }

    /// Returns the program's error for a line that sets a key to a value.
    fn error(&self, key: &str, value: &str) -> DataError {
        let scene = self.with(key, &format!("{key} = {value}"));
        match Scene::parse(&scene, "scene.toml") {
            Ok(_) => panic!("{} {key} = {value} is accepted", self.heading),
            Err(error) => error,
        }
    }

    /// Returns the value of a key in a scene that does not set it; `None` if it is not written, or empty.
    fn default(&self, key: &str) -> Option<toml::Value> {
        let scene = Scene::parse(&self.with(key, ""), "scene.toml")
            .unwrap_or_else(|error| panic!("{} without {key}: {error}", self.heading));
        let mut value = toml::Value::try_from(&scene).expect("a scene is plain data");
        for part in self.path.iter().chain([&key]) {
            let inner = match part.parse::<usize>() {
                Ok(number) => value.get(number).cloned(),
                Err(_) => value.get(part).cloned(),
            };
            value = inner?;
        }
        Some(value).filter(|value| value.as_array().is_none_or(|list| !list.is_empty()))
    }

    /// Returns the keys that the program knows.
    fn known_keys(&self) -> BTreeSet<String> {
        let keys = self.error("zzzzzz", "0").known_keys;
        assert!(!keys.is_empty(), "{}: zzzzzz is no unknown key", self.heading);
        keys.into_iter().map(str::to_owned).collect()
    }
}

/// Parses the numbers in "a number from 0 to 3".
fn range(text: &str) -> Option<(f32, f32)> {
    let (low, rest) = text.rsplit_once(" to ").map(|(before, after)| (before.split(' ').next_back(), after))?;
    let high = rest.split([' ', ',', ';']).next()?;
    Some((low?.parse().ok()?, high.parse().ok()?))
}

/// Compares the cell *value* with the program's errors for wrong values.
fn check_value(table: &Table, Row { key, value, .. }: &Row) {
    let context = format!("docs/scene-format.md, {} `{key}`: {value}", table.heading);
    // The text after the semicolon is for readers.
    let value = value.split(';').next().expect("the first part");
    let digits = value.replace(',', "");
    let said = |wrong: &str| table.error(key, wrong).message;
    let assert_range = |error: String, kind: &str| {
        let told = error.split(", not").next().and_then(range);
        assert!(error.contains(kind) && told.is_some(), "{context}: {error}");
        assert_eq!(told, range(&digits), "{context}: {error}");
    };
    if let Some(most) = value.strip_prefix("list, at most ") {
        let most: usize = most.parse().expect(&context);
        let error = said(&format!("[{}]", "0,".repeat(most + 1)));
        assert!(error.contains(&format!("at most {most},")), "{context}: {error}");
    } else if value.starts_with("whole") {
        assert_range(said("999999999999"), "a whole number");
    } else if let Some((count, _)) = value.split_once(" × ") {
        let error = said("[]");
        assert!(error.contains(&format!("a list of {count} numbers")), "{context}: {error}");
        assert_range(said(&format!("[{}]", "1e30,".repeat(count.parse().expect(&context)))), "a number");
    } else if value.starts_with('`') {
        let words: Vec<&str> = code_spans(value).collect();
        let error = said("\"zzzzzz\"");
        assert!(error.ends_with(&format!("choices: {}", words.join(", "))), "{context}: {error}");
    } else if range(&digits).is_some() {
        assert_range(said("1e30"), "a number");
    } else {
        let (wrong, told) = match value {
            "text" => ("1", "text in quotes"),
            "table" => ("1", "a table"),
            "colour" => ("\"zzzzzz\"", "must be a colour"),
            "true or false" => ("1", "true or false"),
            fluid if fluid.starts_with("fluid") => ("\"zzzzzz\"", "`slosh list` shows all"),
            _ => panic!("{context} is a value that this test cannot check"),
        };
        let error = said(wrong);
        assert!(error.contains(told), "{context}: {error}");
    }
}

/// Whether two values are equal in the precision that the program has.
fn same(a: &toml::Value, b: &toml::Value) -> bool {
    let number = |value: &toml::Value| value.as_float().or(value.as_integer().map(|it| it as f64)).map(|it| it as f32);
    match (a.as_array(), b.as_array()) {
        (Some(a), Some(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        _ => number(a).map_or(a == b, |a| Some(a) == number(b)),
    }
}

/// Compares the cell *default* with a scene that does not set the key.
fn check_default(table: &Table, Row { key, value, default }: &Row) {
    let context = format!("docs/scene-format.md, {} `{key}`, default {default}", table.heading);
    match default.as_str() {
        "see below" | "the file's name" | "one dye" => {}
        "none" => assert_eq!(table.default(key), None, "{context}"),
        "required" | "one of" => {
            let error = Scene::parse(&table.with(key, ""), "scene.toml").expect_err(&context).message;
            assert!(error.contains(key.as_str()), "{context}: {error}");
        }
        fluid if value.starts_with("fluid") => {
            let parse = |line: &str| Scene::parse(&table.with(key, line), "scene.toml").expect(&context).world.fluid;
            assert_eq!(parse(""), parse(&format!("{key} = \"{}\"", fluid.trim_matches('`'))), "{context}");
        }
        given => {
            let document: toml::Table = format!("x = {}", given.trim_matches('`')).parse().expect(&context);
            let is = table.default(key).unwrap_or_else(|| panic!("{context}: there is none"));
            assert!(same(&document["x"], &is), "{context}: it is {is}");
        }
    }
}

#[test]
fn the_scene_format_has_every_key_with_its_range_and_default() {
    let page = read("docs/scene-format.md");
    let headings = prose(&page).filter_map(|line| line.strip_prefix("### "));
    assert!(
        headings.eq(TABLES.iter().map(|table| table.heading)),
        "tables of the page, in order, are those of the test"
    );
    for table in TABLES {
        let rows = rows(&page, table.heading);
        let mut documented: BTreeSet<String> = rows.iter().map(|row| row.key.clone()).collect();
        let mut known = table.known_keys();
        if REGION.iter().all(|key| known.contains(*key)) && table.one_of != REGION {
            // These keys are documented once, in a section of their own.
            known.retain(|key| !REGION.contains(&key.as_str()));
        }
        assert_eq!(documented, known, "keys of {} on the page and in the program", table.heading);
        for row in &rows {
            check_value(table, row);
            check_default(table, row);
            documented.remove(&row.key);
        }
    }
}

#[test]
fn the_scene_format_lists_all_fluids() {
    let page = read("docs/scene-format.md");
    let (_, rest) = page.split_once("| fluid | behaviour |").expect("the table of fluids");
    let lines = rest.lines().skip(1).take_while(|line| line.starts_with('|'));
    let listed: Vec<&str> = lines.filter_map(|line| line.split(" | ").next()).flat_map(code_spans).collect();
    let known: Vec<&str> = fluids::embedded().iter().map(|fluid| fluid.name.as_str()).collect();
    assert_eq!(
        listed.iter().collect::<BTreeSet<_>>(),
        known.iter().collect::<BTreeSet<_>>(),
        "fluids on the page and in the program"
    );
}

#[test]
fn no_page_has_marks_of_an_unfinished_merge() {
    let marks = ["<<<<<<< ", "=======", ">>>>>>> "];
    for page in pages() {
        let text = read(&page);
        let marked =
            text.lines().position(|line| marks.iter().any(|mark| line == mark.trim_end() || line.starts_with(mark)));
        assert_eq!(None, marked.map(|line| line + 1), "{} has a merge's mark in this line", page.display());
    }
}
