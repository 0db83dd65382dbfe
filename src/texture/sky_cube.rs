//! Turns the sky cubes of the Alamo games to the axes of Bevy's environment maps.

use crate::texture::decoded_image::DecodedImage;

/// Moves the texels of a cube map of `Rgba8`, so that Bevy's environment maps show in each direction what the games show
/// in the same direction of a model with `BevySpace`.
pub(crate) fn turn_sky_cube(cube: &mut DecodedImage) {
    let sides = (0..cube.levels).map(|level| (cube.width >> level).max(1) as usize);
    let face_length: usize = sides.clone().map(|side| side * side).sum();
    let original = cube.data.clone();
    let (original, _) = original.as_chunks::<4>();
    let (texels, _) = cube.data.as_chunks_mut::<4>();
    let mut first = 0;
    for side in sides {
        let index = |(face, [x, y]): Texel| face * face_length + first + y * side + x;
        for at in 0..6 * side * side {
            let to = (at / (side * side), [at % side, at / side % side]);
            let from = texel(source_direction(direction(to, side)), side);
            if let (Some(to), Some(from)) = (texels.get_mut(index(to)), original.get(index(from))) {
                *to = *from;
            }
        }
        first += side * side;
    }
}

/// A face in the order +X, −X, +Y, −Y, +Z, −Z, and the column and row in it.
type Texel = (usize, [usize; 2]);

/// The direction in which the games sample their cube map, for a direction in which Bevy samples its own.
///
/// Bevy negates Z when it samples, and a model with `BevySpace` is turned: (x, y, z) of the games is (−x, z, y).
fn source_direction([x, y, z]: [i64; 3]) -> [i64; 3] {
    [-x, -z, y]
}

/// The direction to the center of a texel. The longest component is ± the count of texels per side.
fn direction((face, [x, y]): Texel, side: usize) -> [i64; 3] {
    let side = side as i64;
    let [u, v] = [x, y].map(|at| 2 * at as i64 + 1 - side);
    match face {
        0 => [side, -v, -u],
        1 => [-side, -v, u],
        2 => [u, side, v],
        3 => [u, -side, -v],
        4 => [u, -v, side],
        _ => [-u, -v, -side],
    }
}

/// The texel in a direction: the inverse of [`direction`].
fn texel([x, y, z]: [i64; 3], side: usize) -> Texel {
    let length = side as i64;
    let (face, [u, v]) = match [x, y, z] {
        [x, y, z] if x == length => (0, [-z, -y]),
        [x, y, z] if x == -length => (1, [z, -y]),
        [x, y, z] if y == length => (2, [x, z]),
        [x, y, z] if y == -length => (3, [x, -z]),
        [x, y, z] if z == length => (4, [x, -y]),
        [x, y, _] => (5, [-x, -y]),
    };
    (face, [u, v].map(|at| ((at + length - 1) / 2) as usize))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texture::decoded_image::TexelFormat;

    #[test]
    fn texels_move_to_the_axes_of_bevy_at_all_levels() {
        // Each texel has its own face, level, column and row.
        let levels = [(0u8, 4usize), (1, 2), (2, 1)];
        let mut data = Vec::new();
        for face in 0..6u8 {
            for (level, side) in levels {
                for at in 0..side * side {
                    data.extend([face, level, (at % side) as u8, (at / side) as u8]);
                }
            }
        }
        let mut cube = DecodedImage {
            width: 4,
            height: 4,
            is_cube: true,
            levels: 3,
            format: TexelFormat::Rgba8,
            data,
        };
        turn_sky_cube(&mut cube);
        let (texels, _) = cube.data.as_chunks::<4>();
        let at = |face: usize, x: usize, y: usize| texels[face * 21 + y * 4 + x];
        // Up is the same. The right edge is Bevy's +X, the games' −X. Bevy samples its +Z, the back of models, at −Z, which is
        // the upper edge; so is the games' +Y.
        assert_eq!(at(2, 3, 0), [4, 0, 0, 0]);
        // Bevy samples the front of models at +Z.
        assert_eq!(at(4, 0, 0), [3, 0, 3, 0]);
        assert_eq!(at(0, 0, 0)[0], 1);
        for (face, level, side, first) in
            (0..6).flat_map(|face| [(face, 0, 4, 0), (face, 1, 2, 16), (face, 2, 1, 20)])
        {
            for at in 0..side * side {
                let here = (face, [at % side, at / side]);
                let (of, [x, y]) = texel(source_direction(direction(here, side)), side);
                let found = texels[face * 21 + first + at];
                assert_eq!(found, [of as u8, level, x as u8, y as u8]);
            }
        }
    }

    #[test]
    fn texels_are_inverse_to_directions() {
        for side in [1, 2, 3, 8] {
            for at in 0..6 * side * side {
                let here = (at / (side * side), [at % side, at / side % side]);
                assert_eq!(texel(direction(here, side), side), here);
            }
        }
    }
}
