//! The vertex buffers of ring buffers.

use crate::alamo::particles::evaluate::BirthRecord;
use crate::alamo::particles::record::Upload;
use bevy::ecs::resource::Resource;
use bevy::platform::collections::HashMap;
use bevy::render::render_resource::{Buffer, BufferDescriptor, BufferUsages};
use bevy::render::renderer::{RenderDevice, RenderQueue};
use bevy::render::sync_world::{MainEntity, MainEntityHashMap};
use core::ops::Range;
use zerocopy::IntoBytes;

/// The size of a record, in bytes.
pub(super) const RECORD: u64 = size_of::<BirthRecord>() as u64;

/// The most unused buffers of each size that are kept for later.
const MAX_SPARE: usize = 64;

/// A vertex buffer with the slots of a ring buffer.
pub(super) struct GpuRing {
    pub(super) buffer: Buffer,
    slots: u64,
    generation: u64,
    /// The number of the first record that was not uploaded.
    uploaded: u64,
}

/// The vertex buffers of all systems.
#[derive(Resource, Default)]
pub(super) struct GpuRings {
    rings: MainEntityHashMap<Vec<Option<GpuRing>>>,
    /// Unused buffers, by count of slots.
    spare: HashMap<u64, Vec<Buffer>>,
}

/// The slots to draw, in order: up to two ranges.
pub(super) type DrawnSlots = [Range<u64>; 2];

impl GpuRings {
    /// The buffer of a system's ring.
    pub(super) fn get(&self, system: MainEntity, ring: usize) -> Option<&GpuRing> {
        self.rings.get(&system)?.get(ring)?.as_ref()
    }

    /// Removes the buffers of a system, or those of rings after the first ones.
    pub(super) fn truncate(&mut self, system: MainEntity, count: usize) {
        let Some(rings) = self.rings.get_mut(&system) else {
            return;
        };
        let unused = rings.split_off(count.min(rings.len()));
        if rings.is_empty() {
            self.rings.remove(&system);
        }
        for ring in unused.into_iter().flatten() {
            self.keep(ring);
        }
    }

    fn keep(&mut self, ring: GpuRing) {
        let spare = self.spare.entry(ring.slots).or_default();
        if spare.len() < MAX_SPARE {
            spare.push(ring.buffer);
        }
    }

    /// Uploads the records that are new. Returns the slots to draw.
    pub(super) fn upload(
        &mut self,
        system: MainEntity,
        index: usize,
        upload: &Upload<'_>,
        device: &RenderDevice,
        queue: &RenderQueue,
    ) -> DrawnSlots {
        let slots = upload.slots.len() as u64;
        let rings = self.rings.entry(system).or_default();
        while rings.len() <= index {
            rings.push(None);
        }
        let Some(place) = rings.get_mut(index) else {
            return [0..0, 0..0];
        };
        let mut unused = None;
        if place.as_ref().is_some_and(|ring| ring.slots != slots) {
            unused = place.take();
        }
        let ring = place.get_or_insert_with(|| {
            let spare = self.spare.get_mut(&slots).and_then(Vec::pop);
            GpuRing {
                buffer: spare.unwrap_or_else(|| buffer(device, slots)),
                slots,
                generation: upload.generation,
                uploaded: 0,
            }
        });
        if ring.generation != upload.generation {
            ring.generation = upload.generation;
            ring.uploaded = 0;
        }
        for range in wrapped(ring.uploaded.max(upload.first)..upload.next, slots) {
            let bytes = upload.slots.get(range.start as usize..range.end as usize);
            if let Some(bytes) = bytes.filter(|bytes| !bytes.is_empty()) {
                queue.write_buffer(&ring.buffer, range.start * RECORD, bytes.as_bytes());
            }
        }
        ring.uploaded = upload.next;
        if let Some(unused) = unused {
            self.keep(unused);
        }
        wrapped(upload.first..upload.next, slots)
    }
}

fn buffer(device: &RenderDevice, slots: u64) -> Buffer {
    device.create_buffer(&BufferDescriptor {
        label: Some("particle records"),
        size: slots * RECORD,
        usage: BufferUsages::VERTEX | BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

/// The slots of records with these numbers, of which there are at most as many as slots, in order.
fn wrapped(numbers: Range<u64>, slots: u64) -> DrawnSlots {
    let count = numbers.end.saturating_sub(numbers.start).min(slots);
    if count == 0 {
        return [0..0, 0..0];
    }
    let start = numbers.start % slots;
    let end = start + count;
    if end <= slots {
        [start..end, 0..0]
    } else {
        [start..slots, 0..end - slots]
    }
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn ranges_wrap_at_the_last_slot() {
        assert_eq!(wrapped(3..3, 8), [0..0, 0..0]);
        assert_eq!(wrapped(3..6, 8), [3..6, 0..0]);
        assert_eq!(wrapped(3..11, 8), [3..8, 0..3]);
        assert_eq!(wrapped(16..24, 8), [0..8, 0..0]);
        assert_eq!(wrapped(13..15, 8), [5..7, 0..0]);
        assert_eq!(wrapped(14..18, 8), [6..8, 0..2]);
        assert_eq!(wrapped(0..0, 0), [0..0, 0..0]);
    }
}
