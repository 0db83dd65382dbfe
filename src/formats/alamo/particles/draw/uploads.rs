//! Uploads of many small ranges of records to the pages. It must not know systems or emitters.

use crate::formats::alamo::particles::draw::pages::{Pages, RECORD};
use crate::formats::alamo::particles::evaluate::BirthRecord;
use bevy::render::render_resource::{
    Buffer, BufferDescriptor, BufferUsages, CommandEncoderDescriptor,
};
use bevy::render::renderer::{RenderDevice, RenderQueue};
use zerocopy::IntoBytes;

/// The uploads of a frame. All records are written at once to one buffer, and copied from there, because each write to a
/// buffer allocates memory for the transfer.
#[derive(Default)]
pub(crate) struct Uploads {
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
    pub(crate) fn add(&mut self, page: usize, slot: u64, records: [&[BirthRecord]; 2]) {
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
    pub(crate) fn finish(&mut self, pages: &Pages, device: &RenderDevice, queue: &RenderQueue) {
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
