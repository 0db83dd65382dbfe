//! Writes looping GIF images. All frames share one palette, so that still surfaces do not flicker.

use bevy_classic_models::texture::Pixels;
use color_quant::NeuQuant;
use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{BufWriter, ErrorKind};
use std::path::Path;

/// The least alpha of a pixel that is drawn. GIF has no partial transparency.
const LEAST_ALPHA: u8 = 128;

/// The index of transparent pixels.
const TRANSPARENT: u8 = 255;

type Color = [u8; 3];

/// Writes frames of one size that loop after so many seconds.
///
/// # Errors
/// If there is no frame, if the frames are too large for a GIF, or if the file cannot be written.
pub fn write(frames: &[Pixels], seconds: f32, path: &Path) -> Result<(), EncodingError> {
    let invalid = |text| std::io::Error::new(ErrorKind::InvalidInput, text);
    let first = frames.first().ok_or_else(|| invalid("no frames"))?;
    let side = |side: u32| u16::try_from(side).map_err(|_| invalid("too large for a GIF"));
    let (width, height) = (side(first.width)?, side(first.height)?);
    let mut palette = Palette::of(frames);
    let file = BufWriter::new(File::create(path)?);
    let mut encoder = Encoder::new(file, width, height, &palette.colors.concat())?;
    encoder.set_repeat(Repeat::Infinite)?;
    let has_holes = frames.iter().flat_map(shown).any(|color| color.is_none());
    // The previous frame must not be visible through holes.
    let dispose = match has_holes {
        true => DisposalMethod::Background,
        false => DisposalMethod::Any,
    };
    let mut start = 0;
    for (index, frame) in frames.iter().enumerate() {
        // The delays add up to the whole time.
        let end = seconds * 100.0 * (index + 1) as f32 / frames.len() as f32;
        let end = end.round() as u16;
        let indices: Vec<u8> = shown(frame).map(|color| palette.index_of(color)).collect();
        encoder.write_frame(&Frame {
            delay: end.saturating_sub(start),
            dispose,
            transparent: has_holes.then_some(TRANSPARENT),
            width,
            height,
            buffer: Cow::Owned(indices),
            ..Frame::default()
        })?;
        start = end;
    }
    Ok(())
}

/// The colors of an image's pixels; `None` if they are transparent.
fn shown(image: &Pixels) -> impl Iterator<Item = Option<Color>> {
    let pixels = image.rgba.as_chunks::<4>().0.iter();
    pixels.map(|[r, g, b, a]| (*a >= LEAST_ALPHA).then_some([*r, *g, *b]))
}

/// The colors of all frames.
struct Palette {
    colors: Vec<Color>,
    /// Chooses the colors if there are more than the palette has.
    quantizer: Option<NeuQuant>,
    /// The indices of colors that were found.
    indices: HashMap<Color, u8>,
}

impl Palette {
    /// The palette of these frames. The most frequent color, which is mostly the background, is exact; if there are few
    /// colors, all are.
    fn of(frames: &[Pixels]) -> Self {
        let mut counts: BTreeMap<Color, u64> = BTreeMap::new();
        for color in frames.iter().flat_map(shown).flatten() {
            *counts.entry(color).or_default() += 1;
        }
        let most = usize::from(TRANSPARENT);
        let (colors, quantizer) = if counts.len() <= most {
            (counts.into_keys().collect(), None)
        } else {
            let frequent = counts.iter().max_by_key(|(_, count)| **count);
            let frequent = frequent.map_or([0; 3], |(color, _)| *color);
            // Each color counts once. Otherwise a large background would take most of the palette.
            let samples: Vec<u8> = counts
                .into_keys()
                .flat_map(|[r, g, b]| [r, g, b, u8::MAX])
                .collect();
            let quantizer = NeuQuant::new(1, most - 1, &samples);
            let chosen = quantizer.color_map_rgb();
            let colors = chosen.as_chunks().0.iter().copied().chain([frequent]);
            (colors.collect(), Some(quantizer))
        };
        let colors: Vec<Color> = colors;
        let exact = match quantizer {
            None => 0,
            Some(_) => colors.len() - 1,
        };
        let indices = colors.iter().enumerate().skip(exact);
        let indices = indices.map(|(index, color)| (*color, index as u8));
        Self {
            indices: indices.collect(),
            quantizer,
            colors,
        }
    }

