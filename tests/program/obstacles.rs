//! Obstacles as a drawing: from outside, and their effect on the liquid.

use crate::program;
use slosh::scene::{Scene, drawing, find};
use slosh::sim::{World, WorldOptions};
use std::io::Write;
use std::process::{Output, Stdio};

/// 80 columns by 24 lines: in a window of that size, a character is a cell.
const COLUMNS: usize = 80;

fn drawing() -> String {
    let mut lines = vec![" ".repeat(COLUMNS); 24];
    lines[8] = format!("{:24}{}{:24}", "", "#".repeat(32), "");
    lines[23] = format!("{}{}", " ".repeat(79), ".");
    for line in &mut lines[12..20] {
        *line = format!("{:10}@@{:40}/\\{:26}", "", "", "");
    }
    lines.join("\n")
}

fn slosh(args: &str, input: &[u8]) -> Output {
    let mut command = program::slosh();
    command.args(args.split_whitespace()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("slosh starts");
    // A program that rejects the input early does not read it to the end.
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    program::finish(child)
}

/// The pixels of a PNG.
fn pixels(png: &[u8]) -> Vec<u8> {
    let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().expect("a PNG file");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    reader.next_frame(&mut pixels).expect("a picture");
    pixels
}

/// The colour at the centre of a cell.
fn color(pixels: &[u8], column: usize, line: usize) -> [u8; 3] {
    let at = 3 * ((line * 16 + 8) * COLUMNS * 8 + column * 8 + 4);
    [pixels[at], pixels[at + 1], pixels[at + 2]]
}

#[test]
fn a_texture_is_read_beside_its_scene_and_from_a_flag() {
    let folder = std::env::temp_dir().join(format!("slosh-texture-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (banner, scene) = (folder.join("banner.txt"), folder.join("banner.toml"));
    std::fs::write(&banner, "\x1b[42m    \x1b[0m\n").expect("a file");
    let text = find("curtain").expect("a scene").replace("[cloth]", "[cloth]\ntexture = \"banner.txt\"");
    std::fs::write(&scene, text).expect("a file");
    let (banner, scene) = (banner.to_str().expect("a path"), scene.to_str().expect("a path"));
    let plain = slosh("render curtain --seconds 0 --format png", b"");
    let own = slosh(&format!("render {scene} --seconds 0 --format png"), b"");
    let given = slosh(&format!("render curtain --texture {banner} --seconds 0 --format png"), b"");
    assert!(own.status.success(), "{}", String::from_utf8_lossy(&own.stderr));
    assert_eq!(own.stdout, given.stdout);
    let center = |output: &Output| color(&pixels(&output.stdout), 40, 10);
    assert!(center(&plain)[0] > center(&plain)[1], "a curtain is red");
    assert!(center(&own)[1] > center(&own)[0], "the banner is green");
    std::fs::remove_file(banner).expect("written above");
    let missing = slosh(&format!("render {scene} --seconds 0"), b"");
    std::fs::remove_dir_all(&folder).expect("made above");
    let error = String::from_utf8_lossy(&missing.stderr).into_owned();
    assert!(
        ["banner.toml", "`cloth.texture`", "banner.txt", "No such file"].iter().all(|it| error.contains(it)),
        "{error}"
    );
}

#[test]
fn characters_that_are_not_blank_are_solid_in_the_picture() {
    let output = slosh("render dam --obstacles - --seconds 0 --format png", drawing().as_bytes());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let picture = pixels(&output.stdout);
    let wall = color(&picture, 25, 8);
    let alike = |color: [u8; 3]| color.iter().zip(wall).all(|(a, b)| a.abs_diff(b) < 8);
    for (column, line, solid) in [
        (24, 8, true),
        (55, 8, true),
        (10, 12, true),
        (53, 19, true),
        (60, 8, false),
        (52, 9, false),
        (60, 15, false),
        (70, 20, false),
    ] {
        assert_eq!(alike(color(&picture, column, line)), solid, "column {column}, line {line}");
    }
    let without = slosh("render dam --seconds 0 --format png", b"");
    assert!(!alike(color(&pixels(&without.stdout), 25, 8)));
}

#[test]
fn liquid_keeps_out_of_a_drawing() {
    let scene = Scene::parse(find("dam").expect("a scene"), "dam").expect("a sound scene");
    let scene = scene.with_obstacle(drawing::parse(&drawing()).expect("a drawing")).expect("room").world;
    let mut world = World::new(&scene, &WorldOptions { particles: Some(1500), ..WorldOptions::default() });
    let mut beside = 0;
    for step in 0..150 {
        if step == 60 {
            world.tilt_to(2.0);
        }
        world.step();
        let liquid = world.liquid().expect("liquid");
        let (p, walls) = (liquid.particles(), world.walls());
        for at in p.alive().map(|slot| p.position(slot)) {
            let distance = walls.distance(at);
            assert!(distance > -0.02 * liquid.h(), "at {at} a particle is {distance} m deep in a wall");
            beside += usize::from(walls.obstacle(at).is_some_and(|contact| contact.distance < 0.5 * liquid.h()));
        }
        assert_eq!(world.particles(), 1500);
    }
    assert!(beside > 5000, "the liquid hardly met the drawing: {beside} times");
}

#[test]
fn invalid_drawings_are_refused_with_a_one_line_reason() {
    let cases: [(&[u8], &str); 5] = [
        (b"", "holds no drawing"),
        (b"  \n\t \n", "holds no drawing"),
        (b"##\n#\x1b[31m#\n", "line 2 holds the control character"),
        (b"\xff\xfe##", "not a text file in UTF-8"),
        (&[b'#'; 1001], "1001 columns by 1 lines; a drawing may have 1000 by 500"),
    ];
    for (input, reason) in cases {
        let output = slosh("probe dam --obstacles -", input);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &output.stdout[..]), (Some(2), &b""[..]), "{said}");
        assert!(said.contains(reason) && said.contains("--obstacles"), "{said}");
    }
    let full = vec!["#".repeat(80); 20].join("\n");
    let output = slosh("probe dam --set tank.aspect=2 --obstacles -", full.as_bytes());
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("no [[liquid]] region has room"), "{said}");
}

/// All scenes get the drawing, and keep the names by which settings and lists refer to them.
#[test]
fn scenes_with_a_drawing_keep_their_names() {
    for args in ["dam --obstacles -", "saver --scenes lava,ink --obstacles -"] {
        let output = slosh(args, b"  ##\n");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("terminal") && !said.contains("unknown scene"), "{args}: {said}");
    }
}

#[test]
fn a_scene_file_may_hold_a_drawing() {
    let file = "[[liquid]]\nbox = [0, 0, 1, 0.4]\n[[obstacle]]\nart = \"\"\"\n  ##\n ####\n\"\"\"\n";
    let scene = Scene::parse(file, "mine.toml").expect("a sound scene").world;
    let world = World::new(&scene, &WorldOptions::default());
    let middle = world.size() / 2.0;
    assert!(world.walls().distance(middle) < 0.0 && world.walls().distance(middle * 0.01) > 0.0);
    let empty = Scene::parse(&file.replace('#', " "), "mine.toml").expect_err("nothing is drawn").to_string();
    assert!(empty.contains("mine.toml:4") && empty.contains("holds no drawing"), "{empty}");
}
