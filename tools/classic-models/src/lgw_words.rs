//! Materials and meshes of LGW models in words.

use bevy_classic_models::lgw::text::{GroupKind, TexGen, Texture};

/// A texture in a line: its picture, what becomes of its texels, and all that is not so by default.
pub fn texture(texture: &Texture<'_>) -> String {
    let picture = match &texture.file {
        Some(file) if !file.is_empty() => file,
        _ if texture.raw_image => "(a picture in the model's file)",
        _ => "(no picture)",
    };
    let is_so = [
        (texture.cube_map, "cube map"),
        (!texture.mipmaps, "no mipmaps"),
        (texture.mutable, "mutable"),
    ];
    let is_so = is_so.into_iter().filter(|(is_so, _)| *is_so);
    let words = [wrap(texture.wrap), alpha(texture)].into_iter().flatten();
    let words = words.chain(is_so.map(|(_, word)| word)).map(str::to_owned);
    let mut line = format!("{picture}, {}", texture.mode.keyword());
    for word in words.chain(texgens(&texture.texgen)) {
        line.push_str(", ");
        line.push_str(&word);
    }
    line
}

fn wrap(wrap: [bool; 2]) -> Option<&'static str> {
    match wrap {
        [true, true] => Some("repeats"),
        [true, false] => Some("repeats along U"),
        [false, true] => Some("repeats along V"),
        [false, false] => None,
    }
}

fn alpha(texture: &Texture<'_>) -> Option<&'static str> {
    match texture.alpha_mode.bits() {
        0 => None,
        1 => Some("1 bit of alpha"),
        _ => Some("8 bits of alpha"),
    }
}

/// How coordinates are made: `S and T by SPHERE_MAP`.
fn texgens(made: &[TexGen; 3]) -> Vec<String> {
    let mut ways: Vec<(String, Vec<&str>)> = Vec::new();
    for (texgen, coordinate) in made.iter().zip(["S", "T", "R"]) {
        let Some(kind) = texgen.kind else {
            continue;
        };
        let way = match texgen.coefficient {
            1.0 => kind.keyword().to_owned(),
            coefficient => format!("{} × {coefficient}", kind.keyword()),
        };
        match ways.iter_mut().find(|(known, _)| *known == way) {
            Some((_, coordinates)) => coordinates.push(coordinate),
            None => ways.push((way, vec![coordinate])),
        }
    }
    let ways = ways.iter();
    ways.map(|(way, coordinates)| format!("{} by {way}", coordinates.join(", ")))
        .collect()
}

/// How the triangles of groups are made: `list, strip, 2 fans`.
pub fn groups(kinds: impl Iterator<Item = GroupKind>) -> String {
    let mut counts = [0_usize; 3];
    for kind in kinds {
        let place = match kind {
            GroupKind::List => 0,
            GroupKind::Strip => 1,
            GroupKind::Fan => 2,
        };
        counts[place] += 1;
    }
    let named = counts.into_iter().zip(["list", "strip", "fan"]);
    let named = named.filter_map(|(count, name)| match count {
        0 => None,
        1 => Some(name.to_owned()),
        count => Some(format!("{count} {name}s")),
    });
    let named: Vec<String> = named.collect();
    match named.len() {
        0 => "no groups".to_owned(),
        _ => named.join(", "),
    }
}
