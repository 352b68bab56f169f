//! The direction of imports: reads the `use` lines and the inline paths of every file.
//!
//! A module may import from lower floors only. Modules on one floor do not import each other, and no files import each
//! other in a circle, except that a file may import the type of its parent of which it implements a part.
//! `docs/architecture.md` describes the floors.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::OnceLock;
use syn::visit::{self, Visit};
use syn::{ItemMod, ItemUse, UseTree};

/// For each room, the rooms that it may import from. The longest prefix of a module's path determines its room.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("", &["app", "cell", "cli", "data", "math", "scene", "sim", "term", "view"]),
    ("cli", &["app", "cell", "data", "scene", "sim", "term", "view"]),
    ("app", &["cell", "data", "math", "scene", "sim", "term", "view"]),
    ("view", &["cell", "data", "math", "sim"]),
    ("term", &["cell"]),
    ("scene", &["data", "sim"]),
    ("cell", &["math"]),
    ("math", &[]),
    ("data", &[]),
    ("sim", SIM),
    (
        "sim::world",
        &[
            "sim::coupling",
            "sim::heat::particles",
            "sim::heat::transfer",
            "sim::definition",
            "sim::life",
            "sim::matters",
            "sim::base",
        ],
    ),
    ("sim::coupling", &["sim::matters", "sim::base"]),
    ("sim::definition", &["sim::life", "sim::matters", "sim::base"]),
    ("sim::life", &["sim::matters", "sim::base"]),
    ("sim::liquid", &["sim::heat::particles", "sim::heat::conduction", "sim::base"]),
    ("sim::grid_fluid", &["sim::heat::cells", "sim::base"]),
    ("sim::cloth", &["sim::base"]),
    ("sim::rigid", &["sim::base"]),
    ("sim::boundary", &["sim::base"]),
    ("sim::clock", &[]),
    // Its passes work on what matters are made of, and matters call them. No files import each other in a circle.
    ("sim::heat", &["sim::base"]),
    ("sim::heat::particles", &["sim::liquid", "sim::base"]),
    ("sim::heat::conduction", &["sim::heat::particles", "sim::liquid", "sim::base"]),
    ("sim::heat::cells", &["sim::heat::steam", "sim::grid_fluid", "sim::base"]),
    ("sim::heat::steam", &["sim::grid_fluid", "sim::base"]),
    ("sim::heat::transfer", &["sim::matters", "sim::base"]),
    ("sim::neighbors", &["sim::base"]),
    ("sim::observer", &[]),
    ("sim::parallel", &["sim::base"]),
    ("sim::particles", &["sim::base"]),
    ("sim::forces", &["sim::base"]),
    ("sim::runge_kutta_legendre", &[]),
    ("sim::statistics", &[]),
    ("sim::step_context", &["sim::base"]),
];

/// The parts of `sim`. `sim.rs` itself only declares them.
const SIM: &[&str] = &["sim::world", "sim::base"];

/// Names for groups of rooms.
const GROUPS: &[(&str, &[&str])] = &[
    ("sim::matters", &["sim::liquid", "sim::grid_fluid", "sim::cloth", "sim::rigid"]),
    (
        "sim::base",
        &[
            "math",
            "sim::boundary",
            "sim::clock",
            "sim::heat",
            "sim::neighbors",
            "sim::observer",
            "sim::parallel",
            "sim::particles",
            "sim::forces",
            "sim::runge_kutta_legendre",
            "sim::statistics",
            "sim::step_context",
        ],
    ),
];

/// Module path → the paths in its code. Tests add lines to it.
type Sources = BTreeMap<String, Paths>;

fn sources(root: &Path) -> Sources {
    fn walk(folder: &Path, module: &str, all: &mut Sources) {
        for entry in fs::read_dir(folder).expect("a folder of the crate") {
            let path = entry.expect("an entry").path();
            let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let inner = if module.is_empty() { stem.clone() } else { format!("{module}::{stem}") };
            if path.is_dir() {
                walk(&path, &inner, all);
            } else if path.extension().is_some_and(|it| it == "rs") && stem != "main" {
                let module = if inner == "lib" { String::new() } else { inner };
                all.insert(module, Paths::of(&fs::read_to_string(&path).expect("a source file")));
            }
        }
    }
    let mut all = Sources::new();
    walk(root, "", &mut all);
    all
}

