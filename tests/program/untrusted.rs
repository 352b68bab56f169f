//! Untrusted input: scenes, settings, recordings, share codes, drawings, pages, words, names and variables. None of it
//! reaches a terminal raw, in pictures or in error messages, and none exceeds the limits in SECURITY.md. The real
//! program, from outside, with the kernel's limits on its memory and processor time.
#![cfg(unix)]

use crate::program::{self, Finished, SLOSH};
use crate::pty::{Pty, Setup};
use slosh::scene::share_code::ShareCode;
use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;

/// OSC 52 and OSC 2, CSI as one C1 character, a bidirectional override, a zero-width space and a tag.
const HOSTILE: &str = "\x1b]52;c;ZXZpbA==\x07\x1b]2;title\x1b\\\u{9b}31m\u{202e}gnp\u{200b}\u{e0041}";

/// The same characters as TOML and JSON escape them.
const ESCAPED: &str = r"\u001b]52;c;ZXZpbA==\u0007\u001b]2;title\u001b\\\u009b31m\u202egnp\u200b";

/// Upper limits until the input is refused: kilobytes of reserved memory, and seconds of processor time. SECURITY.md
/// promises one second; here are a few more, for a shared processor and a build with overflow checks.
const MEMORY: u32 = 100_000;
const SECONDS: u32 = 6;

fn folder(name: &str) -> PathBuf {
    program::folder(&format!("untrusted/{name}"))
}

/// An input.
struct Case {
    name: &'static str,
    args: Vec<String>,
    vars: Vec<(String, String)>,
    stdin: Input,
    /// Words that the error must contain.
    says: &'static str,
}

enum Input {
    Nothing,
    Bytes(Vec<u8>),
    /// An endless pipe of these bytes.
    Endless(&'static [u8]),
}

fn case<'a>(name: &'static str, args: impl IntoIterator<Item = &'a str>, says: &'static str) -> Case {
    let args = args.into_iter().map(str::to_owned).collect();
    Case { name, args, vars: Vec::new(), stdin: Input::Nothing, says }
}

impl Case {
    fn var(mut self, name: &str, value: &str) -> Self {
        self.vars.push((name.to_owned(), value.to_owned()));
        self
    }

    fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Input::Bytes(bytes.into());
        self
    }

    fn endless(mut self, bytes: &'static [u8]) -> Self {
        self.stdin = Input::Endless(bytes);
        self
    }

    fn run(&self) -> Output {
        // Through env, because a shell drops variables with invalid names.
        let script = format!("ulimit -d {MEMORY}; ulimit -t {SECONDS}; exec env \"$@\"");
        let mut command = program::command("/bin/sh");
        command.args(["-c", &script, "sh"]).args(self.vars.iter().map(|(name, value)| format!("{name}={value}")));
        command.arg(SLOSH).args(&self.args).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.stdin(if matches!(self.stdin, Input::Nothing) { Stdio::null() } else { Stdio::piped() });
        let mut child = command.spawn().expect("a shell");
        let pipe = child.stdin.take();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                // The program may stop reading before the end, so a failed write is expected.
                let Some(mut pipe) = pipe else { return };
                match &self.stdin {
                    Input::Nothing => {}
                    Input::Bytes(bytes) => drop(pipe.write_all(bytes)),
                    Input::Endless(bytes) => {
                        let block = bytes.repeat(4096 / bytes.len() + 1);
                        while pipe.write_all(&block).is_ok() {}
                    }
                }
            });
            program::finish(child)
        })
    }

    /// Expects a single one-line error, exit code 2, no active characters, and no excess of the limits.
    fn check(&self) -> Result<(), String> {
        let output = self.run();
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let shown: String = err.escape_debug().take(300).collect();
        let wrong = |what: &str| Err(format!("{}: {what}: {shown}", self.name));
        if output.status.code() != Some(2) {
            let (code, signal) = (output.status.code(), output.status.signal());
            return wrong(&format!("code {code:?}, signal {signal:?} instead of code 2"));
        }
        if let Some(hidden) = out.chars().chain(err.chars()).find(|&c| is_raw(c)) {
            return wrong(&format!("{hidden:?} is raw"));
        }
        if err.chars().count() > 6000 {
            return wrong("as long as nobody reads");
        }
        if !err.contains(self.says) {
            return wrong(&format!("no {:?}", self.says));
        }
        Ok(())
    }
}

