//! Forbids identifiers of a former private vocabulary, which the field's terms have replaced.
//!
//! Only names without another meaning are listed; `reach`, `part` or `hold` are good words elsewhere. Comments, strings
//! and documents are not searched.

use quote::ToTokens;
use std::fs;
use std::path::{Path, PathBuf};

/// The former name, and its replacement.
const FORMER: [(&str, &str); 64] = [
    ("Attitude", "TankMotion"),
    ("Drowse", "SleepMap"),
    ("drowses", "allow_sleep"),
    ("let_drowse", "set_allow_sleep"),
    ("Crew", "ThreadPool"),
    ("lend_a_hand", "help_until"),
    ("BANDS_A_THREAD", "CHUNKS_PER_THREAD"),
    ("share_light", "parallel_for_coarse"),
    ("NOBODY", "INVALID_ID"),
    ("RECOIL", "ANTISYMMETRIC"),
    ("Crowding", "DensityKernel"),
    ("Mingling", "MultiphaseKernel"),
    ("Homes", "TargetPositions"),
    ("Grains", "ParticleLiquid"),
    ("goes_without_saying", "is_default_dye"),
    ("haste", "substep_factor"),
    ("weigh_in", "scale_by_mass"),
    ("MOST_LEVELLED", "MAX_EXCHANGE"),
    ("feel_walls", "add_boundary_density"),
    ("push_off_walls", "add_boundary_pressure"),
    ("hold_in_tank", "resolve_walls"),
    ("find_shore", "find_boundary_blocks"),
    ("rub_wall", "wall_friction"),
    ("FARTHEST_MOVE", "MAX_MOVE"),
    ("STIFFEST_STEP", "STABILITY_LIMIT"),
    ("MOST_VISCOUS", "MAX_VISCOUS_FRACTION"),
    ("Knot", "SpringPack"),
    ("knots", "packs"),
    ("unyielding", "time_since_yield"),
    ("tie_those", "create_where"),
    ("each_untied", "unconnected_pairs"),
    ("LOOK_FOR_NEW", "SPRING_SEARCH_INTERVAL"),
    ("Substance", "SphMaterial"),
    ("thinness", "inv_density"),
    ("steepening", "sound_speed_ratio"),
    ("DRAWN_TOGETHER", "TENSION_CALIBRATION"),
    ("stam", "grid_fluid"),
    ("solve_ring", "solve_periodic"),
    ("Swimmer", "immersed_body"),
    ("Kicks", "ImpulseTiming"),
    ("look_again", "refresh_contacts"),
    ("share_blow", "contact_impulse"),
    ("Stuff", "Material"),
    ("foremost", "support"),
    ("stadium", "capsule"),
    ("Fabric", "ClothDef"),
    ("unravel", "remove_springs"),
    ("Poke", "PointerForce"),
    ("plumbing", "inlets_outlets"),
    ("Knob", "Parameter"),
    ("thrift", "rate_distortion"),
    ("swatches", "color_quantizer"),
    ("drapery", "cloth_raster"),
    ("haze", "smoke"),
    ("lettering", "glyph_outlines"),
    ("fineness_of", "auto_particles"),
    ("encode_thriftily", "encode_lossy"),
    ("Dialect", "OutputCaps"),
    ("Weave", "ClothStyle"),
    ("Chord", "KeyCombo"),
    ("SwayDef", "RollDef"),
    ("TurnDef", "FlipDef"),
    ("exchange_colors", "diffuse_fractions"),
    ("ParameterPlace", "NumberTable"),
];

/// Collects the identifiers in Rust tokens.
fn identifiers(tokens: proc_macro2::TokenStream, into: &mut Vec<String>) {
    for token in tokens {
        match token {
            proc_macro2::TokenTree::Group(group) => identifiers(group.stream(), into),
            proc_macro2::TokenTree::Ident(ident) => into.push(ident.to_string()),
            _ => {}
        }
    }
}

fn former_names(source: &str) -> Vec<(&'static str, &'static str)> {
    let mut found = Vec::new();
    identifiers(syn::parse_file(source).expect("Rust").to_token_stream(), &mut found);
    FORMER.into_iter().filter(|(former, _)| found.iter().any(|name| name == former)).collect()
}

fn rust_files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            rust_files(&entry, into);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            into.push(entry);
        }
    }
}

