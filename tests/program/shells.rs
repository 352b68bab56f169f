//! The output of slosh for shells, tried in real shells.
#![cfg(unix)]

use crate::program::{self, Finished, SLOSH, SOON, folder};
use crate::pty::{Pty, Setup};
use crate::scene_page;
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

fn is_installed(program: &str) -> bool {
    program::is_installed(program, program)
}

/// The output of a program.
fn output(program: &str, args: &[&str]) -> String {
    let output = program::command(program).args(args).stdin(Stdio::null()).finished();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {args:?}: {said}");
    assert_eq!(said, "", "{program} {args:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

// ---- completions ----

/// A folder for testing completions: slosh in `PATH`, a settings file with a palette and a theme of the user's own, and
/// a scene file.
struct CompletionRoom {
    folder: PathBuf,
}

impl CompletionRoom {
    fn new(name: &str) -> Self {
        let folder = folder(name);
        std::os::unix::fs::symlink(SLOSH, folder.join("slosh")).expect("a link");
        fs::create_dir_all(folder.join("config/slosh")).expect("a folder");
        let settings = "[[palettes]]\nname = \"mypalette\"\nabout = \"mine\"\ninherits = \"water\"\n\n\
                        [[themes]]\nname = \"mytheme\"\nabout = \"mine\"\npalette = \"mypalette\"\n";
        fs::write(folder.join("config/slosh/config.toml"), settings).expect("written");
        fs::write(folder.join("myscene.toml"), "about = \"mine\"\n").expect("written");
        fs::write(folder.join("odd name.toml"), "about = \"odd\"\n").expect("written");
        fs::write(folder.join("mynotes.txt"), "none of ours").expect("written");
        Self { folder }
    }

    fn path(&self) -> String {
        format!("{}:{}", self.folder.display(), std::env::var("PATH").unwrap_or_default())
    }

    fn config(&self) -> String {
        self.folder.join("config").display().to_string()
    }

    /// Starts a shell in this folder.
    fn shell<const N: usize>(&self, argv: [&str; N]) -> Pty {
        let home = self.folder.to_str().expect("UTF-8");
        let setup = Setup::new(argv).var("HOME", home).var("PATH", &self.path()).var("XDG_CONFIG_HOME", &self.config());
        let mut shell = setup.var("XDG_DATA_HOME", home).var("XDG_CACHE_HOME", home).start();
        shell.pump(Duration::from_millis(200));
        shell.send(format!(" cd {home}; echo in''side\r").as_bytes());
        assert!(shell.pump_until(SOON, |shell| shell.screen().contents().contains("\ninside")), "{}", shell.tail());
        shell
    }
}

/// The text typed before Tab, and the line after it: subcommands, their flags and positionals, the user's own names,
/// files.
const COMPLETED: [(&str, &str); 16] = [
    ("slosh ren", "slosh render"),
    ("slosh --pal", "slosh --palette"),
    ("slosh --palette lav", "slosh --palette lava"),
    ("slosh --palette myp", "slosh --palette mypalette"),
    ("slosh saver --theme myt", "slosh saver --theme mytheme"),
    ("slosh render --glyphs sex", "slosh render --glyphs sextant"),
    ("slosh render --sec", "slosh render --seconds"),
    ("slosh init fi", "slosh init fish"),
    ("slosh fou", "slosh fountain"),
    ("slosh probe hourg", "slosh probe hourglass"),
    ("slosh mys", "slosh myscene.toml"),
    ("slosh completions fi", "slosh completions fish"),
    ("slosh saver --scenes dam,lava-", "slosh saver --scenes dam,lava-lamp"),
    ("slosh dam --obstacles myn", "slosh dam --obstacles mynotes.txt"),
    ("slosh play mys", "slosh play myscene.toml"),
    ("slosh --record=myn", "slosh --record=mynotes.txt"),
];

/// Types each line and Tab in a shell that has loaded its completions.
fn assert_completes(shell: &mut Pty) {
    // `complete -C` of fish would not show the quotes.
    for (typed, completed) in COMPLETED.into_iter().chain([("slosh odd", "slosh odd\\ name.toml")]) {
        shell.send(b"\x15");
        shell.send(typed.as_bytes());
        shell.send(b"\t");
        // A complete name is followed by a blank, the beginning of a longer one is not.
        let done = |shell: &Pty| {
            let contents = shell.screen().contents();
            contents.lines().last().is_some_and(|line| line.trim_end().ends_with(completed))
        };
        assert!(shell.pump_until(SOON, done), "{typed:?} gives {:?}", shell.screen().contents());
        shell.send(b"\x15\x0c");
        shell.pump(Duration::from_millis(50));
    }
}

#[test]
fn bash_completes_commands_flags_names_and_files() {
    if !is_installed("bash") {
        return;
    }
    let mut bash = CompletionRoom::new("completions-bash").shell(["bash", "--norc", "--noprofile", "-i"]);
    bash.send(b"bind 'set enable-bracketed-paste off'; PS1='> '; source <(slosh completions bash); echo lo''aded\r");
    assert!(bash.pump_until(SOON, |bash| bash.screen().contents().contains("\nloaded")), "{}", bash.tail());
    assert_completes(&mut bash);
}

#[test]
fn zsh_completes_commands_flags_names_and_files() {
    if !is_installed("zsh") {
        return;
    }
    let mut zsh = CompletionRoom::new("completions-zsh").shell(["zsh", "-f", "-i"]);
    let load = "PS1='> '; slosh completions zsh > _slosh; fpath=($PWD $fpath); autoload -U compinit; compinit -D -u; echo lo''aded\r";
    zsh.send(load.as_bytes());
    assert!(zsh.pump_until(SOON, |zsh| zsh.screen().contents().contains("\nloaded")), "{}", zsh.tail());
    assert_completes(&mut zsh);
}

#[test]
fn fish_completes_commands_flags_names_and_files() {
    if !is_installed("fish") {
        return;
    }
    let room = CompletionRoom::new("completions-fish");
    // `complete -C` returns what Tab would. On a terminal, fish also draws its autosuggestion.
    for (typed, completed) in COMPLETED {
        let ask = format!("slosh completions fish | source; complete -C '{typed}'");
        let mut fish = program::command("fish");
        fish.args(["--no-config", "-c", &ask]).current_dir(&room.folder).stdin(Stdio::null());
        fish.env("PATH", room.path()).env("XDG_CONFIG_HOME", room.config()).env("HOME", &room.folder);
        let offered = String::from_utf8(fish.finished().stdout).expect("UTF-8");
        let wanted = completed.rsplit(' ').next().expect("a word");
        let first = offered.lines().next().and_then(|line| line.split('\t').next());
        assert_eq!(first, Some(wanted), "{typed:?} gives {offered:?}");
        assert!(completed.contains("mynotes") || !offered.contains("mynotes"), "{typed:?} gives {offered:?}");
    }
}

#[test]
fn elvish_and_powershell_get_scripts_that_ask_slosh() {
    let elvish = output(SLOSH, &["completions", "elvish"]);
    assert!(elvish.contains("set edit:completion:arg-completer[slosh] ="), "{elvish}");
    let powershell = output(SLOSH, &["completions", "powershell"]);
    assert!(powershell.contains("Register-ArgumentCompleter -Native -CommandName slosh"), "{powershell}");
    // The command that each script runs at Tab. elvish also passes the index of the word.
    for (shell, variables) in
        [("elvish", vec![("_CLAP_COMPLETE_INDEX", "1"), ("_CLAP_IFS", "\n")]), ("powershell", vec![])]
    {
        let mut asked = program::slosh();
        asked.args(["--", "slosh", "hourg"]).env("SLOSH_COMPLETE", shell).envs(variables);
        let answer = String::from_utf8(asked.finished().stdout).expect("UTF-8");
        assert_eq!(answer.trim(), "hourglass", "{shell}");
    }
}

#[test]
fn an_unknown_shell_is_refused_with_the_list_of_shells() {
    let output = program::slosh().args(["completions", "tcsh"]).finished();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        assert!(said.contains(shell), "{said}");
    }
}

// ---- the manual ----

#[test]
fn the_manual_names_every_flag_key_and_setting() {
    let page = output(SLOSH, &["man"]);
    let plain = page.replace("\\-", "-").replace("\\fB", "").replace("\\fR", "");
    let help = output(SLOSH, &["--help"]);
    for flag in help.split_whitespace().filter(|word| word.starts_with("--") && word.len() > 2) {
        assert!(plain.contains(flag.trim_end_matches([',', '.'])), "{flag} is not in the manual");
    }
    let sections = [".SH \"EXIT STATUS\"", ".SH ENVIRONMENT", ".SH FILES", ".SH EXAMPLES", ".SH \"SEE ALSO\""];
    for section in sections {
        assert!(plain.contains(section), "{section} is not in the manual");
    }
    for word in ["NO_COLOR", "CLICOLOR_FORCE", "COLORTERM", "SLOSH_CONFIG", "slosh saver -p lagoon", "128+N"] {
        assert!(plain.contains(word), "{word} is not in the manual");
    }
    // It has no internal commands.
    assert!(!plain.to_lowercase().contains("wait-idle"));
    for word in [".TH SLOSH 1", "SLOSH RENDER", "KEYS AND MOUSE", "shift+arrows", "SLOSH_PALETTE", "tilt"] {
        assert!(plain.contains(word), "{word} is not in the manual");
    }
    if is_installed("mandoc") {
        let file = folder("mandoc").join("slosh.1");
        fs::write(&file, &page).expect("written");
        assert_eq!(output("mandoc", &["-T", "lint", file.to_str().expect("UTF-8")]), "");
    }
    if is_installed("man") {
        let file = folder("manual").join("slosh.1");
        fs::write(&file, &page).expect("written");
        let shown = output("man", &["--warnings", "-l", file.to_str().expect("UTF-8")]);
        assert!(shown.contains("--palette <P>") && shown.contains("KEYS AND MOUSE"), "{shown}");
    }
}

#[test]
fn the_manual_of_scenes_has_every_key_of_its_page() {
    let page = scene_page::page();
    let source = include_str!("../../docs/scene-format.md");
    let plain = page.replace("\\-", "-").replace("\\(aq", "'").replace("\\*(Aq", "'");
    let keys = source.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    for key in keys {
        assert!(plain.contains(&format!("\\fB{key}")), "{key} is not in the manual");
    }
    assert!(plain.contains(".TH SLOSH-SCENE 5") && plain.contains("toward = [0, -1]"));
    // It has no table of contents.
    assert!(!plain.contains("\nExample\n"));
    if is_installed("mandoc") {
        let file = folder("mandoc-scene").join("slosh-scene.5");
        fs::write(&file, &page).expect("written");
        assert_eq!(output("mandoc", &["-T", "lint", file.to_str().expect("UTF-8")]), "");
    }
}

// ---- starting on idle ----

/// A shell in a terminal with the snippet loaded: idle after two seconds, then a locker.
fn idle_shell(argv: &[&str], load: &str) -> Pty {
    let home = folder(&format!("idle-{}", argv[0]));
    let home = home.to_str().expect("UTF-8");
    let dirs = ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"];
    let setup = dirs.into_iter().fold(Setup::new(argv.iter().copied()), |setup, name| setup.var(name, home));
    let mut shell = setup.var("SLOSH_PARTICLES", "100").var("SLOSH_FPS", "10").start();
    shell.pump(Duration::from_millis(300));
    shell.send(format!("{load}; echo load''ed\r").as_bytes());
    assert!(shell.pump_until(SOON, |shell| shell.screen().contents().contains("\nloaded")), "{:?}", shell.tail());
    shell
}

fn plays(shell: &Pty) -> bool {
    shell.screen().alternate_screen()
}

fn is_at_the_prompt(shell: &Pty) -> bool {
    !plays(shell)
}

/// The screensaver covers a half-typed line, a key ends it, the locker runs until it gets the password, whatever keys
/// are pressed, and the line is still there.
fn assert_saves_the_screen(shell: &mut Pty, pause: u64) {
    // The screensaver does not start while the user types.
    for key in b"echo kept" {
        shell.send(&[*key]);
        assert!(!shell.pump_until(Duration::from_millis(pause), plays), "it starts while the user types");
    }
    assert!(shell.pump_until(SOON, plays), "no screensaver; the shell shows {:?}", shell.screen().contents());
    shell.pump(Duration::from_millis(1300));
    shell.send(b"x");
    // Ctrl-C, Ctrl-Z and Ctrl-\, repeatedly, between the two programs and after them.
    let locked = |shell: &Pty| shell.screen().contents().contains("LOCKED");
    for _ in 0..1000 {
        shell.send(b"\x03\x1a\x1c");
        if shell.pump_until(Duration::from_millis(1), |shell| is_at_the_prompt(shell) && locked(shell)) {
            break;
        }
    }
    assert!(shell.pump_until(SOON, is_at_the_prompt), "the key does not end it");
    assert!(shell.pump_until(SOON, locked), "no locker: {:?}", shell.screen().contents());
    for _ in 0..30 {
        shell.send(b"\x03\x1a\x1c");
        shell.pump(Duration::from_millis(1));
    }
    // A locker expects a terminal in which Return ends the line.
    shell.send(b"sesame\r");
    let refused = |shell: &Pty| shell.screen().contents().contains("WRONG");
    assert!(shell.pump_until(SOON, refused), "Return does not reach the locker: {:?}", shell.screen().contents());
    shell.send(b"open\r");
    let opened = |shell: &Pty| shell.screen().contents().contains("UNLOCKED");
    assert!(shell.pump_until(SOON, opened), "it does not open: {:?}", shell.screen().contents());
    shell.pump(Duration::from_millis(200));
    shell.send(b"-line\r");
    let kept = |shell: &Pty| shell.screen().contents().contains("\nkept-line");
    assert!(shell.pump_until(SOON, kept), "the line is lost: {:?}", shell.screen().contents());
    // The line editor has its signals and its mode again.
    shell.send(b"echo neither\x03");
    // Input shortly after an interrupt may be dropped with it.
    let alive = |shell: &Pty| shell.screen().contents().contains("\nafter");
    let answers = (0..20).any(|_| {
        shell.pump(Duration::from_millis(300));
        shell.send(b"\x15echo after\r");
        shell.pump_until(Duration::from_millis(400), alive)
    });
    assert!(answers, "the shell is gone: {:?}", shell.screen().contents());
    let shown = shell.screen().contents();
    assert!(!shown.contains("\nneither") && !shown.contains('x'), "the key has no effect: {shown:?}");
    // It starts again, but not while a job is in the foreground.
    shell.send(b"sleep 3\r");
    assert!(!shell.pump_until(Duration::from_millis(2500), plays), "it disturbs a job");
    assert!(shell.pump_until(SOON, plays), "it comes only once");
}

/// A locker that opens at a word instead of a password. zsh draws its prompt over the last line of the command's
/// output.
const LOCKER: &str = r#"printf 'locked ' | tr a-z A-Z
while IFS= read -r word && [ "$word" != open ]; do printf 'wrong ' | tr a-z A-Z; done
echo unlocked | tr a-z A-Z
echo
"#;

/// The flags of `slosh init` for the locker.
fn lock(shell: &str) -> String {
    let locker = folder(&format!("locker-{shell}")).join("lock.sh");
    fs::write(&locker, LOCKER).expect("written");
    format!("--seconds 2 --lock \"sh {}\"", locker.display())
}

#[test]
fn zsh_saves_its_screen() {
    if is_installed("zsh") {
        let mut zsh =
            idle_shell(&["zsh", "-f", "-i"], &format!("PS1='> '; eval \"$({SLOSH} init zsh {})\"", lock("zsh")));
        // Longer than the limit, because zsh would count from the prompt.
        assert_saves_the_screen(&mut zsh, 400);
    }
}

#[test]
fn bash_saves_its_screen() {
    if is_installed("bash") {
        let argv = ["bash", "--norc", "--noprofile", "-i"];
        let mut bash = idle_shell(&argv, &format!("PS1='> '; eval \"$({SLOSH} init bash {})\"", lock("bash")));
        // No pause: the kernel reports a key with a resolution of eight seconds, and the limit is two.
        assert_saves_the_screen(&mut bash, 0);
    }
}

#[test]
fn fish_saves_its_screen() {
    if is_installed("fish") {
        let mut fish =
            idle_shell(&["fish", "--no-config", "-i"], &format!("{SLOSH} init fish {} | source", lock("fish")));
        assert_saves_the_screen(&mut fish, 0);
    }
}

/// Traps that existed when the snippet is loaded still run.
#[test]
fn bash_keeps_the_trap_at_its_end() {
    if !is_installed("bash") {
        return;
    }
    let script = format!(
        "trap 'echo \"it'\"'\"'s over\"' EXIT; eval \"$({SLOSH} init bash)\"; eval \"$({SLOSH} init bash)\"; echo $# \"$1\""
    );
    let said = output("bash", &["--norc", "-c", &script, "bash", "an argument"]);
    assert_eq!(said, "1 an argument\nit's over\n");
}

#[test]
fn zsh_keeps_its_alarm_and_its_interval() {
    if !is_installed("zsh") {
        return;
    }
    let load = format!(
        "PS1='> '; TMOUT=1; TRAPALRM() {{ ticks+=i; zle reset-prompt }}; eval \"$({SLOSH} init zsh --seconds 100)\"; \
         eval \"$({SLOSH} init zsh --seconds 100)\""
    );
    let mut zsh = idle_shell(&["zsh", "-f", "-i"], &load);
    zsh.pump(Duration::from_millis(2500));
    zsh.send(b"echo ti''cks $TMOUT $ticks\r");
    let shown = |zsh: &Pty| zsh.screen().contents().contains("\nticks 1 ii");
    assert!(zsh.pump_until(SOON, shown), "{:?}", zsh.screen().contents());
}

/// With TMOUT, bash itself takes SIGALRM for the end of an idle session.
#[test]
fn bash_with_a_time_limit_of_its_own_is_not_ended() {
    if !is_installed("bash") {
        return;
    }
    let load = format!("PS1='> '; TMOUT=60; eval \"$({SLOSH} init bash --seconds 1)\"");
    let mut bash = idle_shell(&["bash", "--norc", "--noprofile", "-i"], &load);
    // The kernel keeps the time of the last key in steps of eight seconds.
    bash.pump(Duration::from_secs(10));
    bash.send(b"echo ali''ve\r");
    assert!(bash.pump_until(SOON, |bash| bash.screen().contents().contains("\nalive")), "{:?}", bash.tail());
}

#[test]
fn zsh_with_a_fixed_time_limit_keeps_it() {
    if !is_installed("zsh") {
        return;
    }
    let load = format!("PS1='> '; typeset -r TMOUT=4; eval \"$({SLOSH} init zsh --seconds 1)\"");
    let mut zsh = idle_shell(&["zsh", "-f", "-i"], &load);
    assert!(!zsh.screen().contents().contains("read-only"), "{:?}", zsh.tail());
    assert!(zsh.end(SOON).is_some(), "it does not end: {:?}", zsh.tail());
    assert!(zsh.screen().contents().contains("timeout"), "{:?}", zsh.tail());
}

/// A multiplexer that shows some text: the screensaver covers it on idle, and a key restores it.
fn assert_is_covered_on_idle(multiplexer: &mut Pty) {
    let shown = |pty: &Pty| pty.screen().contents().contains("text-in-the-pane");
    let covered = |pty: &Pty| !shown(pty) && pty.screen().contents().chars().any(|c| c >= '\u{2580}');
    assert!(multiplexer.pump_until(SOON, shown), "{:?}", multiplexer.screen().contents());
    assert!(multiplexer.pump_until(SOON, covered), "no screensaver: {:?}", multiplexer.screen().contents());
    multiplexer.pump(Duration::from_millis(1300));
    assert!(covered(multiplexer), "it has ended by itself");
    multiplexer.send(b"x");
    assert!(multiplexer.pump_until(SOON, shown), "no key ends it: {:?}", multiplexer.screen().contents());
}

const PANE: &str = "echo text-in-the-pane; exec sleep 60";

#[test]
fn tmux_saves_its_screen() {
    if !is_installed("tmux") {
        return;
    }
    let conf = folder("idle-tmux").join("tmux.conf");
    fs::write(&conf, output(SLOSH, &["init", "tmux", "--seconds", "2"])).expect("written");
    let socket = format!("slosh-idle-{}", std::process::id());
    let conf = conf.to_str().expect("UTF-8");
    let tmux = ["tmux", "-L", &socket, "-f", conf, "new-session", "sh", "-c", PANE];
    let mut tmux = Setup::new(tmux).var("SLOSH_PARTICLES", "100").start();
    assert_is_covered_on_idle(&mut tmux);
    output("tmux", &["-L", &socket, "kill-server"]);
}

#[test]
fn screen_saves_its_screen() {
    if !is_installed("screen") {
        return;
    }
    let folder = folder("idle-screen");
    let rc = folder.join("screenrc");
    let text = format!("startup_message off\n{}", output(SLOSH, &["init", "screen", "--seconds", "2"]));
    fs::write(&rc, text).expect("written");
    let sockets = std::env::temp_dir().join(format!("slosh-screen-{}", std::process::id()));
    fs::create_dir_all(&sockets).expect("a folder");
    fs::set_permissions(&sockets, std::os::unix::fs::PermissionsExt::from_mode(0o700)).expect("ours");
    let argv = ["screen", "-U", "-c", rc.to_str().expect("UTF-8"), "sh", "-c", PANE];
    // The terminal answers all queries of screen, which reads the answers as keys.
    let setup = Setup::new(argv).var("SCREENDIR", sockets.to_str().expect("UTF-8")).var("SLOSH_PARTICLES", "100");
    let mut screen = setup.answering().start();
    assert_is_covered_on_idle(&mut screen);
    assert_eq!(screen.screen().contents().trim(), "text-in-the-pane");
    assert!(!screen.screen().hide_cursor(), "the cursor is hidden");
    assert_eq!(screen.screen().mouse_protocol_mode(), vt100::MouseProtocolMode::None);
    screen.send(b"\x01\\y");
    screen.end(SOON);
    let _ = fs::remove_dir_all(&sockets);
}

/// By default GNU screen has no alternate screen: the prompt must be on a cleared screen.
#[test]
fn without_an_alternate_screen_the_picture_is_cleared() {
    if !is_installed("screen") {
        return;
    }
    let rc = folder("plain-screen").join("screenrc");
    fs::write(&rc, "startup_message off\n").expect("written");
    let sockets = std::env::temp_dir().join(format!("slosh-plain-{}", std::process::id()));
    fs::create_dir_all(&sockets).expect("a folder");
    fs::set_permissions(&sockets, std::os::unix::fs::PermissionsExt::from_mode(0o700)).expect("ours");
    let argv = ["screen", "-U", "-c", rc.to_str().expect("UTF-8"), "sh", "-i"];
    let setup = Setup::new(argv).var("SCREENDIR", sockets.to_str().expect("UTF-8")).var("PS1", "prompt> ");
    let mut screen = setup.var("ENV", "/dev/null").var("SLOSH_PARTICLES", "100").answering().start();
    let prompt = |pty: &Pty| pty.screen().contents().contains("prompt>");
    let picture = |pty: &Pty| pty.screen().contents().chars().any(|c| c >= '\u{2580}');
    assert!(screen.pump_until(SOON, prompt), "{:?}", screen.screen().contents());
    screen.send(format!("{SLOSH}\r").as_bytes());
    assert!(screen.pump_until(SOON, picture), "{:?}", screen.screen().contents());
    screen.send(b"q");
    let clear = |pty: &Pty| prompt(pty) && !picture(pty);
    assert!(screen.pump_until(SOON, clear), "{}", screen.screen().contents());
    screen.send(b"exit\r");
    screen.end(SOON);
    let _ = fs::remove_dir_all(&sockets);
}

#[test]
fn a_locker_for_screen_is_refused_with_advice() {
    let output = program::slosh().args(["init", "screen", "--lock", "vlock"]).finished();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("lockscreen"));
    let tmux = self::output(SLOSH, &["init", "tmux", "--lock", "vlock -a"]);
    assert!(tmux.contains("saver; vlock -a; stty") && tmux.contains("lock-after-time 300"), "{tmux}");
}
