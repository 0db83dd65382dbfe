//! The records of ring buffers on the GPU. It must not know how they are drawn.
//!
//! All rings share few vertex buffers, the pages, because each buffer that a frame uses costs time. A ring has a segment of
//! a page: half as many slots more than the ring has. Its living records are contiguous there, so a ring is one draw. New
//! records follow the others. If there is no room for them, all living records are uploaded again, from the first slot of
//! the segment on. They are also uploaded again after a change of the ring's size or of its times, and after pages were
//! freed.

use crate::formats::alamo::particles::draw::pages::{Pages, RECORD, Segment};
use crate::formats::alamo::particles::draw::uploads::Uploads;
use crate::formats::alamo::particles::record::{EmitterRecords, Upload};
use bevy::ecs::resource::Resource;
use bevy::render::render_resource::Buffer;
use bevy::render::renderer::{RenderDevice, RenderQueue};
use bevy::render::sync_world::{MainEntity, MainEntityHashMap};
use core::ops::Range;

/// A ring buffer on the GPU.
struct GpuRing {
    segment: Segment,
    generation: u64,
    contents: Contents,
}

/// The records that a segment has, in the order of their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Contents {
    /// The number of the record in a slot. Those of the next slots follow.
    number: u64,
    slot: u64,
    /// The number of the first record that was not uploaded.
    end: u64,
}

impl Contents {
    /// No records. The record with this number will be in this slot.
    fn new(number: u64, slot: u64) -> Self {
        Self {
            number,
            slot,
            end: number,
        }
    }

    /// The slots of records with these numbers.
    fn slots(&self, numbers: &Range<u64>) -> Range<u64> {
        let slot = |number| self.slot + (number - self.number);
        slot(numbers.start)..slot(numbers.end)
    }

    /// Adds the records with these numbers that it does not have, and drops earlier ones. Returns the numbers of the
    /// records to upload: all of them, if they do not fit into `slots` otherwise.
    fn update(&mut self, living: &Range<u64>, slots: u64) -> Range<u64> {
        if self.slots(living).end > slots {
            *self = Self::new(living.start, 0);
        }
        let missing = self.end.max(living.start)..living.end;
        self.end = living.end;
        missing
    }
}

/// The count of slots of the segment of a ring.
fn segment_slots(ring_slots: u64) -> u64 {
    ring_slots + ring_slots / 2
}

/// The ring buffers of all systems.
#[derive(Resource, Default)]
pub(crate) struct GpuRings {
    rings: MainEntityHashMap<Vec<Option<GpuRing>>>,
    storage: Storage,
}

/// The slots to draw.
#[derive(Clone, Debug, Default)]
pub(crate) struct DrawnSlots {
    pub(crate) page: usize,
    /// The slots of the page.
    pub(crate) slots: Range<u64>,
}

impl GpuRings {
    /// The vertex buffer of a page.
    pub(crate) fn page(&self, page: usize) -> Option<&Buffer> {
        self.storage.pages.buffer(page)
    }

    /// The bytes of all segments of rings, and of the rest of the pages.
    pub(crate) fn bytes(&self) -> [u64; 2] {
        let pages = &self.storage.pages;
        [pages.used(), pages.spare()].map(|slots| slots * RECORD)
    }

    /// Frees the segments of a system.
    pub(crate) fn remove(&mut self, system: MainEntity) {
        for mut ring in self.rings.remove(&system).unwrap_or_default() {
            self.storage.free(&mut ring);
        }
    }

    /// Frees all pages if most of their slots are freed. Then this frame uploads all living records again.
    pub(crate) fn begin_frame(&mut self) {
        if self.storage.pages.are_mostly_freed() {
            self.rings.clear();
            self.storage.pages.clear();
        }
    }

    /// Uploads the records of this frame.
    pub(crate) fn finish_frame(&mut self, device: &RenderDevice, queue: &RenderQueue) {
        let Storage { pages, uploads, .. } = &mut self.storage;
        uploads.finish(pages, device, queue);
    }

    /// Adds the records of a system that are new to the uploads of this frame. Calls `drawn` with the slots of each ring that
    /// has records. Frees the segments of rings without slots.
    pub(crate) fn upload(
        &mut self,
        system: MainEntity,
        emitters: &[EmitterRecords],
        device: &RenderDevice,
        mut drawn: impl FnMut(&EmitterRecords, DrawnSlots),
    ) {
        let Self { rings, storage } = self;
        let rings = rings.entry(system).or_default();
        for mut unused in rings.drain(emitters.len().min(rings.len())..) {
            storage.free(&mut unused);
        }
        rings.resize_with(emitters.len(), || None);
        for (ring, records) in rings.iter_mut().zip(emitters) {
            if records.capacity() == 0 {
                storage.free(ring);
            } else if !records.is_empty() {
                drawn(records, storage.upload(ring, &records.upload(), device));
            }
        }
    }
}

