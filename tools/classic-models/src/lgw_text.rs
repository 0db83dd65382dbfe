//! Texts that describe textures and triangle groups of LGW models, for `view` and `inspect`.

use bevy_classic_models::lgw::lgw::{GroupKind, TexGen, Texture};

/// A line about a texture: its file, its mode, and all properties that are not the default.
pub fn texture(texture: &Texture<'_>) -> String {
    let image = match &texture.file {
        Some(file) if !file.is_empty() => file,
        _ if texture.raw_image => "(embedded image)",
        _ => "(no image)",
    };
    let flags = [
        (texture.cube_map, "cube map"),
        (!texture.mipmaps, "no mipmaps"),
        (texture.mutable, "mutable"),
    ];
    let flags = flags.into_iter().filter(|(is_set, _)| *is_set);
    let properties = [wrap(texture.wrap), alpha(texture)].into_iter().flatten();
    let properties = properties.chain(flags.map(|(_, flag)| flag));
    let properties = properties.map(str::to_owned);
    let mut line = format!("{image}, {}", texture.mode.keyword());
    for property in properties.chain(texgens(&texture.texgen)) {
        line.push_str(", ");
        line.push_str(&property);
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

/// The generated coordinates, grouped by generator: `S, T by SPHERE_MAP`.
fn texgens(texgens: &[TexGen; 3]) -> Vec<String> {
    let mut generators: Vec<(String, Vec<&str>)> = Vec::new();
    for (texgen, coordinate) in texgens.iter().zip(["S", "T", "R"]) {
        let Some(kind) = texgen.kind else {
            continue;
        };
        let generator = match texgen.coefficient {
            1.0 => kind.keyword().to_owned(),
            coefficient => format!("{} × {coefficient}", kind.keyword()),
        };
        match generators.iter_mut().find(|(other, _)| *other == generator) {
            Some((_, coordinates)) => coordinates.push(coordinate),
            None => generators.push((generator, vec![coordinate])),
        }
    }
    let generators = generators.iter();
    generators
        .map(|(generator, coordinates)| format!("{} by {generator}", coordinates.join(", ")))
        .collect()
}

/// The kinds of triangle groups with their counts: `list, strip, 2 fans`.
pub fn groups(kinds: impl Iterator<Item = GroupKind>) -> String {
    let mut counts = [0_usize; 3];
    for kind in kinds {
        let index = match kind {
            GroupKind::List => 0,
            GroupKind::Strip => 1,
            GroupKind::Fan => 2,
        };
        counts[index] += 1;
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