/// Returns the module of `all` that a path in `module` refers to, if it is in this crate. Re-exported names resolve to
/// their origin.
fn resolve(all: &Sources, reexports: &Reexports, module: &str, path: &str) -> Option<String> {
    let absolute = absolute(all, module, path)?;
    let split = (0..=absolute.len()).rev().find(|&length| all.contains_key(&absolute[..length].join("::")))?;
    let found = absolute[..split].join("::");
    let origin = absolute.get(split).and_then(|name| reexports.get(&(found.clone(), name.clone())));
    Some(origin.cloned().unwrap_or(found))
}

/// Returns the path from the crate's root, of a path that begins in this crate.
fn absolute(all: &Sources, module: &str, path: &str) -> Option<Vec<String>> {
    let mut parts: Vec<&str> = path.split("::").collect();
    let mut absolute: Vec<&str> = if module.is_empty() { Vec::new() } else { module.split("::").collect() };
    match parts[0] {
        "crate" => {
            absolute.clear();
            parts.remove(0);
        }
        "self" => _ = parts.remove(0),
        "super" => {
            while parts.first() == Some(&"super") {
                absolute.pop()?;
                parts.remove(0);
            }
        }
        first => {
            let child = if module.is_empty() { first.to_owned() } else { format!("{module}::{first}") };
            all.contains_key(&child).then_some(())?;
        }
    }
    absolute.extend(parts);
    Some(absolute.into_iter().map(str::to_owned).collect())
}

/// (Module, name) → the module that the name comes from.
type Reexports = BTreeMap<(String, String), String>;

/// Returns the re-exports of all modules.
fn reexports(all: &Sources) -> Reexports {
    let mut reexports = Reexports::new();
    for (module, paths) in all {
        for path in &paths.reexported {
            let Some(absolute) = absolute(all, module, path) else { continue };
            let (name, origin) = absolute.split_last().expect("a path has parts");
            if all.contains_key(&origin.join("::")) && !all.contains_key(&absolute.join("::")) {
                reexports.insert((module.clone(), name.clone()), origin.join("::"));
            }
        }
    }
    reexports
}

/// The paths in a file: those of its `use` lines, and those in its code that begin in this crate. Test-only code does
/// not count.
#[derive(Clone, Default)]
struct Paths {
    /// Depth of the inline modules that the visitor is in.
    inside: usize,
    found: Vec<(usize, String)>,
    /// The paths of `pub use`.
    reexported: Vec<String>,
}

impl Paths {
    fn of(text: &str) -> Self {
        let mut paths = Self::default();
        paths.visit_file(&syn::parse_file(text).expect("a file that compiles"));
        paths
    }

    fn leaves(&mut self, prefix: &str, tree: &UseTree) {
        let path = |name: &dyn std::fmt::Display| format!("{prefix}{name}");
        match tree {
            UseTree::Path(tree) => self.leaves(&format!("{prefix}{}::", tree.ident), &tree.tree),
            UseTree::Name(name) => self.found.push((self.inside, path(&name.ident))),
            UseTree::Rename(name) => self.found.push((self.inside, path(&name.ident))),
            UseTree::Glob(_) => self.found.push((self.inside, path(&"*"))),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.leaves(prefix, tree)),
        }
    }

    fn note(&mut self, path: &[String]) {
        if path.len() > 1 && matches!(path[0].as_str(), "crate" | "super") {
            self.found.push((self.inside, path.join("::")));
        }
    }

    /// Collects paths among the tokens of a macro, which has a grammar of its own.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.note(&std::mem::take(&mut path));
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                other => {
                    self.note(&std::mem::take(&mut path));
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        self.note(&path);
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let first = self.found.len();
        self.leaves("", &item.tree);
        if !matches!(item.vis, syn::Visibility::Inherited) {
            self.reexported.extend(self.found.drain(first..).map(|(_, path)| path));
        }
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        let is_test = |attribute: &syn::Attribute| {
            attribute.path().is_ident("cfg") && attribute.meta.to_token_stream().to_string().contains("test")
        };
        if !item.attrs.iter().any(is_test) {
            self.inside += 1;
            visit::visit_item_mod(self, item);
            self.inside -= 1;
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.note(&names);
        visit::visit_path(self, path);
    }

    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}

    fn visit_macro(&mut self, macro_call: &'ast syn::Macro) {
        self.tokens(macro_call.tokens.clone());
    }
}

