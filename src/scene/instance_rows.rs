//! The rows of a table of what instances show: one row per instance, by its `MeshTag`.

use std::collections::BTreeSet;

/// Texels per line of the texture: the smallest limit that any adapter has.
pub(super) const WIDTH: u32 = 2048;

/// Texels of a [`Row`].
const TEXELS_PER_ROW: u32 = 4;

pub(super) const ROWS_PER_LINE: u32 = WIDTH / TEXELS_PER_ROW;

/// The row that no instance gets. Meshes without a row have the tag 0 and read zeros.
const ZERO_ROWS: usize = 1;

/// Four texels of four 32-bit numbers.
pub(crate) type Row = [u32; 16];

/// The rows of all instances.
#[derive(Debug)]
pub(crate) struct InstanceRows {
    pub(super) rows: Vec<Row>,
    /// Rows before the end that no instance has.
    free: BTreeSet<u32>,
    /// Height of the texture.
    pub(super) lines: u32,
    /// Counts the changes, so that the render world copies the rows only then.
    pub(super) version: u64,
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
    /// Number of rows that instances have.
    pub(crate) fn len(&self) -> usize {
        self.rows.len() - self.free.len() - ZERO_ROWS
    }

    /// A row; zeros if there is none of this index.
    pub(crate) fn get(&self, row: u32) -> Row {
        self.rows.get(row as usize).copied().unwrap_or_default()
    }

    /// Changes a row, if `change` returns whether it did.
    pub(crate) fn update(&mut self, row: u32, change: impl FnOnce(&mut Row) -> bool) {
        if let Some(row) = self.rows.get_mut(row as usize)
            && change(row)
        {
            self.version += 1;
        }
    }

    /// Allocates the lowest free row, which is filled with zeros.
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

    /// Chooses the height of the texture: twice as high or more if the rows do not fit, half as high if they need no
    /// more than a quarter. Returns whether it is another one.
    pub(super) fn fit(&mut self) -> bool {
        let needed = (self.rows.len() as u32).div_ceil(ROWS_PER_LINE);
        let lines = if needed > self.lines {
            needed.next_power_of_two()
        } else if needed.saturating_mul(4) <= self.lines {
            (2 * needed).next_power_of_two()
        } else {
            return false;
        };
        let is_other = lines != self.lines;
        self.lines = lines;
        self.rows.shrink_to((lines * ROWS_PER_LINE) as usize);
        is_other
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
    fn the_lowest_free_row_is_allocated_first_and_is_empty() {
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
    fn free_rows_at_the_end_are_given_up() {
        let mut table = table(6);
        table.release(5);
        table.release(4);
        assert_eq!(table.rows.len(), 7);
        table.release(6);
        assert_eq!((table.rows.len(), table.free.len()), (4, 0));
        assert_eq!((table.allocate(), table.len()), (4, 4));
    }

    #[test]
    fn the_texture_grows_at_once_and_shrinks_when_a_quarter_is_used() {
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
        // One more than fits into two lines changes nothing.
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
    fn only_changes_count() {
        let mut table = table(1);
        let before = table.version;
        table.update(1, |_| false);
        assert_eq!(table.version, before);
        table.update(1, |_| true);
        assert_ne!(table.version, before);
    }
}
