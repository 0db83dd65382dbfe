//! Animations: their length, their frames, and that all kinds of files show the same.

use crate::{assert_same, image, sample, view};
use gif::{ColorOutput, DecodeOptions};
use image::RgbImage;
use std::path::Path;

const SIZE: [&str; 2] = ["--size", "64x48"];

/// Writes an animation of a sample. Returns the folder of the file, which is named `out`.
#[track_caller]
fn animation(model: &str, out: &str, options: &[&str]) -> tempfile::TempDir {
    let model = sample(model);
    let args = [&[&*model, "--animation", out][..], &SIZE, options].concat();
    let (folder, code, error) = view(&args);
    assert_eq!((code, &*error), (Some(0), ""), "{options:?}");
    folder
}

fn frames_of(folder: &Path) -> Vec<Vec<u8>> {
    let files = (0..).map(|index| folder.join(format!("{index:03}.png")));
    let files = files.map_while(|file| std::fs::read(file).ok());
    files.collect()
}

/// The clip takes 1.2 s.
#[test]
fn animations_are_one_pass_of_the_clip() {
    let options = ["--clip", "walk", "--fps", "5"];
    let folder = animation("sentry.mdl", "frames", &options);
    let frames = frames_of(&folder.path().join("frames"));
    assert_eq!(frames.len(), 6);
    for (index, frame) in frames.iter().enumerate() {
        // The last one is the start of the next pass.
        let time = ((index + 1) as f32 * 0.2) % 1.2;
        let options = ["--clip", "walk", "--time", &time.to_string()];
        let still = image("sentry.mdl", &[&options[..], &SIZE].concat());
        assert_same(frame, &still, &format!("frame {index}"));
    }
}

#[test]
fn animated_pngs_and_gifs_have_the_frames_of_the_sequence() {
    let options = ["--clip", "walk", "--fps", "5", "--seconds", "0.7"];
    let folder = animation("sentry.mdl", "frames/", &options);
    let frames = frames_of(&folder.path().join("frames"));
    assert_eq!(frames.len(), 3);

    let folder = animation("sentry.mdl", "a.png", &options);
    let png = std::fs::read(folder.path().join("a.png")).unwrap();
    let count = |name: &[u8]| png.windows(4).filter(|word| *word == name).count();
    assert_eq!([count(b"acTL"), count(b"fcTL"), count(b"fdAT")], [1, 3, 2]);

    let folder = animation("sentry.mdl", "a.gif", &options);
    let file = std::fs::File::open(folder.path().join("a.gif")).unwrap();
    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::RGBA);
    let mut gif = options.read_info(file).unwrap();
    let mut delays = Vec::new();
    for frame in &frames {
        let found = gif.read_next_frame().unwrap().unwrap();
        delays.push(found.delay);
        let expected: RgbImage = image::load_from_memory(frame).unwrap().into_rgb8();
        let found = found.buffer.as_chunks::<4>().0;
        let difference = |(found, expected): (&[u8; 4], &image::Rgb<u8>)| {
            let channels = found.iter().zip(expected.0);
            channels.map(|(a, b)| u32::from(a.abs_diff(b))).sum::<u32>()
        };
        let sum: u32 = found.iter().zip(expected.pixels()).map(difference).sum();
        let mean = sum as f32 / found.len() as f32 / 3.0;
        assert!(mean < 2.0, "{mean}");
    }
    assert!(gif.read_next_frame().unwrap().is_none());
    assert_eq!(delays, [23, 24, 23]);
}

#[test]
fn animations_need_a_length() {
    let model = sample("courier.lgw");
    let (_, code, error) = view(&[&model, "--animation", "a.gif"]);
    assert_eq!(code, Some(1), "{error}");
    assert!(error.contains("--seconds sets the length"), "{error}");
    for args in [
        &["--seconds", "1"][..],
        &["--capture", "a.png", "--seconds", "1"],
        &["--animation", "a.gif", "--capture", "a.png"],
        &["--animation", "a.gif", "--fps", "61"],
    ] {
        let (_, code, error) = view(&[&[&*model], args].concat());
        assert_eq!(code, Some(2), "{error}");
    }
}
