//! The texture with the baked clips of one model, and the allocation of its texels.

use crate::crowd::skeleton::Texel;
use crate::crowd::skinning::MAX_CROWD_TEXELS;
use crate::gpu::instance_rows::WIDTH;
use bevy::asset::RenderAssetUsages;
use bevy::prelude::*;
use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat};
use core::ops::Range;
use std::collections::BTreeMap;
use thiserror::Error;
use zerocopy::IntoBytes;

/// A clip does not fit into the texture of its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "it needs {needed} texels, and the longest free segment of the model's texture has {free} of {capacity} texels"
)]
pub(crate) struct TextureFull {
    needed: usize,
    /// The length of the longest free segment.
    free: usize,
    capacity: u32,
}

/// The baked clips of one model, as segments of one texture.
#[derive(Debug)]
pub(crate) struct PoseTexture {
    pub(crate) image: Handle<Image>,
    /// The texels of each segment, by its first texel.
    texels: BTreeMap<u32, Vec<Texel>>,
    capacity: u32,
    /// Lines of the image; 0 before the first upload.
    lines: u32,
    /// Lines in which clips were added since the last upload.
    changed: Vec<Range<u32>>,
}

/// Lines of pose textures to write, which the render world takes. Exists only with a renderer.
#[derive(Resource, Default)]
pub(crate) struct PoseLines {
    /// Images that were replaced: lines that are still to be written to them are outdated.
    pub(crate) replaced: Vec<AssetId<Image>>,
    pub(crate) lines: Vec<ImageLines>,
}

/// Successive lines of an image.
pub(crate) struct ImageLines {
    pub(crate) image: AssetId<Image>,
    pub(crate) first: u32,
    pub(crate) bytes: Vec<u8>,
}

impl PoseTexture {
    /// `max_size` is the adapter's maximum height of a texture.
    pub(crate) fn new(images: &Assets<Image>, max_size: u32) -> Self {
        let capacity = (WIDTH.saturating_mul(max_size)).min(MAX_CROWD_TEXELS);
        Self {
            image: images.reserve_handle(),
            texels: BTreeMap::new(),
            capacity,
            lines: 0,
            changed: Vec::new(),
        }
    }

    /// The count of texels that fit into the texture.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity as usize
    }

    /// Whether clips were added since the last upload.
    pub(crate) fn is_changed(&self) -> bool {
        !self.changed.is_empty()
    }

    /// Whether a clip of this count of texels fits beside the others.
    pub(crate) fn fits(&self, texels: usize) -> bool {
        u32::try_from(texels).is_ok_and(|texels| self.find(texels).is_some())
    }

    /// The first texel of each segment, and the one after its last.
    fn segments(&self) -> impl Iterator<Item = (u32, u32)> {
        let segments = self.texels.iter();
        segments.map(|(first, texels)| (*first, first + texels.len().max(1) as u32))
    }

    /// The first texel of the first free segment of a length. `None` if it does not fit.
    fn find(&self, length: u32) -> Option<u32> {
        let length = length.max(1);
        let mut first = 0;
        for (begin, end) in self.segments() {
            if begin - first >= length {
                break;
            }
            first = end;
        }
        let end = first.checked_add(length)?;
        (end <= self.capacity).then_some(first)
    }

    /// The most texels of a clip that fits beside the others.
    pub(crate) fn longest_free(&self) -> usize {
        let (mut first, mut longest) = (0, 0);
        for (begin, end) in self.segments() {
            longest = longest.max(begin - first);
            first = end;
        }
        longest.max(self.capacity.saturating_sub(first)) as usize
    }

    /// Adds a clip. Returns the index of its first texel.
    ///
    /// # Errors
    /// If it does not fit into the texture beside the others.
    pub(crate) fn insert(&mut self, texels: Vec<Texel>) -> Result<u32, TextureFull> {
        let length = u32::try_from(texels.len()).ok();
        let Some(first) = length.and_then(|length| self.find(length)) else {
            return Err(TextureFull {
                needed: texels.len(),
                free: self.longest_free(),
                capacity: self.capacity,
            });
        };
        let end = first + texels.len().max(1) as u32;
        self.changed.push(first / WIDTH..end.div_ceil(WIDTH));
        self.texels.insert(first, texels);
        Ok(first)
    }

    /// Replaces the texels of the segment that begins at a texel, by as many.
    pub(crate) fn replace(&mut self, first: u32, texels: &[Texel]) {
        if let Some(segment) = self.texels.get_mut(&first)
            && segment.len() == texels.len()
        {
            segment.copy_from_slice(texels);
            let end = first + texels.len().max(1) as u32;
            self.changed.push(first / WIDTH..end.div_ceil(WIDTH));
        }
    }

    /// Removes the clip that begins at a texel.
    pub(crate) fn remove(&mut self, first: u32) {
        self.texels.remove(&first);
    }

    /// Uploads the lines in which clips were added. Returns whether it replaced the image, because it is too small or there
    /// is no renderer, so that materials must bind it.
    pub(crate) fn upload(
        &mut self,
        images: &mut Assets<Image>,
        writes: Option<&mut PoseLines>,
    ) -> bool {
        let changed = joined(core::mem::take(&mut self.changed));
        let needed = changed.iter().map(|lines| lines.end).max();
        let (Some(needed), image) = (needed, self.image.id()) else {
            return false;
        };
        match writes {
            Some(writes) if needed <= self.lines => {
                writes
                    .lines
                    .extend(changed.into_iter().map(|lines| ImageLines {
                        image,
                        first: lines.start,
                        bytes: self.bytes(&lines),
                    }));
                return false;
            }
            Some(writes) => {
                writes.lines.retain(|lines| lines.image != image);
                writes.replaced.push(image);
            }
            None => {}
        }
        if needed > self.lines {
            // Grows by at least a quarter, so that all clips together are copied only a few times.
            let lines = self.lines + self.lines / 4;
            self.lines = lines.min(self.capacity / WIDTH).max(needed);
        }
        // Inserting fails only if the handle was dropped.
        images.insert(&self.image, self.build()).is_ok()
    }

    /// The bytes of lines of the image.
    fn bytes(&self, lines: &Range<u32>) -> Vec<u8> {
        let [begin, end] = [lines.start, lines.end].map(|line| (line * WIDTH) as usize);
        let mut data = vec![Texel::default(); end - begin];
        for (first, texels) in &self.texels {
            let first = *first as usize;
            let (from, to) = (first.max(begin), (first + texels.len()).min(end));
            if from < to {
                data[from - begin..to - begin].copy_from_slice(&texels[from - first..to - first]);
            }
        }
        data.as_bytes().to_vec()
    }

    fn build(&self) -> Image {
        let height = self.lines.max(1);
        let data = self.bytes(&(0..height));
        let size = Extent3d {
            width: WIDTH,
            height,
            depth_or_array_layers: 1,
        };
        Image::new(
            size,
            TextureDimension::D2,
            data,
            TextureFormat::Rgba32Float,
            RenderAssetUsages::RENDER_WORLD,
        )
    }
}

