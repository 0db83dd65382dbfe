//! Encodes blocks of DXT5.

/// Encodes a block of 4 × 4 texels: alpha, then color, each interpolated between two endpoints.
pub fn block(texels: &[[u8; 4]; 16]) -> [u8; 16] {
    let mut bytes = [0; 16];
    let alphas = texels.map(|[.., alpha]| alpha);
    let most = alphas.into_iter().max().unwrap_or_default();
    let least = alphas.into_iter().min().unwrap_or_default();
    let step = |index: u32| match index {
        0 => u32::from(most),
        1 => u32::from(least),
        _ => ((8 - index) * u32::from(most) + (index - 1) * u32::from(least)) / 7,
    };
    let mut bits = 0_u64;
    for (index, alpha) in alphas.into_iter().enumerate() {
        let nearest = (0..8).min_by_key(|index| step(*index).abs_diff(alpha.into()));
        bits |= u64::from(nearest.unwrap_or_default()) << (3 * index);
    }
    bytes[..2].copy_from_slice(&[most, least]);
    bytes[2..8].copy_from_slice(&bits.to_le_bytes()[..6]);

    let ends = ends(texels).map(packed);
    let [a, b] = ends.map(unpacked);
    let between = |a: [i32; 3], b: [i32; 3]| core::array::from_fn(|c| (2 * a[c] + b[c]) / 3);
    let palette: [[i32; 3]; 4] = [a, b, between(a, b), between(b, a)];
    let mut bits = 0_u32;
    for (index, texel) in texels.iter().enumerate() {
        let distance = |index: &usize| -> i32 {
            let difference = |channel: usize| palette[*index][channel] - i32::from(texel[channel]);
            (0..3)
                .map(|channel| difference(channel) * difference(channel))
                .sum()
        };
        let nearest = (0..4).min_by_key(distance).unwrap_or_default();
        bits |= (nearest as u32) << (2 * index);
    }
    bytes[8..10].copy_from_slice(&ends[0].to_le_bytes());
    bytes[10..12].copy_from_slice(&ends[1].to_le_bytes());
    bytes[12..].copy_from_slice(&bits.to_le_bytes());
    bytes
}

/// The two colors that are farthest apart along the direction of greatest variation.
fn ends(texels: &[[u8; 4]; 16]) -> [[u8; 4]; 2] {
    let sum =
        |channel: usize| -> i32 { texels.iter().map(|texel| i32::from(texel[channel])).sum() };
    let sums: [i32; 3] = core::array::from_fn(sum);
    let difference =
        |texel: &[u8; 4], channel: usize| 16 * i32::from(texel[channel]) - sums[channel];
    let spread = |a: usize, b: usize| -> i64 {
        let products = texels.iter();
        products
            .map(|texel| i64::from(difference(texel, a) * difference(texel, b)))
            .sum()
    };
    let widest = (0..3).max_by_key(|channel| spread(*channel, *channel));
    let widest = widest.unwrap_or_default();
    let axis: [i64; 3] = core::array::from_fn(|channel| spread(widest, channel) >> 8);
    let along = |texel: &&[u8; 4]| -> i64 {
        (0..3)
            .map(|channel| axis[channel] * i64::from(texel[channel]))
            .sum()
    };
    let far = texels.iter().max_by_key(along);
    let near = texels.iter().min_by_key(along);
    [far, near].map(|texel| texel.copied().unwrap_or_default())
}

/// A color in 5, 6 and 5 bits.
fn packed([r, g, b, _]: [u8; 4]) -> u16 {
    let bits = |value: u8, most: u32| ((u32::from(value) * most + 127) / 255) as u16;
    bits(r, 31) << 11 | bits(g, 63) << 5 | bits(b, 31)
}

fn unpacked(color: u16) -> [i32; 3] {
    let part = |shift: u16, most: i32| i32::from(color >> shift) & most;
    [
        part(11, 31) * 255 / 31,
        part(5, 63) * 255 / 63,
        part(0, 31) * 255 / 31,
    ]
}
