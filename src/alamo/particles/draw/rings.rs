//! The vertex buffers of ring buffers. What is drawn from them does not belong here.

use super::uploads::{RECORD, Uploads};
use crate::alamo::particles::record::{EmitterRecords, Upload};
use bevy::ecs::resource::Resource;
use bevy::platform::collections::HashMap;
use bevy::render::render_resource::{Buffer, BufferDescriptor, BufferUsages};
use bevy::render::renderer::{RenderDevice, RenderQueue};
use bevy::render::sync_world::{MainEntity, MainEntityHashMap};
use core::ops::Range;

/// Unused buffers of this many bytes are always kept.
const MIN_SPARE: u64 = 1 << 20;

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
    /// The bytes of all buffers that are used, and of those that are not.
    used_bytes: u64,
    spare_bytes: u64,
    uploads: Uploads,
}

/// The slots to draw, in order: up to two ranges.
pub(super) type DrawnSlots = [Range<u64>; 2];

impl GpuRings {
    /// The buffer of a system's ring.
    pub(super) fn get(&self, system: MainEntity, ring: usize) -> Option<&GpuRing> {
        self.rings.get(&system)?.get(ring)?.as_ref()
    }

    /// The bytes of all buffers that are used, and of those that are not.
    pub(super) fn bytes(&self) -> [u64; 2] {
        [self.used_bytes, self.spare_bytes]
    }

    /// Removes the buffers of a system, except those of these rings that have slots.
    pub(super) fn retain(&mut self, system: MainEntity, records: &[EmitterRecords]) {
        let Some(rings) = self.rings.get_mut(&system) else {
            return;
        };
        let mut unused = rings.split_off(records.len().min(rings.len()));
        let without_slots = records.iter().map(|records| records.capacity() == 0);
        let without_slots = rings.iter_mut().zip(without_slots).filter(|(_, it)| *it);
        unused.extend(without_slots.map(|(ring, _)| ring.take()));
        if rings.is_empty() {
            self.rings.remove(&system);
        }
        for ring in unused.into_iter().flatten() {
            self.keep(ring);
        }
    }

    /// Keeps the buffer of a ring for later ones.
    fn keep(&mut self, ring: GpuRing) {
        let bytes = ring.slots * RECORD;
        self.used_bytes -= bytes;
        self.spare_bytes += bytes;
        self.spare.entry(ring.slots).or_default().push(ring.buffer);
    }

    /// An unused buffer, or a new one.
    fn take(&mut self, slots: u64, device: &RenderDevice) -> Buffer {
        let bytes = slots * RECORD;
        self.used_bytes += bytes;
        match self.spare.get_mut(&slots).and_then(Vec::pop) {
            Some(buffer) => {
                self.spare_bytes -= bytes;
                buffer
            }
            None => buffer(device, slots),
        }
    }

    /// Uploads the records of this frame. Frees the unused buffers if they are larger than those in use.
    pub(super) fn finish(&mut self, device: &RenderDevice, queue: &RenderQueue) {
        self.uploads.finish(device, queue);
        if self.spare_bytes > self.used_bytes.max(MIN_SPARE) {
            self.spare.clear();
            self.spare_bytes = 0;
        }
    }

    /// Adds the records that are new to the uploads of this frame. Returns the slots to draw.
    pub(super) fn upload(
        &mut self,
        system: MainEntity,
        index: usize,
        upload: &Upload<'_>,
        device: &RenderDevice,
    ) -> DrawnSlots {
        let slots = upload.slots.len() as u64;
        let rings = self.rings.entry(system).or_default();
        while rings.len() <= index {
            rings.push(None);
        }
        let mut ring = rings.get_mut(index).and_then(Option::take);
        if let Some(unused) = ring.take_if(|ring| ring.slots != slots) {
            self.keep(unused);
        }
        let mut ring = ring.unwrap_or_else(|| GpuRing {
            buffer: self.take(slots, device),
            slots,
            generation: upload.generation,
            uploaded: 0,
        });
        if ring.generation != upload.generation {
            ring.generation = upload.generation;
            ring.uploaded = 0;
        }
        for range in wrapped(ring.uploaded.max(upload.first)..upload.next, slots) {
            let records = upload.slots.get(range.start as usize..range.end as usize);
            self.uploads.add(
                &ring.buffer,
                range.start * RECORD,
                records.unwrap_or_default(),
            );
        }
        ring.uploaded = upload.next;
        let place = self
            .rings
            .get_mut(&system)
            .and_then(|rings| rings.get_mut(index));
        if let Some(place) = place {
            *place = Some(ring);
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
