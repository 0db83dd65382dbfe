//! What is made of files: bytes to other bytes.

/// The first half of a file, as of a program that ended while it saved.
pub fn half(bytes: &[u8]) -> Vec<u8> {
    bytes[..bytes.len() / 2].to_vec()
}

/// A DDS picture of DXT5 blocks with red and blue exchanged.
pub fn recoloured(mut dds: Vec<u8>) -> Vec<u8> {
    const HEADER: usize = 128;
    const BLOCK: usize = 16;
    for block in dds.split_at_mut(HEADER).1.as_chunks_mut::<BLOCK>().0 {
        // Two colours of 5, 6 and 5 bits, between which all of the block's are.
        for at in [8, 10] {
            let color = u16::from_le_bytes([block[at], block[at + 1]]);
            let exchanged = color << 11 | color & 0x07E0 | color >> 11;
            block[at..at + 2].copy_from_slice(&exchanged.to_le_bytes());
        }
    }
    dds
}

/// A DTX picture of a palette with red and blue exchanged.
pub fn repainted(mut dtx: Vec<u8>) -> Vec<u8> {
    const PALETTE: core::ops::Range<usize> = 172..172 + 4 * 256;
    for color in dtx[PALETTE].as_chunks_mut::<4>().0 {
        // Before them is alpha.
        color.swap(1, 3);
    }
    dtx
}

/// A Quake model half as tall again.
pub fn taller(mut mdl: Vec<u8>) -> Vec<u8> {
    // Of the scale and of the origin, the number that is about height.
    for at in [16, 28] {
        let field = &mut mdl[at..at + 4];
        let height = f32::from_le_bytes([field[0], field[1], field[2], field[3]]);
        field.copy_from_slice(&(1.5 * height).to_le_bytes());
    }
    mdl
}

/// A palette whose red is blue, whose green is red, and whose blue is green.
pub fn other_palette(mut lmp: Vec<u8>) -> Vec<u8> {
    for color in lmp.as_chunks_mut::<3>().0 {
        color.rotate_left(1);
    }
    lmp
}

/// A text model without some of its meshes.
pub fn without_meshes(lgw: &str, names: &[&str]) -> String {
    let mut text = lgw.to_owned();
    for name in names {
        let (begin, end) = (
            format!("MESH \"{name}\""),
            format!("END_OF_MESH \"{name}\""),
        );
        let from = text.find(&begin);
        let to = text.find(&end).map(|at| at + end.len());
        if let (Some(from), Some(to)) = (from, to) {
            text.replace_range(from..to, "");
        }
    }
    text
}

/// The `.meta` file of a LithTech model that is to be of another size.
pub fn abc_meta(scale: f32) -> String {
    format!(
        r#"(
    meta_format_version: "1.0",
    asset: Load(
        loader: "bevy_classic_models::lithtech::loader::AbcLoader",
        settings: (scale: {scale:?}),
    ),
)
"#
    )
}
