//! Converts images to DTX files with a palette.
//!
//! All calculations use integers, so that the result is the same on every machine.

use crate::alamo::image::Image;
use bevy_classic_models::lithtech::dtx::texture_flags;
use bevy_classic_models::lithtech::dtx::write::{DtxDocument, write};
use std::collections::BTreeMap;
use std::error::Error;

type Rgb = [u8; 3];

/// Palette entries for lit colors; the last entry is unlit.
const LIT: usize = 255;
const UNLIT: u8 = 255;

/// The bytes of a skin. Texels with alpha above one half are unlit and all have the color `unlit`.
pub fn dtx(image: &Image, unlit: Rgb) -> Result<Vec<u8>, Box<dyn Error>> {
    let rgb = |[r, g, b, _]: &[u8; 4]| [*r, *g, *b];
    let is_lit = |texel: &&[u8; 4]| texel[3] < 128;
    let mut counts: BTreeMap<Rgb, u64> = BTreeMap::new();
    for texel in image.texels.iter().filter(is_lit) {
        *counts.entry(rgb(texel)).or_default() += 1;
    }
    let colors: Vec<(Rgb, u64)> = counts.into_iter().collect();
    let mut palette = refined(&colors, median_cut(&colors));
    palette.resize(LIT, [0; 3]);
    palette.push(unlit);
    let palette_indices: BTreeMap<Rgb, u8> = colors
        .iter()
        .map(|(color, _)| (*color, nearest(&palette[..LIT], *color) as u8))
        .collect();
    let index = |texel: &[u8; 4]| match is_lit(&texel) {
        true => palette_indices[&rgb(texel)],
        false => UNLIT,
    };
    let indices: Vec<u8> = image.texels.iter().map(index).collect();
    let [width, height] = image.size.to_array().map(|side| side as u16);
    let mut document = DtxDocument::indexed(width, height, &palette, &indices);
    document.flags |= texture_flags::FULL_BRIGHT;
    Ok(write(&document)?)
}

/// The perceptual distance of two colors.
fn distance(a: Rgb, b: Rgb) -> u64 {
    let weights = [3, 5, 2];
    let channels = a.iter().zip(b).zip(weights);
    channels
        .map(|((a, b), weight)| u64::from(a.abs_diff(b)).pow(2) * weight)
        .sum()
}

fn nearest(palette: &[Rgb], color: Rgb) -> usize {
    let near = (0..palette.len()).min_by_key(|index| distance(palette[*index], color));
    near.unwrap_or_default()
}

/// The mean of colors, weighted by their counts.
fn mean<'a>(colors: impl Iterator<Item = &'a (Rgb, u64)>) -> Option<Rgb> {
    let (mut sums, mut count) = ([0; 3], 0);
    for (color, times) in colors {
        for (sum, channel) in sums.iter_mut().zip(color) {
            *sum += u64::from(*channel) * times;
        }
        count += times;
    }
    (count > 0).then(|| sums.map(|sum| ((sum + count / 2) / count) as u8))
}

/// Repeatedly splits the box with the greatest error, until there are enough boxes.
fn median_cut(colors: &[(Rgb, u64)]) -> Vec<Rgb> {
    let mut boxes = vec![colors.to_vec()];
    let error = |colors: &Vec<(Rgb, u64)>| {
        let mean = mean(colors.iter()).unwrap_or_default();
        let errors = colors
            .iter()
            .map(|(color, times)| distance(*color, mean) * times);
        errors.sum::<u64>()
    };
    let mut errors: Vec<u64> = boxes.iter().map(error).collect();
    while boxes.len() < LIT {
        let Some(worst) = (0..boxes.len()).max_by_key(|index| errors[*index]) else {
            break;
        };
        if boxes[worst].len() < 2 || errors[worst] == 0 {
            break;
        }
        let half = cut(&mut boxes[worst]);
        errors[worst] = error(&boxes[worst]);
        errors.push(error(&half));
        boxes.push(half);
    }
    boxes
        .iter()
        .filter_map(|colors| mean(colors.iter()))
        .collect()
}

/// Splits a box across its longest side, at the median texel.
fn cut(colors: &mut Vec<(Rgb, u64)>) -> Vec<(Rgb, u64)> {
    let range = |axis: usize| {
        let values = || colors.iter().map(|(color, _)| color[axis]);
        let range = values().max().unwrap_or(0) - values().min().unwrap_or(0);
        u32::from(range) * [5, 7, 4][axis]
    };
    let axis = (0..3).max_by_key(|axis| range(*axis)).unwrap_or_default();
    colors.sort_by_key(|(color, _)| (color[axis], *color));
    let all: u64 = colors.iter().map(|(_, times)| times).sum();
    let mut sum = 0;
    let middle = colors.iter().position(|(_, times)| {
        sum += times;
        2 * sum >= all
    });
    let last = colors.len() - 1;
    colors.split_off(middle.unwrap_or_default().clamp(1, last))
}

/// Moves each color to the mean of the colors nearest to it, a few times.
fn refined(colors: &[(Rgb, u64)], mut palette: Vec<Rgb>) -> Vec<Rgb> {
    for _ in 0..6 {
        let mut near: Vec<Vec<(Rgb, u64)>> = vec![Vec::new(); palette.len()];
        for color in colors {
            near[nearest(&palette, color.0)].push(*color);
        }
        for (color, near) in palette.iter_mut().zip(&near) {
            *color = mean(near.iter()).unwrap_or(*color);
        }
    }
    palette
}
