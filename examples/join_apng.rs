//! Concatenates animated PNGs of one size: `cargo run --example join_apng STILL IN… > OUT`. Readers without animation show the
//! first picture, which is no part of the animation. `.ci/pictures` makes the picture at the top of README with it, from what
//! `slosh render` has drawn.

use std::io::{self, Write};

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let clips = std::env::args().skip(1).map(std::fs::read).collect::<Result<Vec<_>, _>>()?;
    let clips = clips.iter().map(|clip| chunks(clip)).collect::<Result<Vec<_>, _>>()?;
    let header = clips.first().and_then(|clip| clip.first()).ok_or("names no clip")?;
    if clips.iter().any(|clip| clip.first() != Some(header)) {
        return Err("the clips differ in size or colours".into());
    }
    let (still, clips) = clips.split_first().ok_or("names no clip")?;
    let all = || clips.iter().flatten();
    let frames = all().filter(|(kind, _)| kind == b"fcTL").count() as u32;
    let mut out = SIGNATURE.to_vec();
    write(&mut out, *header);
    write(&mut out, (*b"acTL", &[frames.to_be_bytes(), 0_u32.to_be_bytes()].concat()));
    still.iter().filter(|(kind, _)| kind == b"IDAT").for_each(|&chunk| write(&mut out, chunk));
    let mut sequence = 0_u32;
    for &(kind, data) in all() {
        let (kind, rest) = match &kind {
            b"fcTL" | b"fdAT" => (kind, &data[4..]),
            b"IDAT" => (*b"fdAT", data),
            _ => continue,
        };
        write(&mut out, (kind, &[&sequence.to_be_bytes(), rest].concat()));
        sequence += 1;
    }
    write(&mut out, (*b"IEND", &[]));
    io::stdout().write_all(&out)?;
    Ok(())
}

type Chunk<'a> = ([u8; 4], &'a [u8]);

/// The chunks of a file.
fn chunks(file: &[u8]) -> Result<Vec<Chunk<'_>>, &'static str> {
    let mut rest = file.strip_prefix(SIGNATURE).ok_or("this is no PNG")?;
    let mut chunks = Vec::new();
    while let Some((head, body)) = rest.split_at_checked(8) {
        let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let data = body.get(..length).ok_or("a chunk is cut off")?;
        chunks.push(([head[4], head[5], head[6], head[7]], data));
        rest = body.get(length + 4..).ok_or("a chunk is cut off")?;
    }
    Ok(chunks)
}

fn write(out: &mut Vec<u8>, (kind, data): Chunk) {
    let checked = [&kind[..], data].concat();
    out.extend((data.len() as u32).to_be_bytes());
    out.extend(&checked);
    out.extend(crc32fast::hash(&checked).to_be_bytes());
}