    fn index_of(&mut self, color: Option<Color>) -> u8 {
        let Some([r, g, b]) = color else {
            return TRANSPARENT;
        };
        let quantizer = self.quantizer.as_ref();
        let nearest = || quantizer.map_or(0, |it| it.index_of(&[r, g, b, u8::MAX]) as u8);
        *self.indices.entry([r, g, b]).or_insert_with(nearest)
    }
}

#[cfg(test)]
mod tests {
    use super::write;
    use bevy_classic_models::texture::Pixels;
    use gif::{ColorOutput, DecodeOptions, Repeat};
    use std::fs::File;

    /// Writes and reads frames of 64 pixels. Returns their delays and pixels.
    fn round_trip(frames: &[Vec<[u8; 4]>], seconds: f32, name: &str) -> Vec<(u16, Vec<u8>)> {
        let frames: Vec<Pixels> = frames
            .iter()
            .map(|pixels| Pixels {
                width: 8,
                height: 8,
                rgba: pixels.concat(),
            })
            .collect();
        let file = std::env::temp_dir().join(format!("{name}-{}.gif", std::process::id()));
        write(&frames, seconds, &file).expect("the file can be written");
        let mut options = DecodeOptions::new();
        options.set_color_output(ColorOutput::RGBA);
        let reader = options.read_info(File::open(&file).expect("the file exists"));
        let mut reader = reader.expect("it is a GIF");
        let mut found = Vec::new();
        while let Some(frame) = reader.read_next_frame().expect("a frame") {
            found.push((frame.delay, frame.buffer.to_vec()));
        }
        assert!(matches!(reader.repeat(), Repeat::Infinite));
        std::fs::remove_file(file).expect("the file exists");
        found
    }

    #[test]
    fn few_colors_are_exact_and_delays_add_up() {
        let frames = [[9, 8, 7, 255], [1, 2, 3, 255], [255, 1, 2, 127]].map(|color| {
            let mut pixels = vec![[40, 50, 60, 255]; 64];
            pixels[7] = color;
            pixels
        });
        let found = round_trip(&frames, 0.5, "exact");
        let delays: Vec<u16> = found.iter().map(|(delay, _)| *delay).collect();
        assert_eq!(delays, [17, 16, 17]);
        for (index, (_, found)) in found.iter().enumerate() {
            let expected = frames[index].concat();
            assert_eq!(found[..28], expected[..28]);
            assert_eq!(found[32..], expected[32..]);
            match index {
                // Transparent.
                2 => assert_eq!(found[31], 0),
                _ => assert_eq!(found[28..32], expected[28..32]),
            }
        }
    }

    #[test]
    fn of_many_colors_the_background_is_exact_and_others_are_near() {
        let frames: Vec<Vec<[u8; 4]>> = (0..16)
            .map(|frame| {
                let color = |pixel: u8| match pixel % 2 {
                    0 => [29, 31, 33, 255],
                    _ => [pixel * 4, frame * 16, 255 - pixel * 4, 255],
                };
                (0..64).map(color).collect()
            })
            .collect();
        let (mut sum, mut count) = (0, 0);
        for ((_, found), expected) in round_trip(&frames, 1.0, "many").iter().zip(&frames) {
            for (found, expected) in found.as_chunks::<4>().0.iter().zip(expected) {
                let differences = found.iter().zip(expected).map(|(a, b)| a.abs_diff(*b));
                let largest = differences.max().unwrap_or_default();
                if expected[..3] == [29, 31, 33] {
                    assert_eq!(largest, 0, "{found:?}");
                } else {
                    sum += u32::from(largest);
                    count += 1;
                }
            }
        }
        assert_eq!(count, 16 * 32);
        // The colors are on a plane of 256 × 256 steps.
        let mean = sum as f32 / count as f32;
        assert!(mean < 16.0, "{mean}");
    }
}