#[test]
fn no_identifier_has_a_former_name() {
    let (root, mut files) = (Path::new(env!("CARGO_MANIFEST_DIR")), Vec::new());
    ["src", "tests", "benches"].iter().for_each(|folder| rust_files(&root.join(folder), &mut files));
    let name = |file: &Path| file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let mut wrong = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file).expect("UTF-8");
        wrong.extend(former_names(&text).iter().map(|(former, new)| format!("{}: {former} is {new}", file.display())));
        let module =
            FORMER.iter().filter(|_| file.starts_with(root.join("src"))).find(|(former, _)| *former == name(file));
        wrong.extend(module.map(|(former, new)| format!("{}: the module {former} is {new}", file.display())));
    }
    assert!(files.len() > 300, "{} files were read", files.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_former_name_is_found_in_code_and_not_in_comments_or_strings() {
    assert_eq!(former_names("fn weigh() { let knots = [Crew; 2]; }").len(), 2);
    assert!(former_names("/// Homes and knots.\nfn f() -> &'static str { \"Crew\" } // Stuff").is_empty());
    assert_eq!(former_names("#[doc = \"x\"] mod stam;"), [("stam", "grid_fluid")]);
}

/// Types that may share a name, with the reason.
const SHARED_NAMES: [(&str, &str); 1] =
    [("TerminalConnection", "a terminal on Unix and on Windows, of which a build has one")];

/// Collects the names of types, traits and aliases that these items declare, including those in inline modules.
fn declared_types(items: &[syn::Item], into: &mut Vec<String>) {
    for item in items {
        let name = match item {
            syn::Item::Struct(item) => &item.ident,
            syn::Item::Enum(item) => &item.ident,
            syn::Item::Union(item) => &item.ident,
            syn::Item::Trait(item) => &item.ident,
            syn::Item::Type(item) => &item.ident,
            syn::Item::Mod(syn::ItemMod { content: Some((_, items)), .. }) => {
                declared_types(items, into);
                continue;
            }
            _ => continue,
        };
        into.push(name.to_string());
    }
}

/// Returns the names that are declared in more than one of these files, or twice in one.
fn shared_names(files: &[(String, String)]) -> Vec<String> {
    let mut places: std::collections::BTreeMap<String, Vec<&str>> = std::collections::BTreeMap::new();
    for (path, source) in files {
        let mut names = Vec::new();
        declared_types(&syn::parse_file(source).expect("Rust").items, &mut names);
        names.into_iter().for_each(|name| places.entry(name).or_default().push(path));
    }
    let is_shared = |name: &str, places: &[&str]| places.len() > 1 && SHARED_NAMES.iter().all(|it| it.0 != name);
    let shared = places.iter().filter(|(name, places)| is_shared(name, places));
    shared.map(|(name, places)| format!("{name}: {}", places.join(", "))).collect()
}

#[test]
fn no_two_types_have_one_name() {
    let mut files = Vec::new();
    rust_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    let read = |file: PathBuf| (file.display().to_string(), fs::read_to_string(&file).expect("UTF-8"));
    let files: Vec<(String, String)> = files.into_iter().map(read).collect();
    let shared = shared_names(&files);
    assert!(shared.is_empty(), "{}", shared.join("\n"));
}

#[test]
fn a_shared_type_name_is_found_in_modules_too() {
    let file = |path: &str, source: &str| (path.to_owned(), source.to_owned());
    let files =
        [file("a.rs", "struct Run; trait Kernel {}"), file("b.rs", "mod inner { pub enum Run {} } fn kernel() {}")];
    assert_eq!(shared_names(&files), ["Run: a.rs, b.rs"]);
}

/// Former keys of scenes, with a scene that has their table.
const FORMER_KEYS: [(&str, &str); 15] = [
    ("cloth", "drag"),
    ("cloth", "tear"),
    ("cloth", "air"),
    ("cloth", "grip"),
    ("smoke", "lid"),
    ("smoke", "swirl"),
    ("smoke", "cloud"),
    ("smoke.dye.0", "lift"),
    ("smoke.dye.0", "fade"),
    ("body.0", "spin"),
    ("sph", "tension"),
    ("sph", "threshold"),
    ("sph", "density"),
    ("sph", "pool"),
    ("fluid", "cohesion"),
];

#[test]
fn a_former_key_of_a_scene_is_unknown() {
    let scene = "[fluid]\n[[sph.liquid]]\nbox = [0, 0, 1, 0.5]\n[[smoke.dye]]\nname = \"ink\"\n\
                 [[body]]\ndisc = 0.05\nat = [0.5, 0.8]\n\
                 [[cloth.sheet]]\nat = [0.5, 1]\nsize = [0.5, 0]\nnodes = [5, 1]\npins = \"ends\"\n";
    slosh::scene::Scene::parse(scene, "whole.toml").expect("a scene");
    for (table, key) in FORMER_KEYS {
        let setting = slosh::data::Setting::parse(&format!("{table}.{key}=1"), "--set").expect("a setting");
        let error = slosh::scene::Scene::parse_with(scene, "whole.toml", &[setting]).expect_err("a former key");
        assert!(error.to_string().contains("unknown"), "{table}.{key}: {error}");
    }
}
