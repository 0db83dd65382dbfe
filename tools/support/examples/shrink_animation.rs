//! Reduces animated PNGs to 256 colors, in place: `cargo run -p classic_models_support --example shrink_animation -- FILE…`

use png::{BitDepth, ColorType, Compression, Decoder, Encoder, Filter};
use std::collections::BTreeMap;
use std::error::Error;
use std::fs::File;
use std::io::{BufReader, BufWriter};

/// A color, and the count of its pixels.
type Counted = ([u8; 3], u64);

fn main() -> Result<(), Box<dyn Error>> {
    for path in std::env::args().skip(1) {
        let mut reader = Decoder::new(BufReader::new(File::open(&path)?)).read_info()?;
        let info = reader.info();
        let (width, height) = info.size();
        let count = info.animation_control.ok_or("no animation")?.num_frames;
        let delay = info.frame_control.ok_or("no animation")?;
        let mut frames = Vec::new();
        for _ in 0..count {
            let mut frame = vec![0; (width * height * 3) as usize];
            reader.next_frame(&mut frame)?;
            frames.push(frame);
        }
        let mut colors = BTreeMap::<[u8; 3], u64>::new();
        for pixel in frames.iter().flat_map(|frame| frame.as_chunks().0) {
            *colors.entry(*pixel).or_default() += 1;
        }
        let parts = median_cut(colors.into_iter().collect());
        let palette: Vec<u8> = parts.iter().flat_map(|part| mean(part)).collect();
        let parts = parts.iter().enumerate();
        let indices =
            parts.flat_map(|(index, part)| part.iter().map(move |(color, _)| (*color, index)));
        let indices: BTreeMap<[u8; 3], usize> = indices.collect();

        let mut encoder = Encoder::new(BufWriter::new(File::create(&path)?), width, height);
        encoder.set_color(ColorType::Indexed);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_palette(palette);
        encoder.set_compression(Compression::High);
        encoder.set_filter(Filter::NoFilter);
        encoder.set_animated(count, 0)?;
        encoder.set_frame_delay(delay.delay_num, delay.delay_den)?;
        let mut writer = encoder.write_header()?;
        for frame in frames {
            let pixels = frame.as_chunks().0.iter();
            let pixels: Vec<u8> = pixels.map(|pixel| indices[pixel] as u8).collect();
            writer.write_image_data(&pixels)?;
        }
        writer.finish()?;
    }
    Ok(())
}

/// Splits the colors into at most 256 parts of similar colors.
fn median_cut(colors: Vec<Counted>) -> Vec<Vec<Counted>> {
    let mut parts = vec![colors];
    while parts.len() < 256 {
        let (cost, channel, index) = parts
            .iter()
            .enumerate()
            .map(|(index, part)| {
                let (extent, channel) = widest(part);
                let count: u64 = part.iter().map(|(_, count)| count).sum();
                (u64::from(extent).pow(2) * count, channel, index)
            })
            .max()
            .unwrap_or_default();
        if cost == 0 {
            break;
        }
        let mut part = parts.swap_remove(index);
        part.sort_by_key(|(color, _)| color[channel]);
        let half = part.iter().map(|(_, count)| count).sum::<u64>() / 2;
        let mut sum = 0;
        let middle = part.iter().position(|(_, count)| {
            sum += count;
            sum > half
        });
        let rest = part.split_off(middle.unwrap_or_default().max(1));
        parts.extend([part, rest]);
    }
    parts
}

/// The greatest extent of a part, and its channel.
fn widest(part: &[Counted]) -> (u8, usize) {
    let extent = |channel: usize| {
        let values = part.iter().map(|(color, _)| color[channel]);
        values.clone().max().unwrap_or(0) - values.min().unwrap_or(0)
    };
    (0..3)
        .map(|channel| (extent(channel), channel))
        .max()
        .unwrap_or_default()
}

fn mean(part: &[Counted]) -> [u8; 3] {
    let count: u64 = part.iter().map(|(_, count)| count).sum();
    [0, 1, 2].map(|channel| {
        let sum: u64 = part
            .iter()
            .map(|(color, count)| u64::from(color[channel]) * count)
            .sum();
        (sum / count.max(1)) as u8
    })
}
