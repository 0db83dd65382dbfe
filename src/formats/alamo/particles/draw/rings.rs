//! The records of ring buffers on the GPU. It must not know how they are drawn.
//!
//! All rings share few vertex buffers, the pages, because each buffer that a frame uses costs time. A ring has a segment of
//! a page: half as many slots more than the ring has. Its living records are contiguous there, so a ring is one draw. New
//! records follow the others. If there is no room for them, all living records are uploaded again, from the first slot of
//! the segment on. They are also uploaded again after a change of the ring's size or of its times, and after pages were
//! freed.

use crate::formats::alamo::particles::evaluate::BirthRecord;
use crate::formats::alamo::particles::record::EmitterRecords;
use crate::formats::alamo::particles::upload::Upload;
use bevy::ecs::resource::Resource;
use bevy::platform::collections::HashMap;
use bevy::render::render_resource::{
    Buffer, BufferDescriptor, BufferUsages, CommandEncoderDescriptor,
};
use bevy::render::renderer::{RenderDevice, RenderQueue};
use bevy::render::sync_world::{MainEntity, MainEntityHashMap};
use core::ops::Range;
use zerocopy::IntoBytes;

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
        [pages.used, pages.spare()].map(|slots| slots * RECORD)
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
            self.storage.pages = Pages::default();
        }
    }

    /// Uploads the records of this frame.
    pub(crate) fn finish_frame(&mut self, device: &RenderDevice, queue: &RenderQueue) {
        let Storage { pages, uploads, .. } = &mut self.storage;
        pages.create_buffers(device);
        uploads.finish(pages, device, queue);
    }

    /// Adds the records of a system that are new to the uploads of this frame. Calls `drawn` with the slots of each ring that
    /// has records. Frees the segments of rings without slots.
    pub(crate) fn upload(
        &mut self,
        system: MainEntity,
        emitters: &[EmitterRecords],
        mut drawn: impl FnMut(&EmitterRecords, DrawnSlots),
    ) {
        let Self { rings, storage } = self;
        let rings = rings.entry(system).or_default();
        for mut unused in rings.drain(emitters.len().min(rings.len())..) {
            storage.free(&mut unused);
        }
        rings.resize_with(emitters.len(), || None);
        for (ring, records) in rings.iter_mut().zip(emitters) {
            let upload = records.upload();
            if upload.slots.is_empty() {
                storage.free(ring);
            } else if upload.first < upload.next {
                drawn(records, storage.upload(ring, &upload));
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
    fn upload(&mut self, ring: &mut Option<GpuRing>, upload: &Upload<'_>) -> DrawnSlots {
        let slots = segment_slots(upload.slots.len() as u64);
        if ring
            .as_ref()
            .is_some_and(|ring| ring.segment.slots != slots)
        {
            self.free(ring);
        }
        if ring.as_ref().map(|ring| ring.generation) != Some(upload.generation) {
            let segment = ring.take().map(|ring| ring.segment);
            let segment = segment.unwrap_or_else(|| self.pages.take(slots));
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

/// The size of a record, which is that of a slot, in bytes.
pub(crate) const RECORD: u64 = size_of::<BirthRecord>() as u64;

/// The count of slots of a page, unless a segment needs more: 1 MiB.
const PAGE_SLOTS: u64 = (1 << 20) / RECORD;

/// Consecutive slots of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Segment {
    page: usize,
    /// The first slot.
    start: u64,
    /// The count of slots.
    slots: u64,
}

/// The slots of a page.
struct Page {
    slots: u64,
    /// The first slot that no segment has.
    end: u64,
    /// It is created before the first upload.
    buffer: Option<Buffer>,
}

/// All pages, and which of their slots are used.
#[derive(Default)]
struct Pages {
    pages: Vec<Page>,
    /// Freed segments by count of slots.
    free: HashMap<u64, Vec<Segment>>,
    /// The count of slots of the segments in use, and of the freed ones.
    used: u64,
    freed: u64,
}

impl Pages {
    /// Returns a segment that no one else uses.
    fn take(&mut self, slots: u64) -> Segment {
        self.used += slots;
        if let Some(segment) = self.free.get_mut(&slots).and_then(Vec::pop) {
            self.freed -= slots;
            return segment;
        }
        let has_room = |page: &Page| page.slots - page.end >= slots;
        let page = self.pages.iter().position(has_room).unwrap_or_else(|| {
            self.pages.push(Page {
                slots: slots.max(PAGE_SLOTS),
                end: 0,
                buffer: None,
            });
            self.pages.len() - 1
        });
        let start = self.pages.get_mut(page).map_or(0, |page| {
            let start = page.end;
            page.end += slots;
            start
        });
        Segment { page, start, slots }
    }

    /// Frees a segment.
    fn free(&mut self, segment: Segment) {
        self.used -= segment.slots;
        self.freed += segment.slots;
        self.free.entry(segment.slots).or_default().push(segment);
    }

    /// The count of slots that no segment in use has.
    fn spare(&self) -> u64 {
        let all: u64 = self.pages.iter().map(|page| page.slots).sum();
        all - self.used
    }

    /// Whether the slots of freed segments outnumber those in use and those of a page. Not by all unused slots: pages that
    /// were just filled may have room that no segment fits into.
    fn are_mostly_freed(&self) -> bool {
        self.freed > self.used.max(PAGE_SLOTS)
    }

    fn create_buffers(&mut self, device: &RenderDevice) {
        for page in self.pages.iter_mut().filter(|page| page.buffer.is_none()) {
            page.buffer = Some(device.create_buffer(&BufferDescriptor {
                label: Some("particle records"),
                size: page.slots * RECORD,
                usage: BufferUsages::VERTEX | BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }));
        }
    }

    fn buffer(&self, page: usize) -> Option<&Buffer> {
        self.pages.get(page)?.buffer.as_ref()
    }
}

/// The uploads of a frame. All records are written at once to one buffer, and copied from there, because each write to a
/// buffer allocates memory for the transfer.
#[derive(Default)]
struct Uploads {
    records: Vec<BirthRecord>,
    copies: Vec<Copy>,
    transfer: Option<Buffer>,
}

/// The copy of some records to a page. They follow those of the copy before.
struct Copy {
    page: usize,
    /// The slot of the first record.
    slot: u64,
    count: u64,
}

impl Uploads {
    /// Adds records that are copied to consecutive slots of a page.
    fn add(&mut self, page: usize, slot: u64, records: [&[BirthRecord]; 2]) {
        let begin = self.records.len();
        for part in records {
            self.records.extend_from_slice(part);
        }
        let count = (self.records.len() - begin) as u64;
        if count > 0 {
            self.copies.push(Copy { page, slot, count });
        }
    }

    /// Uploads everything that was added.
    fn finish(&mut self, pages: &Pages, device: &RenderDevice, queue: &RenderQueue) {
        match &self.copies[..] {
            [] => {}
            [copy] => {
                if let Some(buffer) = pages.buffer(copy.page) {
                    queue.write_buffer(buffer, copy.slot * RECORD, self.records.as_bytes());
                }
            }
            copies => {
                let needed = self.records.len() as u64;
                if self
                    .transfer
                    .as_ref()
                    .is_some_and(|it| !fits(it.size(), needed))
                {
                    self.transfer = None;
                    self.records.shrink_to_fit();
                }
                let new = || transfer_buffer(device, needed);
                let transfer = &*self.transfer.get_or_insert_with(new);
                queue.write_buffer(transfer, 0, self.records.as_bytes());
                let label = Some("particle records");
                let mut encoder =
                    device.create_command_encoder(&CommandEncoderDescriptor { label });
                let mut from = 0;
                for copy in copies {
                    let size = copy.count * RECORD;
                    if let Some(buffer) = pages.buffer(copy.page) {
                        let to = copy.slot * RECORD;
                        encoder.copy_buffer_to_buffer(transfer, from, buffer, to, size);
                    }
                    from += size;
                }
                queue.submit([encoder.finish()]);
            }
        }
        self.records.clear();
        self.copies.clear();
    }
}

/// Whether a buffer of this size holds a count of records, and not more than four times as many.
fn fits(size: u64, count: u64) -> bool {
    let slots = size / RECORD;
    slots >= count && slots <= 4 * count.next_power_of_two()
}

fn transfer_buffer(device: &RenderDevice, count: u64) -> Buffer {
    device.create_buffer(&BufferDescriptor {
        label: Some("transfer of particle records"),
        size: count.next_power_of_two() * RECORD,
        usage: BufferUsages::COPY_SRC | BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
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

    #[test]
    fn segments_in_use_have_slots_of_their_own() {
        let mut pages = Pages::default();
        let counts = [12, 96, 12, 3 * PAGE_SLOTS, 24, PAGE_SLOTS, 96, 12];
        let segments = counts.map(|count| pages.take(count));
        for (index, a) in segments.iter().enumerate() {
            assert!(a.start + a.slots <= pages.pages[a.page].slots);
            for b in &segments[..index] {
                let is_apart = a.start >= b.start + b.slots || b.start >= a.start + a.slots;
                assert!(a.page != b.page || is_apart, "{a:?} {b:?}");
            }
        }
        assert_eq!(pages.used, counts.iter().sum::<u64>());
    }

    #[test]
    fn freed_segments_are_used_again() {
        let mut pages = Pages::default();
        let first = pages.take(96);
        pages.take(96);
        pages.free(first);
        assert_eq!(pages.take(24).start, 192);
        assert_eq!(pages.take(96), first);
        assert_eq!(pages.used, 216);
    }

    #[test]
    fn segments_fill_the_first_page_with_room() {
        let mut pages = Pages::default();
        let taken = [12, PAGE_SLOTS + 1, 24, PAGE_SLOTS, 96].map(|slots| pages.take(slots).page);
        assert_eq!(taken, [0, 1, 0, 2, 0]);
    }

    #[test]
    fn pages_are_mostly_freed_only_after_most_segments_are_freed() {
        let mut pages = Pages::default();
        // A page is nearly empty, because the next segment does not fit into it.
        let small = pages.take(96);
        let large: Vec<_> = (0..4).map(|_| pages.take(PAGE_SLOTS)).collect();
        assert!(!pages.are_mostly_freed());
        for segment in large {
            pages.free(segment);
        }
        assert!(pages.are_mostly_freed());
        pages.take(PAGE_SLOTS);
        pages.take(PAGE_SLOTS);
        assert!(!pages.are_mostly_freed());
        pages.free(small);
        assert_eq!(
            (pages.used, pages.freed),
            (2 * PAGE_SLOTS, 2 * PAGE_SLOTS + 96)
        );
        assert_eq!(pages.spare(), 3 * PAGE_SLOTS);
    }

    #[test]
    fn transfer_buffers_are_neither_too_small_nor_much_too_large() {
        let size = |slots: u64| slots * RECORD;
        for (slots, count, expected) in [
            (8, 8, true),
            (8, 9, false),
            (32, 8, true),
            (64, 8, false),
            (16, 9, true),
        ] {
            assert_eq!(fits(size(slots), count), expected, "{slots} for {count}");
        }
    }
}