/// The memory of the rings.
#[derive(Default)]
struct Storage {
    pages: Pages,
    uploads: Uploads,
    /// How many times a ring was uploaded from its beginning.
    begun: u32,
}

impl Storage {
    fn free(&mut self, ring: &mut Option<GpuRing>) {
        if let Some(ring) = ring.take() {
            self.pages.free(ring.segment);
        }
    }

    /// Adds the records that are new to the uploads of this frame. Returns the slots to draw.
    fn upload(
        &mut self,
        ring: &mut Option<GpuRing>,
        upload: &Upload<'_>,
        device: &RenderDevice,
    ) -> DrawnSlots {
        let slots = segment_slots(upload.slots.len() as u64);
        if ring
            .as_ref()
            .is_some_and(|ring| ring.segment.slots != slots)
        {
            self.free(ring);
        }
        if ring.as_ref().map(|ring| ring.generation) != Some(upload.generation) {
            let segment = ring.take().map(|ring| ring.segment);
            let segment = segment.unwrap_or_else(|| self.pages.take(slots, device));
            *ring = Some(self.begin(segment, upload));
        }
        let Some(ring) = ring else {
            return DrawnSlots::default();
        };
        let missing = ring.update(upload);
        let page = ring.segment.page;
        let first = ring.slots(&missing).start;
        self.uploads.add(page, first, upload.records(&missing));
        let slots = ring.slots(&(upload.first..upload.next));
        DrawnSlots { page, slots }
    }

    /// A ring without records. The first slot differs between rings, so that those that begin together do not reach the
    /// end of their segments in the same frame.
    fn begin(&mut self, segment: Segment, upload: &Upload<'_>) -> GpuRing {
        let slot = spread(self.begun, segment.slots - upload.slots.len() as u64);
        self.begun = self.begun.wrapping_add(1);
        GpuRing {
            segment,
            generation: upload.generation,
            contents: Contents::new(upload.first, slot),
        }
    }
}

impl GpuRing {
    /// Adds all records that it does not have. Returns their numbers.
    fn update(&mut self, upload: &Upload<'_>) -> Range<u64> {
        let living = upload.first..upload.next;
        self.contents.update(&living, self.segment.slots)
    }

    /// The slots of the page with the records of these numbers.
    fn slots(&self, numbers: &Range<u64>) -> Range<u64> {
        let Range { start, end } = self.contents.slots(numbers);
        self.segment.start + start..self.segment.start + end
    }
}

/// A number below `limit`. Those of consecutive indices are far from each other: multiples of the golden ratio.
fn spread(index: u32, limit: u64) -> u64 {
    (u64::from(index.wrapping_mul(0x9e37_79b9)) * limit) >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_records_follow_the_others_until_the_segment_is_full() {
        let mut contents = Contents::new(5, 2);
        assert_eq!(contents.update(&(5..9), 12), 5..9);
        assert_eq!(contents.slots(&(5..9)), 2..6);
        assert_eq!(contents.update(&(8..15), 12), 9..15);
        assert_eq!(contents.slots(&(8..15)), 5..12);
        assert_eq!(contents.update(&(8..15), 12), 15..15);
        // One more does not fit.
        assert_eq!(contents.update(&(8..16), 12), 8..16);
        assert_eq!(contents.slots(&(8..16)), 0..8);
    }

    #[test]
    fn records_that_died_before_their_upload_are_skipped() {
        let mut contents = Contents::new(0, 0);
        assert_eq!(contents.update(&(0..4), 12), 0..4);
        assert_eq!(contents.update(&(6..8), 12), 6..8);
        assert_eq!(contents.slots(&(6..8)), 6..8);
        assert_eq!(contents.update(&(100..108), 12), 100..108);
        assert_eq!(contents.slots(&(100..108)), 0..8);
    }

    #[test]
    fn full_rings_fit_from_every_first_slot() {
        for ring_slots in [8, 16, 65_536] {
            let slots = segment_slots(ring_slots);
            let firsts = (0..100).map(|index| spread(index, slots - ring_slots));
            assert!(firsts.clone().all(|slot| slot + ring_slots <= slots));
            let distinct: std::collections::BTreeSet<_> = firsts.take(4).collect();
            assert!(distinct.len() >= 3, "{distinct:?}");
        }
    }
}