/// Returns the imports of each module.
fn imports(all: &Sources) -> BTreeMap<&str, BTreeSet<String>> {
    let reexports = reexports(all);
    let of = |module: &str, paths: &Paths| {
        let mut found = BTreeSet::new();
        // Re-exporting the module's own parts is no import; re-exporting another module is.
        let others = paths.reexported.iter().filter(|path| {
            absolute(all, module, path)
                .is_none_or(|path| !format!("{}::", path.join("::")).starts_with(&format!("{module}::")))
        });
        for (inside, path) in paths.found.iter().cloned().chain(others.map(|path| (0, path.clone()))) {
            // `super` within an inline module refers to the file.
            let path = (0..inside)
                .fold(path, |path, _| path.strip_prefix("super::").map_or(path.clone(), |it| format!("self::{it}")));
            found.extend(resolve(all, &reexports, module, &path));
        }
        found.remove(module);
        found
    };
    all.iter().map(|(module, paths)| (module.as_str(), of(module, paths))).collect()
}

/// Returns the room of a module.
fn room(module: &str) -> &'static str {
    let is_in = |room: &&str| room.is_empty() || module == *room || module.starts_with(&format!("{room}::"));
    MAY_IMPORT.iter().map(|&(room, _)| room).filter(is_in).max_by_key(|room| room.len()).expect("the crate itself")
}

/// Returns every import that violates the floors, and every circle between files.
fn violations(all: &Sources) -> Vec<String> {
    let imports = imports(all);
    let mut wrong = Vec::new();
    for (module, targets) in &imports {
        let from = room(module);
        let allowed = MAY_IMPORT.iter().find(|(room, _)| *room == from).expect("its row").1;
        let allowed: BTreeSet<&str> = allowed
            .iter()
            .flat_map(|name| {
                GROUPS.iter().find(|(group, _)| group == name).map_or(vec![*name], |(_, all)| all.to_vec())
            })
            .collect();
        for target in targets {
            let to = room(target);
            let whole = to.split("::").next().unwrap_or(to);
            // A module that may import `sim` may import all its parts, and the parts may import the items of `sim.rs`
            // itself.
            let as_a_whole = allowed.contains(whole) && !from.starts_with("sim");
            let shared = to == "sim" && from.starts_with("sim::");
            if !(to == from || allowed.contains(to) || as_a_whole || shared) {
                wrong.push(format!("{module} imports {target}: {from:?} may not import {to:?}"));
            }
        }
    }
    let is_parent = |module: &str, target: &str| module.strip_prefix(target).is_some_and(|rest| rest.starts_with("::"));
    let mut others = imports.clone();
    others.iter_mut().for_each(|(module, targets)| targets.retain(|target| !is_parent(module, target)));
    wrong.extend(circles(&others).iter().map(|circle| format!("a circle: {}", circle.join(" ↔ "))));
    wrong
}

/// Returns groups of modules that import each other, directly or indirectly (Tarjan 1972).
fn circles<'a>(imports: &BTreeMap<&'a str, BTreeSet<String>>) -> Vec<Vec<&'a str>> {
    struct Search<'a, 'b> {
        imports: &'b BTreeMap<&'a str, BTreeSet<String>>,
        index: BTreeMap<&'a str, usize>,
        low: BTreeMap<&'a str, usize>,
        stack: Vec<&'a str>,
        found: Vec<Vec<&'a str>>,
    }
    impl<'a> Search<'a, '_> {
        fn visit(&mut self, module: &'a str) {
            let number = self.index.len();
            self.index.insert(module, number);
            self.low.insert(module, number);
            self.stack.push(module);
            for target in &self.imports[module] {
                let Some((&target, _)) = self.imports.get_key_value(target.as_str()) else { continue };
                if !self.index.contains_key(target) {
                    self.visit(target);
                    self.low.insert(module, self.low[module].min(self.low[target]));
                } else if self.stack.contains(&target) {
                    self.low.insert(module, self.low[module].min(self.index[target]));
                }
            }
            if self.low[module] == number {
                let at = self.stack.iter().position(|&other| other == module).expect("it is on the stack");
                let mut group = self.stack.split_off(at);
                group.sort_unstable();
                if group.len() > 1 {
                    self.found.push(group);
                }
            }
        }
    }
    let mut search =
        Search { imports, index: BTreeMap::new(), low: BTreeMap::new(), stack: Vec::new(), found: Vec::new() };
    for &module in imports.keys() {
        if !search.index.contains_key(module) {
            search.visit(module);
        }
    }
    search.found
}

fn house() -> &'static Sources {
    static HOUSE: OnceLock<Sources> = OnceLock::new();
    HOUSE.get_or_init(|| sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")))
}