/// Ranges without overlaps.
fn joined(mut ranges: Vec<Range<u32>>) -> Vec<Range<u32>> {
    ranges.sort_unstable_by_key(|range| range.start);
    ranges.dedup_by(|next, range| {
        let joins = next.start <= range.end;
        if joins {
            range.end = range.end.max(next.end);
        }
        joins
    });
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_joined() {
        assert_eq!(
            joined(vec![4..6, 0..2, 1..3, 3..4, 9..10, 9..10]),
            [0..6, 9..10]
        );
        assert_eq!(joined(Vec::new()), []);
    }

    #[test]
    fn clips_fit_or_are_refused_with_the_reason() {
        let mut images = Assets::<Image>::default();
        let mut texture = PoseTexture::new(&images, 2);
        assert_eq!(texture.capacity(), 4096);
        assert_eq!(texture.insert(vec![[1.0; 4]; 2000]), Ok(0));
        assert_eq!(texture.insert(vec![[2.0; 4]; 1500]), Ok(2000));
        let error = texture.insert(vec![[3.0; 4]; 600]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "it needs 600 texels, and the longest free segment of the model's texture has 596 of 4096 texels"
        );
        let mut writes = PoseLines::default();
        assert!(texture.upload(&mut images, Some(&mut writes)));
        assert!(
            !texture.upload(&mut images, Some(&mut writes)),
            "nothing has changed since"
        );
        assert!(writes.lines.is_empty());
        let image = images.get(&texture.image).unwrap();
        assert_eq!(image.height(), 2);
        let data = image.data.as_ref().unwrap();
        assert_eq!(data[2000 * 16..2000 * 16 + 4], 2.0_f32.to_le_bytes());
        texture.remove(0);
        assert_eq!(texture.insert(vec![[4.0; 4]; 600]), Ok(0));
        // Only the line of the new clip is written, with its neighbor.
        assert!(!texture.upload(&mut images, Some(&mut writes)));
        let [lines] = &writes.lines[..] else {
            panic!("one write");
        };
        assert_eq!((lines.first, lines.bytes.len()), (0, 2048 * 16));
        assert_eq!(lines.bytes[599 * 16..][..4], 4.0_f32.to_le_bytes());
        assert_eq!(lines.bytes[600 * 16..][..4], 0.0_f32.to_le_bytes());
        assert_eq!(lines.bytes[2000 * 16..][..4], 2.0_f32.to_le_bytes());
    }

    fn texture(capacity: u32) -> PoseTexture {
        PoseTexture {
            capacity,
            ..PoseTexture::new(&Assets::default(), 1)
        }
    }

    fn insert(texture: &mut PoseTexture, length: usize) -> Option<u32> {
        texture.insert(vec![Texel::default(); length]).ok()
    }

    #[test]
    fn freed_segments_are_used_again() {
        let mut segments = texture(10);
        let end = |segments: &PoseTexture| segments.segments().last().unwrap().1;
        assert_eq!(insert(&mut segments, 4), Some(0));
        assert_eq!(insert(&mut segments, 2), Some(4));
        assert_eq!(insert(&mut segments, 4), Some(6));
        assert_eq!(insert(&mut segments, 1), None);
        assert_eq!(segments.longest_free(), 0);
        segments.remove(4);
        assert_eq!(insert(&mut segments, 3), None);
        assert_eq!(segments.longest_free(), 2);
        assert_eq!((insert(&mut segments, 1), end(&segments)), (Some(4), 10));
        segments.remove(6);
        assert_eq!((end(&segments), segments.longest_free()), (5, 5));
        segments.remove(0);
        assert_eq!(insert(&mut segments, 4), Some(0));
    }

    #[test]
    fn a_length_beyond_the_range_does_not_fit() {
        let mut segments = texture(u32::MAX);
        assert_eq!(insert(&mut segments, 5), Some(0));
        assert_eq!(segments.find(u32::MAX), None);
        assert_eq!(insert(&mut segments, 0), Some(5));
    }
}
