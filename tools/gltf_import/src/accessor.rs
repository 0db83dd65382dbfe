//! Reads the arrays of a glTF file, with every offset and count checked. It must not know what the arrays are for.

use crate::error::{At, Error, Result};
use crate::json::{Accessor, Root};

/// How many bytes arrays may have in memory, per byte of the file. Files can state values that they do not have: morph targets
/// are mostly zeros, which take no bytes.
const MAX_EXPANSION: usize = 64;

/// What small files may have in addition.
const ALWAYS_ALLOWED: usize = 64 << 20;

/// The arrays of a file.
pub struct Arrays<'a> {
    root: &'a Root,
    buffers: &'a [Vec<u8>],
    /// How many bytes further arrays may have in memory.
    budget: usize,
}

/// A type of the numbers of an array.
pub trait Number: Copy + Default {
    /// The number of these bytes, which have the size of the component type. `None` for types that do not fit.
    fn of(bytes: &[u8], component: u32, normalized: bool) -> Option<Self>;
}

impl Number for f32 {
    fn of(bytes: &[u8], component: u32, normalized: bool) -> Option<Self> {
        let (value, max) = match (component, bytes) {
            (5120, [a]) => (f32::from(*a as i8), 127.0),
            (5121, [a]) => (f32::from(*a), 255.0),
            (5122, [a, b]) => (f32::from(i16::from_le_bytes([*a, *b])), 32767.0),
            (5123, [a, b]) => (f32::from(u16::from_le_bytes([*a, *b])), 65535.0),
            (5126, [a, b, c, d]) => return Some(Self::from_le_bytes([*a, *b, *c, *d])),
            _ => return None,
        };
        Some(if normalized {
            (value / max).max(-1.0)
        } else {
            value
        })
    }
}

impl Number for u32 {
    fn of(bytes: &[u8], component: u32, _: bool) -> Option<Self> {
        match (component, bytes) {
            (5121, [a]) => Some(Self::from(*a)),
            (5123, [a, b]) => Some(Self::from(u16::from_le_bytes([*a, *b]))),
            (5125, [a, b, c, d]) => Some(Self::from_le_bytes([*a, *b, *c, *d])),
            _ => None,
        }
    }
}

impl<'a> Arrays<'a> {
    pub fn new(root: &'a Root, buffers: &'a [Vec<u8>], file_bytes: usize) -> Self {
        let all = buffers
            .iter()
            .fold(file_bytes, |sum, it| sum.saturating_add(it.len()));
        Self {
            root,
            buffers,
            budget: all
                .saturating_mul(MAX_EXPANSION)
                .saturating_add(ALWAYS_ALLOWED),
        }
    }

    /// The elements of an accessor: of `N` numbers each, and as many as `count` if that is given. Accessors without bytes are
    /// zeros: their count must be given, because nothing else limits it.
    pub fn read<T: Number, const N: usize>(
        &mut self,
        index: usize,
        count: Option<usize>,
    ) -> Result<Vec<[T; N]>> {
        self.elements(index, count)
            .at(format_args!("accessors[{index}]"))
    }

    fn elements<T: Number, const N: usize>(
        &mut self,
        index: usize,
        count: Option<usize>,
    ) -> Result<Vec<[T; N]>> {
        let accessors = &self.root.accessors;
        let accessor = accessors.get(index).ok_or_else(|| {
            Error::new(format_args!(
                "does not exist: there are {}",
                accessors.len()
            ))
        })?;
        let width = width(&accessor.kind)?;
        if width != N {
            let kind = &accessor.kind;
            return Err(Error::new(format_args!(
                "type {kind} instead of {N} numbers"
            )));
        }
        if let Some(count) = count.filter(|count| *count != accessor.count) {
            let found = accessor.count;
            return Err(Error::new(format_args!(
                "{found} elements instead of {count}"
            )));
        }
        self.charge(accessor.count.checked_mul(N * size_of::<T>()))?;
        let component = accessor.component_type;
        let size = component_size(component)?;
        let mut values = match accessor.buffer_view {
            Some(view) => {
                let stride = self.stride(view).unwrap_or(size * N);
                let bytes =
                    self.bytes(view, accessor.byte_offset, accessor.count, stride, size * N)?;
                let elements = bytes.chunks(stride.max(1)).take(accessor.count);
                elements
                    .map(|element| decode(element, accessor, size))
                    .collect::<Result<Vec<_>>>()?
            }
            None if count.is_some() => vec![[T::default(); N]; accessor.count],
            None => return Err(Error::new("no buffer view")),
        };
        self.replace_sparse(accessor, size, &mut values)?;
        Ok(values)
    }