/// Whether a terminal acts on the character, or shows nothing for it.
fn is_raw(c: char) -> bool {
    (c.is_control() && c != '\n')
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

/// Runs all cases, as many at a time as there are cores.
#[track_caller]
fn check(cases: &[Case]) {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    let wrong = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    if let Err(message) = case.check() {
                        wrong.lock().expect("no panic").push(message);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no panic");
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// Writes a file with this content and returns its path.
fn file(folder: &Path, name: &str, text: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    fs::write(&path, text).expect("written");
    path.to_str().expect("UTF-8").to_owned()
}

/// A share code with any content.
fn code(text: &str) -> String {
    ShareCode::pack(text)
}

/// The header of a recording, with one of its values replaced.
fn header(key: &str, value: &str) -> String {
    let mut values = [
        ("slosh", "3"),
        ("version", "\"0.1.0\""),
        ("settings", "\"\""),
        ("content", r#"{"scenes":["dam",["dam"]]}"#),
        ("window", r#"{"columns":80,"rows":24,"cell":[0,0]}"#),
        ("seed", "1"),
        ("work", "null"),
        ("saver", "false"),
        ("set", "[]"),
    ];
    if let Some(found) = values.iter_mut().find(|(name, _)| *name == key) {
        found.1 = value;
    }
    let fields: Vec<String> = values.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    format!("{{{}}}\n", fields.join(","))
}

#[test]
fn nothing_hostile_gets_through_an_error_message() {
    let folder = folder("messages");
    let scene = |name: &str, text: &str| file(&folder, name, text);
    let escaped_key = scene("key.toml", &format!("\"{ESCAPED}\" = 3\n"));
    let raw_key = scene("raw.toml", &format!("{HOSTILE} = 3\n"));
    let value = scene("value.toml", &format!("[tank]\nshape = \"{ESCAPED}\"\n"));
    let palette = scene(
        "palette.toml",
        &format!("name = \"{ESCAPED}\"\npalette = \"{ESCAPED}\"\n[[liquid]]\nbox = [0, 0, 1, 0.5]\n"),
    );
    let named = scene(&format!("{HOSTILE}.toml").replace('/', ""), "nothing = 1\n");
    let config = scene("config.toml", &format!("\"{ESCAPED}\" = 3\n"));
    let config_value = scene("config-value.toml", &format!("glyphs = \"{ESCAPED}\"\n"));
    let config_keys = scene("config-keys.toml", &format!("[keys]\n\"{ESCAPED}\" = [\"x\"]\n"));
    let config_chord = scene("config-chord.toml", &format!("[keys]\nquit = [\"{ESCAPED}\"]\n"));
    let config_palette =
        scene("config-palette.toml", &format!("[[palettes]]\nname = \"{ESCAPED}\"\ncolors = [\"{ESCAPED}\"]\n"));
    let drawing = scene("drawing.txt", "");
    let log = |name: &str, text: &str| scene(&format!("{name}.slosh"), text);
    let no_log = log("none", HOSTILE);
    let log_field = log("field", &header("seed", &format!("1,\"{ESCAPED}\":2")));
    let log_settings = log("settings", &header("settings", &format!("\"glyphs = '{ESCAPED}'\"")));
    let log_scene = log("scene", &header("content", &format!(r#"{{"scenes":["{ESCAPED} = 1",[]]}}"#)));
    let log_text = log("text", &header("content", &format!(r#"{{"demo":{{"text":"{ESCAPED} \u6f22"}}}}"#)));
    let log_note = log("note", &format!("{}{{\"{ESCAPED}\":1}}\n", header("", "")));
    let log_named = log(HOSTILE.replace('/', "").as_str(), "");
    let cases = [
        case("a key of a scene", ["render", &escaped_key], "is an unknown key"),
        case("a key that is no TOML", ["render", &raw_key], "raw.toml:1"),
        case("a value of a scene", ["render", &value], "tank.shape"),
        case("a scene's palette, and its name", ["render", &palette], "unknown palette"),
        case("a file's name", ["render", &named], "is an unknown key"),
        case("a file that there is not", ["render", &format!("./{HOSTILE}.toml")], "No such file"),
        case("a scene that there is not", ["render", HOSTILE], "unknown scene"),
        case("--set with a key", ["render", "dam", "--set", &format!("{HOSTILE}=1")], "is an unknown key"),
        case("--set with a value", ["render", "dam", "--set", &format!("gravity={HOSTILE}")], "gravity"),
        case("--set without a value", ["render", "dam", "--set", &HOSTILE.replace("=", "")], "KEY=VALUE"),
        case("a flag's value", ["render", "dam", "--size", HOSTILE], "COLUMNSxROWS"),
        case("a setting's flag", ["render", "dam", "--glyphs", HOSTILE], "glyphs"),
        case("a flag that there is not", [&*format!("--{HOSTILE}")], "unexpected argument"),
        case("a command that there is not", ["dam", HOSTILE], "unexpected argument"),
        case("what happens when", ["render", "dam", "--at", "1", HOSTILE], "slosh: "),
        case("a folder to write to", ["render", "dam", "--out", &format!("{HOSTILE}.xyz")], "xyz"),
        case("a variable's value", ["config"], "SLOSH_GLYPHS").var("SLOSH_GLYPHS", HOSTILE),
        case("the settings' file", ["config"], "No such file").var("SLOSH_CONFIG", HOSTILE),
        case("a key of the settings", ["config"], "is an unknown key").var("SLOSH_CONFIG", &config),
        case("a value of the settings", ["config"], "glyphs").var("SLOSH_CONFIG", &config_value),
        case("an action of the settings", ["config"], "keys").var("SLOSH_CONFIG", &config_keys),
        case("a key that is bound", ["config"], "keys.quit").var("SLOSH_CONFIG", &config_chord),
        case("a palette of the settings", ["config"], "palette").var("SLOSH_CONFIG", &config_palette),
        case("no share code", ["play", HOSTILE], "share code"),
        case("a share code's scene", ["play", &code(&format!("{HOSTILE}\n1\nwater\ndensity"))], "unknown scene"),
        case("a share code's palette", ["play", &code(&format!("dam\n1\n{HOSTILE}\ndensity"))], "palette"),
        case("a share code's quantity", ["play", &code(&format!("dam\n1\nwater\n{HOSTILE}"))], "color-by"),
        case(
            "a share code's key",
            ["play", &code(&format!("dam\n1\nwater\ndensity\n{HOSTILE}=1"))],
            "is an unknown key",
        ),
        case("no recording", ["play", &no_log], "is not a slosh recording"),
        case("a recording's field", ["play", &log_field], "unknown field"),
        case("a recording's settings", ["play", &log_settings], "settings.slosh:1"),
        case("a recording's scene", ["play", &log_scene], "slosh:"),
        case("a recording's words", ["play", &log_text], "no letter for"),
        case("a recording's notes", ["render", &log_note], "unknown variant"),
        case("a recording's name", ["play", &log_named], "is not a slosh recording"),
        case("a drawing's name", ["render", "dam", "--obstacles", HOSTILE], "No such file"),
        case("an empty drawing", ["render", "dam", "--obstacles", &drawing], "drawing.txt"),
        case("words", ["render", "--text", &format!("{HOSTILE}漢")], "no letter for"),
        case("a page's file", ["render", "--melt", HOSTILE], "No such file"),
        case("an empty page", ["render", "--melt", "-"], "nothing to melt")
            .stdin(HOSTILE.replace("gnp", "").replace("31m", "")),
        case("a time zone", ["clock", "--tz", HOSTILE], "unknown time zone"),
        case("a time", ["clock", "--time", HOSTILE], "is not a time of day"),
        case("a shell", ["completions", HOSTILE], "possible values"),
        case("a flag of the wrong kind", ["probe", "dam", "--line", HOSTILE], "--line"),
    ];
    check(&cases);
}

/// Normal output, not errors.
#[test]
fn nothing_hostile_gets_through_normal_output() {
    let folder = folder("printed");
    let config = file(&folder, "c.toml", format!("favorites = [\"{ESCAPED}\"]\n"));
    let page = file(&folder, "page", format!("before {HOSTILE}e\u{301}\u{202e}x\u{200d}\u{feff} after\n"));
    let printed = |case: Case| {
        let output = case.run();
        assert!(output.status.success(), "{}: {}", case.name, String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    for args in [&["doctor"][..], &["doctor", "--json"]] {
        let says = case("doctor", args.iter().copied(), "").var("TERM", "xterm").var("TERM_PROGRAM", HOSTILE);
        let said = printed(says);
        assert_eq!(said.chars().find(|&c| is_raw(c)), None, "{said:?}");
        assert!(said.contains("gnp"), "{said}");
        if args.len() == 2 {
            let json: serde_json::Value = serde_json::from_str(&said).expect("JSON");
            assert!(json.to_string().contains("52;c;zxzpba"), "{json}");
        }
    }
    let said = printed(case("config", ["config"], "").var("SLOSH_CONFIG", &config));
    assert_eq!(said.chars().find(|&c| is_raw(c)), None, "{said:?}");
    let variable = case("a variable", ["config"], "").var(&format!("SLOSH_{}", HOSTILE.replace('=', "")), "1");
    let named = printed(variable);
    assert!(named.chars().all(|c| !is_raw(c)) && named.contains("unknown setting"), "{named:?}");
    let again = file(&folder, "again.toml", &said);
    let told = printed(case("config again", ["config"], "").var("SLOSH_CONFIG", &again));
    let favorites = |text: &str| {
        text.lines().find(|line| line.starts_with("favorites")).map(|line| line.split('#').next().map(str::to_owned))
    };
    assert_eq!(favorites(&said), favorites(&told), "what is printed reads as the same");

    for format in ["text", "ansi"] {
        let drawn = printed(case("melt", ["render", "--melt", &page, "--seconds", "0", "--format", format], ""));
        // slosh itself writes no escape sequences other than those for colours.
        let mut plain = String::new();
        for (number, part) in drawn.split("\x1b[").enumerate() {
            let rest = if number == 0 { Some(part) } else { part.split_once('m').map(|(_, rest)| rest) };
            plain += rest.expect("a colour");
        }
        assert_eq!(plain.chars().find(|&c| is_raw(c)), None, "{plain:?}");
        assert!(plain.contains("before") && plain.contains("e\u{301}x after"), "{plain}");
    }
}

/// Inputs without an end, or absurdly long, deep or large.
#[test]
fn no_input_exceeds_its_limit() {
    let folder = folder("limits");
    let name = |name: &str| folder.join(name).to_str().expect("UTF-8").to_owned();
    let log = |name: &str, text: &str| file(&folder, &format!("{name}.slosh"), text);
    let scene = |name: &str, text: &str| file(&folder, &format!("{name}.toml"), text);
    let link = |to: &str, called: &str| {
        std::os::unix::fs::symlink(to, folder.join(called)).expect("a link");
        name(called)
    };
    let sparse = |called: &str, size: u64| {
        fs::File::create(folder.join(called)).and_then(|file| file.set_len(size)).expect("a sparse file");
        name(called)
    };
    let with = |key: &str, value: &str| header(key, value);
    let notes = |notes: &str| format!("{}{notes}\n", header("", ""));
    let pipe = name("pipe.slosh");
    let scene_pipe = name("pipe.toml");
    assert!(program::command("mkfifo").args([&pipe, &scene_pipe]).status().expect("mkfifo").success());
    let texts = |count: usize, text: &str| format!("[{}]", vec![format!("\"{text}\""); count].join(","));
    let scenes = |list: &str| with("content", &format!("{{\"scenes\":[\"dam\",{list}]}}"));
    let repeated = |count: usize, line: fn(usize) -> String| (0..count).map(line).collect::<String>();
    let tables = scene("tables", &repeated(45_000, |at| format!("[t{at}]\n")));
    let keys = scene("keys", &repeated(60_000, |at| format!("k{at} = 1\n")));
    let numbers = scene("numbers", &format!("a = [{}]", "0,".repeat(500_000)));
    let lists = scene("lists", &format!("a = [{}]", "[],".repeat(300_000)));
    let inline = scene("inline", &format!("a = [{}]", "{},".repeat(300_000)));
    let palettes = scene("palettes", &repeated(30_000, |at| format!("[[palettes]]\nname = \"p{at}\"\n")));
    let dotted = scene("dotted", &format!("{}a = 1", "a.".repeat(250_000)));
    let deep = scene("deep", &format!("a = {}{}", "[".repeat(250_000), "]".repeat(250_000)));
    let deep_tables = scene("deep-tables", &format!("[{}a]\n", "a.".repeat(250_000)));
    let art = scene("art", &format!("[[obstacle]]\nart = \"\"\"\n{}\"\"\"\n", "#\n".repeat(400_000)));
    let words = scene("words", &"hello world ".repeat(1300));
    let cases = [
        case("a recording that is zeros for ever", ["play", &link("/dev/zero", "zero.slosh")], "is not a regular file"),
        case("a recording that is a pipe", ["play", &pipe], "is not a regular file"),
        case("a recording that is a folder", ["play", &link("/", "folder.slosh")], "is a directory"),
        case("a recording of a terabyte", ["play", &sparse("huge.slosh", 1 << 40)], "longer than a recording"),
        case("a recording of one line", ["play", &sparse("line.slosh", 1 << 29)], "longer than one can be"),
        case("an empty recording", ["render", &sparse("empty.slosh", 0)], "is not a slosh recording"),
        case("work 1e12", ["play", &log("w12", &with("work", "1e12"))], "`work`"),
        case("work 1e15", ["play", &log("w15", &with("work", "1e15"))], "`work`"),
        case("work 1e30", ["play", &log("w30", &with("work", "1e30"))], "`work`"),
        case("work 1e300", ["play", &log("w300", &with("work", "1e300"))], "out of range"),
        case("work 0", ["play", &log("w0", &with("work", "0"))], "`work`"),
        case("work -1", ["play", &log("w-1", &with("work", "-1"))], "`work`"),
        case("a million scenes", ["play", &log("scenes", &scenes(&texts(1_000_000, "dam")))], "a list of at most"),
        case("empty scenes", ["play", &log("blanks", &scenes(&texts(5_000_000, "")))], "a list of at most"),
        case("long scenes", ["play", &log("long", &scenes(&texts(150, &"x".repeat(100_000))))], "its scenes have"),
        case(
            "a million settings",
            ["play", &log("set", &with("set", &texts(1_000_000, "gravity=1")))],
            "a list of at most",
        ),
        case(
            "long settings",
            ["play", &log("settings", &with("settings", &format!("\"{}\"", "#".repeat(3 << 20))))],
            "its settings have",
        ),
        case("a seed of many digits", ["play", &log("seed", &with("seed", &"9".repeat(1 << 20)))], "at line 1"),
        case(
            "a list of lists",
            ["play", &log("nested", &with("set", &"[".repeat(1 << 20)))],
            "is not a slosh recording",
        ),
        case(
            "an unknown field of lists",
            ["play", &log("unknown", &with("seed", &format!("1,\"x\":[{}0]", "0,".repeat(4 << 20))))],
            "unknown field",
        ),
        case(
            "a page too large",
            [
                "play",
                &log(
                    "page",
                    &with(
                        "content",
                        r#"{"demo":{"screen-capture":{"text":"x","window":{"columns":65535,"rows":65535,"cell":[0,0]}}}}"#,
                    ),
                ),
            ],
            "a window of",
        ),
        case(
            "long words in a recording",
            [
                "play",
                &log("act", &with("content", &format!("{{\"demo\":{{\"text\":\"{}\"}}}}", "word ".repeat(100_000)))),
            ],
            "too many to be legible",
        ),
        case(
            "a long note",
            ["render", &log("note", &notes(&format!("{{\"say\":\"{}\"}}", "x".repeat(1 << 20))))],
            "longer than one can be",
        ),
        case(
            "a large window",
            ["render", &log("window", &notes(r#"{"do":{"resize":{"columns":65535,"rows":65535,"cell":[0,0]}}}"#))],
            "a window of",
        ),
        case("many threads", ["render", &log("threads", &notes(r#"{"do":{"set-threads":1000000000000}}"#))], "threads"),
        case("a lean beyond numbers", ["render", &log("lean", &notes(r#"{"do":{"set-tilt":1e38}}"#))], "radians"),
        case(
            "a pointer beyond numbers",
            ["render", &log("press", &notes(r#"{"do":{"press":["push",[1e30,-1e30]]}}"#))],
            "pointer",
        ),
        case(
            "a century",
            ["render", &log("tick", &notes(r#"{"tick":[18446744073709551615,4294967295,0]}"#))],
            "longer than a year",
        ),
        case("580 kB of tables", ["render", &tables], "is an unknown key"),
        case("700 kB of keys", ["render", &keys], "is an unknown key"),
        case("a megabyte of numbers", ["render", &numbers], "is an unknown key"),
        case("a megabyte of lists", ["render", &lists], "is an unknown key"),
        case("a megabyte of inline tables", ["render", &inline], "is an unknown key"),
        case("a key of many parts", ["render", &dotted], "slosh: "),
        case("a list in a list in a list", ["render", &deep], "slosh: "),
        case("a table in a table in a table", ["render", &deep_tables], "slosh: "),
        case("a drawing of 400,000 lines", ["render", &art], "400000 lines"),
        case("settings without end", ["config"], "is not a regular file").var("SLOSH_CONFIG", "/dev/zero"),
        case("700 kB of settings", ["config"], "is an unknown key").var("SLOSH_CONFIG", &keys),
        case("a million palettes", ["config"], "at most").var("SLOSH_CONFIG", &palettes),
        case("a scene without end", ["render", &link("/dev/zero", "zero.toml")], "is not a regular file"),
        case("a scene that is a pipe", ["render", &scene_pipe], "is not a regular file"),
        case("a drawing that is a pipe", ["render", "dam", "--obstacles", &pipe], "is not a regular file"),
        case("a page that is a pipe", ["render", "--melt", &pipe], "is not a regular file"),
        case("settings that are a pipe", ["config"], "is not a regular file").var("SLOSH_CONFIG", &pipe),
        case("a time zone without end", ["clock"], "TZ: /dev/zero is not").var("TZ", "/dev/zero"),
        case("a time zone that is a pipe", ["clock"], "is not a time zone").var("TZ", &format!(":{pipe}")),
        case("a drawing without end", ["render", "dam", "--obstacles", "-"], "longer than a drawing")
            .endless(b"## ##\n"),
        case("a page without end", ["render", "--melt", "-"], "longer than a screen").endless(b"\x1b[31mpage \n"),
        case("a page of controls without end", ["render", "--melt", "-"], "longer than a screen")
            .endless(b"\x1b[999999999b\x1b[99999T"),
        case("words without end", ["render", "--text", "-"], "longer than").endless(b"word "),
        case(
            "16 kB of words",
            ["render", "--text", &fs::read_to_string(&words).expect("words")],
            "too many to be legible",
        ),
        case("100 kB of blanks", ["render", "--text", "-"], "to").stdin(format!("a{}b", " ".repeat(60_000))),
        case("64 kB of lines", ["render", "--text", "-"], "too many to be legible").stdin("a\n".repeat(30_000)),
        case(
            "a code that sets much",
            ["play", &code(&format!("dam\n1\nwater\ndensity\n{}", "gravity=1\n".repeat(9000)))],
            "a code may set",
        ),
        case("a flag's list", ["render", "dam", "--set", &format!("gravity=[{}]", "0,".repeat(60_000))], "gravity"),
        case(
            "a code's list",
            ["play", &code(&format!("dam\n1\nwater\ndensity\nliquid=[{}]", "0,".repeat(40_000)))],
            "liquid",
        ),
        case("a long name", ["render", &"x".repeat(120_000)], "unknown scene"),
        case("a long value", ["render", "dam", "--set", &format!("gravity={}", "[".repeat(100_000))], "gravity"),
        case("a long setting", ["config"], "SLOSH_GLYPHS").var("SLOSH_GLYPHS", &"x".repeat(100_000)),
    ];
    check(&cases);
}

#[test]
fn a_failed_write_of_the_help_is_an_error() {
    for args in ["--help", "--version", "render --help", "list", "man", "config", "completions bash"] {
        let script = format!("{SLOSH} {args} > /dev/full");
        let output = program::command("/bin/sh").args(["-c", &script]).finished();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && said.contains("slosh: "), "{args}: {:?}, {said}", output.status);
        let script = format!("{SLOSH} {args} | head -c 1 >/dev/null");
        let output = program::command("/bin/sh").args(["-c", &script]).finished();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args}");
    }
}

/// In a terminal: names, descriptions, palettes, pages and recordings are shown, and none of their characters takes
/// effect.
#[test]
fn nothing_hostile_gets_through_a_picture() {
    let folder = folder("pictures");
    let pool = "[[liquid]]\nbox = [0, 0, 1, 0.4]\n";
    let name = format!("name = \"Evil{ESCAPED}\"\nabout = \"about {ESCAPED}\"\n{pool}");
    let scene = file(&folder, "scene.toml", &name);
    let palettes = format!("[[palettes]]\nname = \"Evil{ESCAPED}\"\ninherits = \"water\"\n");
    let config = file(&folder, "config.toml", format!("palette = \"Evil{ESCAPED}\"\n{palettes}"));
    let page =
        file(&folder, "page", format!("Evil {HOSTILE} \x1b]0;more\x07 {}\n", "\u{200b}\u{202e}\u{9d}52;c;x\u{9c}"));
    let say = |text: &str| format!("{{\"say\":\"Evil{text}\"}}\n");
    let frame = "{\"tick\":[16000000,1,0]}\n";
    // The checksum is wrong, so this ends with an error; the frames before it were shown.
    let log = file(&folder, "say.slosh", header("", "") + &say(ESCAPED) + frame + "{\"frame\":1}\n");
    let small = ["--particles", "100"];
    let cases: [(&str, Vec<&str>, &str, &[u8]); 5] = [
        ("a scene's name", [&[scene.as_str()][..], &small].concat(), "", b"np\ty"),
        ("a palette's name", [&["dam"][..], &small].concat(), &config, b"ccy"),
        ("a page", vec!["melt"], "", b""),
        ("words", vec!["text", "Evil\u{202e}\u{200b}\x1b]52;c;eA==\x07"], "", b""),
        ("a recording", vec!["play", &log], "", b""),
    ];
    for (what, args, config, keys) in cases {
        let script = format!("exec \"$0\" \"$@\" <{page}");
        let argv = ["/bin/sh", "-c", &script, SLOSH].into_iter().chain(args);
        let mut pty = Setup::new(argv).var("SLOSH_CONFIG", config).size(100, 30).answering().start();
        if what != "a recording" {
            pty.wait_for_picture();
            for key in keys {
                pty.send(&[*key]);
                let said = |pty: &Pty| pty.screen().contents().contains("Evil");
                // Not every key shows the text. The test is that nothing takes effect.
                pty.pump_until(Duration::from_millis(700), said);
            }
            pty.pump(Duration::from_millis(300));
            pty.signal(rustix::process::Signal::TERM);
        }
        assert!(pty.end(Duration::from_secs(10)).is_some(), "{what}: it does not end");
        assert_eq!(pty.traces(), [""; 0], "{what}: {:?}", pty.tail());
        let wrote = String::from_utf8_lossy(&pty.output);
        let hidden = wrote.chars().find(|&c| is_raw(c) && !matches!(c, '\x1b' | '\x07' | '\x08' | '\t' | '\r'));
        assert_eq!(hidden, None, "{what}");
        for sequence in ["\x1b]52", "\x1b]2;", "\x1b]0;"] {
            // y copies a share code, which is slosh's own text; the user's scenes have none.
            let own = sequence == "\x1b]52" && what == "a palette's name";
            assert!(own || !wrote.contains(sequence), "{what}: {sequence:?} was written");
        }
    }
}
