//! Rows of per-instance data for the GPU: one row per instance, indexed by its `MeshTag`.

use std::collections::BTreeSet;

/// Texels per line of the texture: the lowest width limit of any adapter.
pub(crate) const WIDTH: u32 = 2048;

/// Texels of a [`Row`].
const TEXELS_PER_ROW: u32 = 4;

pub(crate) const ROWS_PER_LINE: u32 = WIDTH / TEXELS_PER_ROW;

/// The count of reserved rows at the start. Meshes without a row have the tag 0 and read zeros.
const ZERO_ROWS: usize = 1;

/// Four texels of four 32-bit values.
pub(crate) type Row = [u32; 16];

/// The rows of all instances.
#[derive(Debug)]
pub(crate) struct InstanceRows {
    pub(crate) rows: Vec<Row>,
    /// Free rows before the end.
    free: BTreeSet<u32>,
    /// Height of the texture.
    pub(crate) lines: u32,
    /// Incremented by each change, so that the render world copies the rows only after a change.
    pub(crate) version: u64,
}

impl Default for InstanceRows {
    fn default() -> Self {
        Self {
            rows: vec![Row::default(); ZERO_ROWS],
            free: BTreeSet::new(),
            lines: 1,
            version: 0,
        }
    }
}

impl InstanceRows {
    /// The count of allocated rows.
    pub(crate) fn len(&self) -> usize {
        self.rows.len() - self.free.len() - ZERO_ROWS
    }

    /// The row at an index; zeros if the index is out of bounds.
    pub(crate) fn get(&self, row: u32) -> Row {
        self.rows.get(row as usize).copied().unwrap_or_default()
    }

    /// Calls `change` with a row. `change` returns whether it modified the row.
    pub(crate) fn update(&mut self, row: u32, change: impl FnOnce(&mut Row) -> bool) {
        if let Some(row) = self.rows.get_mut(row as usize)
            && change(row)
        {
            self.version += 1;
        }
    }

    /// Allocates the lowest free row and fills it with zeros.
    pub(crate) fn allocate(&mut self) -> u32 {
        self.version += 1;
        if let Some(row) = self.free.pop_first() {
            if let Some(row) = self.rows.get_mut(row as usize) {
                *row = Row::default();
            }
            return row;
        }
        self.rows.push(Row::default());
        self.rows.len() as u32 - 1
    }

    /// Frees a row.
    pub(crate) fn release(&mut self, row: u32) {
        let rows = ZERO_ROWS..self.rows.len();
        if !rows.contains(&(row as usize)) {
            return;
        }
        self.free.insert(row);
        while self.free.last().copied() == Some(self.rows.len() as u32 - 1) {
            self.free.pop_last();
            self.rows.pop();
        }
    }

    /// Adjusts the height of the texture, always to a power of two. Grows if the rows do not fit, shrinks if they need
    /// at most a quarter. Returns whether the height changed.
    pub(crate) fn fit(&mut self) -> bool {
        let needed = (self.rows.len() as u32).div_ceil(ROWS_PER_LINE);
        let lines = if needed > self.lines {
            needed.next_power_of_two()
        } else if needed.saturating_mul(4) <= self.lines {
            (2 * needed).next_power_of_two()
        } else {
            return false;
        };
        let is_changed = lines != self.lines;
        self.lines = lines;
        self.rows.shrink_to((lines * ROWS_PER_LINE) as usize);
        is_changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: usize = ROWS_PER_LINE as usize;

    fn table(count: usize) -> InstanceRows {
        let mut table = InstanceRows::default();
        for _ in 0..count {
            table.allocate();
        }
        table
    }

    #[test]
    fn allocate_returns_the_lowest_free_row_zeroed() {
        let mut table = table(4);
        table.update(2, |row| {
            row[0] = 7;
            true
        });
        table.release(3);
        table.release(2);
        assert_eq!(table.len(), 2);
        assert_eq!((table.allocate(), table.get(2)), (2, Row::default()));
        assert_eq!((table.allocate(), table.allocate()), (3, 5));
    }

    #[test]
    fn row_0_is_never_allocated_or_freed() {
        let mut table = InstanceRows::default();
        assert_eq!(table.len(), 0);
        table.release(0);
        table.release(7);
        assert_eq!(table.allocate(), 1);
        table.release(1);
        table.release(1);
        assert_eq!((table.len(), table.allocate()), (0, 1));
    }

    #[test]
    fn trailing_free_rows_are_removed() {
        let mut table = table(6);
        table.release(5);
        table.release(4);
        assert_eq!(table.rows.len(), 7);
        table.release(6);
        assert_eq!((table.rows.len(), table.free.len()), (4, 0));
        assert_eq!((table.allocate(), table.len()), (4, 4));
    }

    #[test]
    fn texture_grows_when_full_and_shrinks_at_a_quarter() {
        let mut table = table(5 * LINE);
        assert!(table.fit());
        assert_eq!(table.lines, 8);
        assert!(!table.fit());
        // Two lines and a row need three lines, which is more than a quarter.
        for row in (2 * LINE as u32 + 1)..=(5 * LINE as u32) {
            table.release(row);
        }
        assert!(!table.fit());
        table.release(2 * LINE as u32);
        assert!(table.fit());
        assert_eq!(table.lines, 4);
        assert!(table.rows.capacity() <= 4 * LINE);
        // A row beyond two lines does not change the height.
        table.allocate();
        assert!(!table.fit());
        for row in 1..=(2 * LINE as u32) {
            table.release(row);
        }
        assert!(table.fit());
        assert_eq!(table.lines, 2);
        assert!(!table.fit());
    }

    #[test]
    fn version_increases_only_on_changes() {
        let mut table = table(1);
        let before = table.version;
        table.update(1, |_| false);
        assert_eq!(table.version, before);
        table.update(1, |_| true);
        assert_ne!(table.version, before);
    }
}