    /// Replaces the elements that a sparse accessor states.
    fn replace_sparse<T: Number, const N: usize>(
        &self,
        accessor: &Accessor,
        size: usize,
        values: &mut [[T; N]],
    ) -> Result<()> {
        let Some(sparse) = &accessor.sparse else {
            return Ok(());
        };
        let (at, of) = (&sparse.indices, &sparse.values);
        let index_size = component_size(at.component_type)?;
        let indices = self.bytes(
            at.buffer_view,
            at.byte_offset,
            sparse.count,
            index_size,
            index_size,
        )?;
        let replaced = self.bytes(
            of.buffer_view,
            of.byte_offset,
            sparse.count,
            size * N,
            size * N,
        )?;
        for (index, value) in indices.chunks(index_size).zip(replaced.chunks(size * N)) {
            let index = u32::of(index, at.component_type, false);
            let index =
                index.ok_or_else(|| Error::new("sparse indices are not unsigned integers"))?;
            let count = values.len();
            let target = values.get_mut(index as usize).ok_or_else(|| {
                Error::new(format_args!(
                    "sparse index {index}, but there are {count} elements"
                ))
            })?;
            *target = decode(value, accessor, size)?;
        }
        Ok(())
    }

    /// A copy of the bytes of a buffer view. Several images can be the same bytes.
    pub fn copy(&mut self, index: usize) -> Result<Vec<u8>> {
        let bytes = self.view(index)?;
        self.charge(Some(bytes.len()))?;
        Ok(bytes.to_vec())
    }

    /// Takes bytes from the budget. `None` are more than there can be.
    fn charge(&mut self, bytes: Option<usize>) -> Result<()> {
        let left = bytes.and_then(|bytes| self.budget.checked_sub(bytes));
        self.budget =
            left.ok_or_else(|| Error::new("too many elements for the size of the file"))?;
        Ok(())
    }

    /// The bytes of a buffer view.
    fn view(&self, index: usize) -> Result<&'a [u8]> {
        let missing = || Error::new(format_args!("bufferViews[{index}] does not exist"));
        let view = self.root.buffer_views.get(index).ok_or_else(missing)?;
        let buffer = self.buffers.get(view.buffer);
        let end = view.byte_offset.checked_add(view.byte_length);
        let bytes = buffer
            .zip(end)
            .and_then(|(bytes, end)| bytes.get(view.byte_offset..end));
        bytes.ok_or_else(|| {
            Error::new(format_args!(
                "bufferViews[{index}] is not inside of its buffer"
            ))
        })
    }

    fn stride(&self, view: usize) -> Option<usize> {
        self.root.buffer_views.get(view)?.byte_stride
    }

    /// The bytes of `count` elements of `size` bytes, one every `stride` bytes.
    fn bytes(
        &self,
        view: usize,
        offset: usize,
        count: usize,
        stride: usize,
        size: usize,
    ) -> Result<&'a [u8]> {
        if count == 0 {
            return Ok(&[]);
        }
        if stride < size {
            return Err(Error::new(format_args!(
                "stride {stride} is less than the {size} bytes of an element"
            )));
        }
        let length = (count - 1)
            .checked_mul(stride)
            .and_then(|length| length.checked_add(size));
        let end = length.and_then(|length| length.checked_add(offset));
        let bytes = end.and_then(|end| self.view(view).ok()?.get(offset..end));
        self.view(view)?;
        bytes.ok_or_else(|| {
            Error::new(format_args!(
                "{count} elements do not fit into bufferViews[{view}]"
            ))
        })
    }
}

/// The count of numbers of an element.
fn width(kind: &str) -> Result<usize> {
    match kind {
        "SCALAR" => Ok(1),
        "VEC2" => Ok(2),
        "VEC3" => Ok(3),
        "VEC4" | "MAT2" => Ok(4),
        "MAT3" => Ok(9),
        "MAT4" => Ok(16),
        _ => Err(Error::new(format_args!("unknown type {kind:?}"))),
    }
}

/// The bytes of a number.
fn component_size(component: u32) -> Result<usize> {
    match component {
        5120 | 5121 => Ok(1),
        5122 | 5123 => Ok(2),
        5125 | 5126 => Ok(4),
        _ => Err(Error::new(format_args!(
            "unknown component type {component}"
        ))),
    }
}

fn decode<T: Number, const N: usize>(
    bytes: &[u8],
    accessor: &Accessor,
    size: usize,
) -> Result<[T; N]> {
    let mut element = [T::default(); N];
    for (number, bytes) in element.iter_mut().zip(bytes.chunks(size)) {
        let component = accessor.component_type;
        *number = T::of(bytes, component, accessor.normalized)
            .ok_or_else(|| Error::new(format_args!("unexpected component type {component}")))?;
    }
    Ok(element)
}