#[test]
fn every_import_goes_down_the_floors() {
    let all = house();
    assert!(all.len() > 150 && imports(all).values().map(BTreeSet::len).sum::<usize>() > 500, "imports are found");
    let wrong = violations(all);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns the violations after a line is added to one of the files.
fn planted(module: &str, line: &str) -> Vec<String> {
    let mut all = house().clone();
    let paths = all.get_mut(module).unwrap_or_else(|| panic!("no module {module}"));
    let more = Paths::of(line);
    paths.found.extend(more.found);
    paths.reexported.extend(more.reexported);
    violations(&all)
}

#[test]
fn an_upward_import_is_reported() {
    for (module, line, arrow) in [
        ("sim::liquid::springs", "use crate::scene::Scene;", "sim::liquid::springs imports scene"),
        ("sim::boundary", "use crate::sim::world::{World, queries};", "sim::boundary imports sim::world"),
        ("sim::cloth", "fn f() { crate::sim::rigid::g(); }", "sim::cloth imports sim::rigid"),
        ("view::field", "pub use crate::app::App as Toy;", "view::field imports app"),
        ("term::encoder", "use super::super::view::Palette;", "term::encoder imports view"),
        ("term::pacing", "use crate::{cell, view::{palette::Palette}};", "term::pacing imports view::palette"),
        ("app::action", "type T = crate::cli::Cli;", "app::action imports cli"),
        ("scene", "use crate::view::Glyphs;", "scene imports view"),
        ("cell", "use crate::data::DataError;", "cell imports data"),
    ] {
        let wrong = planted(module, line);
        assert!(wrong.iter().any(|wrong| wrong.starts_with(arrow)), "{line} in {module}: {wrong:?}");
    }
}

#[test]
fn a_circle_between_files_is_reported() {
    for (module, line) in [
        ("sim::particles", "use crate::sim::neighbors::pairs::Lanes;"),
        ("sim::cloth::topology", "use crate::sim::cloth::forces::Forces;"),
    ] {
        let wrong = planted(module, line);
        assert!(wrong.iter().any(|wrong| wrong.starts_with("a circle") && wrong.contains(module)), "{wrong:?}");
    }
    let comment = planted("sim::particles", "// use crate::app::App;");
    assert_eq!(comment, planted("sim::particles", ""), "a comment imports nothing");
}

/// Sines and powers of the standard library differ between systems in the last bit. The simulation and the picture must
/// use `math`.
#[test]
fn elementary_functions_are_the_same_on_every_system() {
    const SYSTEMS: [&str; 25] = [
        "exp",
        "exp2",
        "exp_m1",
        "ln",
        "ln_1p",
        "log2",
        "log10",
        "powf",
        "cbrt",
        "hypot",
        "sin_cos",
        "tan",
        "atan",
        "atan2",
        "sinh",
        "cosh",
        "tanh",
        "from_angle",
        "to_angle",
        "acos",
        "asin",
        "asinh",
        "acosh",
        "atanh",
        "log",
    ];
    struct Calls(Vec<String>);
    impl<'a> Visit<'a> for Calls {
        fn visit_item_mod(&mut self, module: &'a ItemMod) {
            if !module.attrs.iter().any(|attribute| attribute.to_token_stream().to_string().contains("test")) {
                visit::visit_item_mod(self, module);
            }
        }
        fn visit_expr_method_call(&mut self, call: &'a syn::ExprMethodCall) {
            let name = call.method.to_string();
            self.0.push(if ["sin", "cos"].contains(&&*name) { "sin_cos".to_owned() } else { name });
            visit::visit_expr_method_call(self, call);
        }
        fn visit_path(&mut self, path: &'a syn::Path) {
            self.0.extend(path.segments.last().map(|last| last.ident.to_string()));
            visit::visit_path(self, path);
        }
    }
    fn calls(folder: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).expect("a folder of the crate") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                calls(&path, found);
            } else if path.extension().is_some_and(|it| it == "rs") {
                let file = syn::parse_file(&fs::read_to_string(&path).expect("a source")).expect("it compiles");
                let mut calls = Calls(Vec::new());
                calls.visit_file(&file);
                let wrong = calls.0.into_iter().filter(|call| SYSTEMS.contains(&&**call));
                found.extend(wrong.map(|call| format!("{}: {call}", path.display())));
            }
        }
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    for room in ["sim", "view", "cell", "scene"] {
        calls(&source.join(room), &mut found);
    }
    assert!(found.is_empty(), "take these from crate::math: {found:#?}");
}
