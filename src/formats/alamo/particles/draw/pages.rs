//! Large vertex buffers, the pages, and their division into segments. It must not know rings or systems.

use crate::formats::alamo::particles::evaluate::BirthRecord;
use bevy::platform::collections::HashMap;
use bevy::render::render_resource::{Buffer, BufferDescriptor, BufferUsages};
use bevy::render::renderer::RenderDevice;

/// The size of a record, which is that of a slot, in bytes.
pub(crate) const RECORD: u64 = size_of::<BirthRecord>() as u64;

/// The count of slots of a page, unless a segment needs more: 1 MiB.
const PAGE_SLOTS: u64 = (1 << 20) / RECORD;

/// Consecutive slots of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) page: usize,
    /// The first slot.
    pub(crate) start: u64,
    /// The count of slots.
    pub(crate) slots: u64,
}

/// All pages, and which of their slots are used.
#[derive(Default)]
pub(crate) struct Pages {
    layout: Layout,
    buffers: Vec<Buffer>,
}

impl Pages {
    /// Returns a segment that no one else uses.
    pub(crate) fn take(&mut self, slots: u64, device: &RenderDevice) -> Segment {
        let segment = self.layout.take(slots);
        for page in self.layout.pages.iter().skip(self.buffers.len()) {
            self.buffers.push(buffer(device, page.slots));
        }
        segment
    }

    /// Frees a segment.
    pub(crate) fn free(&mut self, segment: Segment) {
        self.layout.free(segment);
    }

    /// Frees all segments and pages.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(crate) fn buffer(&self, page: usize) -> Option<&Buffer> {
        self.buffers.get(page)
    }

    /// The count of slots of all segments in use.
    pub(crate) fn used(&self) -> u64 {
        self.layout.used
    }

    /// The count of all other slots.
    pub(crate) fn spare(&self) -> u64 {
        self.layout.spare()
    }

    /// Whether the slots of freed segments outnumber those in use and those of a page.
    pub(crate) fn are_mostly_freed(&self) -> bool {
        self.layout.is_mostly_freed()
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

/// The slots of a page.
#[derive(Debug)]
struct Page {
    slots: u64,
    /// The first slot that no segment has.
    end: u64,
}

/// The division of the pages, without their buffers.
#[derive(Debug, Default)]
struct Layout {
    pages: Vec<Page>,
    /// Freed segments by count of slots.
    free: HashMap<u64, Vec<Segment>>,
    /// The count of slots of the segments in use, and of the freed ones.
    used: u64,
    freed: u64,
}

impl Layout {
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

    fn free(&mut self, segment: Segment) {
        self.used -= segment.slots;
        self.freed += segment.slots;
        self.free.entry(segment.slots).or_default().push(segment);
    }

    fn spare(&self) -> u64 {
        let all: u64 = self.pages.iter().map(|page| page.slots).sum();
        all - self.used
    }

    // Not by all unused slots: pages that were just filled may have room that no segment fits into.
    fn is_mostly_freed(&self) -> bool {
        self.freed > self.used.max(PAGE_SLOTS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_in_use_have_slots_of_their_own() {
        let mut layout = Layout::default();
        let counts = [12, 96, 12, 3 * PAGE_SLOTS, 24, PAGE_SLOTS, 96, 12];
        let segments = counts.map(|count| layout.take(count));
        for (index, a) in segments.iter().enumerate() {
            assert!(a.start + a.slots <= layout.pages[a.page].slots);
            for b in &segments[..index] {
                let is_apart = a.start >= b.start + b.slots || b.start >= a.start + a.slots;
                assert!(a.page != b.page || is_apart, "{a:?} {b:?}");
            }
        }
        assert_eq!(layout.used, counts.iter().sum::<u64>());
    }

    #[test]
    fn freed_segments_are_used_again() {
        let mut layout = Layout::default();
        let first = layout.take(96);
        layout.take(96);
        layout.free(first);
        assert_eq!(layout.take(24).start, 192);
        assert_eq!(layout.take(96), first);
        assert_eq!(layout.used, 216);
    }

    #[test]
    fn segments_fill_the_first_page_with_room() {
        let mut layout = Layout::default();
        let pages = [12, PAGE_SLOTS + 1, 24, PAGE_SLOTS, 96].map(|slots| layout.take(slots).page);
        assert_eq!(pages, [0, 1, 0, 2, 0]);
    }

    #[test]
    fn pages_are_mostly_freed_only_after_most_segments_are_freed() {
        let mut layout = Layout::default();
        // A page is nearly empty, because the next segment does not fit into it.
        let small = layout.take(96);
        let large: Vec<_> = (0..4).map(|_| layout.take(PAGE_SLOTS)).collect();
        assert!(!layout.is_mostly_freed());
        for segment in large {
            layout.free(segment);
        }
        assert!(layout.is_mostly_freed());
        layout.take(PAGE_SLOTS);
        layout.take(PAGE_SLOTS);
        assert!(!layout.is_mostly_freed());
        layout.free(small);
        assert_eq!(
            (layout.used, layout.freed),
            (2 * PAGE_SLOTS, 2 * PAGE_SLOTS + 96)
        );
        assert_eq!(layout.spare(), 3 * PAGE_SLOTS);
    }
}
