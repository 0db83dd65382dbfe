//! Accessors: typed data in the buffer of a document. Equal data are stored once.

use crate::convert::document::Document;
use bevy::math::Mat4;
use gltf_json::accessor::{ComponentType, GenericComponentType, Type};
use gltf_json::buffer::{Stride, Target};
use gltf_json::validation::{Checked, USize64};
use gltf_json::{Accessor, Index, Node, Skin, Value};
use sha2::{Digest, Sha256};

/// What the data of an accessor are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usage {
    /// A vertex attribute.
    Vertices,
    /// A vertex attribute with its minimum and maximum, which positions need.
    Positions,
    /// The times of an animation, with their minimum and maximum.
    Times,
    /// Anything else, such as the values of an animation.
    Values,
}

impl Usage {
    fn has_bounds(self) -> bool {
        matches!(self, Self::Positions | Self::Times)
    }

    fn target(self) -> Option<Target> {
        matches!(self, Self::Positions | Self::Vertices).then_some(Target::ArrayBuffer)
    }
}

/// The types of an accessor, and what its view is for.
type Layout = (ComponentType, Type, Option<Target>);

impl Document {
    /// Adds elements of `N` floats. Values that are not finite are replaced by 0, because glTF does not allow them.
    pub fn floats<const N: usize>(&mut self, values: &[[f32; N]], usage: Usage) -> Index<Accessor> {
        let finite = |value: &f32| if value.is_finite() { *value } else { 0.0 };
        let values: Vec<[f32; N]> = values
            .iter()
            .map(|element| element.each_ref().map(finite))
            .collect();
        let bytes = values.as_flattened().iter();
        let bytes: Vec<u8> = bytes.flat_map(|value| value.to_le_bytes()).collect();
        let type_ = match N {
            1 => Type::Scalar,
            2 => Type::Vec2,
            3 => Type::Vec3,
            4 => Type::Vec4,
            _ => Type::Mat4,
        };
        let bounds = usage.has_bounds().then(|| bounds(&values));
        let layout = (ComponentType::F32, type_, usage.target());
        self.accessor(&bytes, values.len(), layout, bounds)
    }

    /// Adds a vertex attribute; `None` if it has no values.
    pub fn vertices<const N: usize>(&mut self, values: &[[f32; N]]) -> Option<Index<Accessor>> {
        (!values.is_empty()).then(|| self.floats(values, Usage::Vertices))
    }

    /// Adds the vertex indices of triangles.
    pub fn indices(&mut self, indices: &[u32]) -> Index<Accessor> {
        let largest = indices.iter().max().copied().unwrap_or(0);
        // The largest value of a type is not a valid index.
        let all = indices.iter();
        let (component, bytes): (_, Vec<u8>) = if largest < u32::from(u16::MAX) {
            let bytes = all.flat_map(|index| (*index as u16).to_le_bytes());
            (ComponentType::U16, bytes.collect())
        } else {
            let bytes = all.flat_map(|index| index.to_le_bytes());
            (ComponentType::U32, bytes.collect())
        };
        let layout = (component, Type::Scalar, Some(Target::ElementArrayBuffer));
        self.accessor(&bytes, indices.len(), layout, None)
    }

    /// Adds the joint indices of vertices.
    pub fn joints(&mut self, joints: &[[u16; 4]]) -> Index<Accessor> {
        let all = joints.as_flattened().iter();
        let bytes: Option<Vec<u8>> = all.clone().map(|joint| u8::try_from(*joint).ok()).collect();
        let (component, bytes) = match bytes {
            Some(bytes) => (ComponentType::U8, bytes),
            None => (
                ComponentType::U16,
                all.flat_map(|joint| joint.to_le_bytes()).collect(),
            ),
        };
        let layout = (component, Type::Vec4, Some(Target::ArrayBuffer));
        self.accessor(&bytes, joints.len(), layout, None)
    }

    /// Adds truth values, which animations of visibility have.
    pub fn booleans(&mut self, values: &[bool]) -> Index<Accessor> {
        let bytes: Vec<u8> = values.iter().map(|value| u8::from(*value)).collect();
        let layout = (ComponentType::U8, Type::Scalar, None);
        self.accessor(&bytes, values.len(), layout, None)
    }

    /// Adds a skin. `poses` are the inverse bind poses of its joints.
    pub fn add_skin(
        &mut self,
        name: Option<String>,
        joints: Vec<Index<Node>>,
        poses: impl Iterator<Item = Mat4>,
        skeleton: Option<Index<Node>>,
    ) -> Index<Skin> {
        let poses: Vec<[f32; 16]> = poses.map(|pose| pose.to_cols_array()).collect();
        let matrices = self.floats(&poses, Usage::Values);
        self.root.push(Skin {
            extensions: None,
            extras: None,
            inverse_bind_matrices: Some(matrices),
            joints,
            name,
            skeleton,
        })
    }

    /// The accessor itself if no other target uses it, otherwise another one of the same vectors.
    pub fn unshared(&mut self, accessor: Index<Accessor>) -> Index<Accessor> {
        if self.unshared.insert(accessor.value()) {
            return accessor;
        }
        let Some(copy) = self.root.accessors.get(accessor.value()).cloned() else {
            return accessor;
        };
        let view = copy.buffer_view.map(|view| view.value());
        if let Some(view) = view.and_then(|view| self.root.buffer_views.get_mut(view)) {
            // Views of several accessors must have it.
            view.byte_stride = Some(Stride(size_of::<[f32; 3]>()));
        }
        self.root.push(copy)
    }

    fn accessor(
        &mut self,
        bytes: &[u8],
        count: usize,
        (component, type_, target): Layout,
        bounds: Option<[Value; 2]>,
    ) -> Index<Accessor> {
        let mut hash = Sha256::new();
        hash.update(format!(
            "{component:?} {type_:?} {target:?} {}",
            bounds.is_some()
        ));
        hash.update(bytes);
        let hash: [u8; 32] = hash.finalize().into();
        if let Some(same) = self.accessors.get(&hash) {
            return *same;
        }
        let view = self.push_view(bytes, target);
        let [min, max] = bounds.map_or([None, None], |bounds| bounds.map(Some));
        let accessor = self.root.push(Accessor {
            buffer_view: Some(view),
            byte_offset: None,
            count: USize64::from(count),
            component_type: Checked::Valid(GenericComponentType(component)),
            extensions: None,
            extras: None,
            type_: Checked::Valid(type_),
            min,
            max,
            name: None,
            normalized: false,
            sparse: None,
        });
        self.accessors.insert(hash, accessor);
        accessor
    }
}

/// Minimum and maximum of each component.
fn bounds<const N: usize>(values: &[[f32; N]]) -> [Value; 2] {
    let fold = |start: f32, choose: fn(f32, f32) -> f32| {
        let mut result = [start; N];
        for value in values {
            for (result, value) in result.iter_mut().zip(value) {
                *result = choose(*result, *value);
            }
        }
        result.iter().copied().map(f64::from).collect()
    };
    [
        fold(f32::INFINITY, f32::min),
        fold(f32::NEG_INFINITY, f32::max),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_data_are_stored_once_unless_their_usage_differs() {
        let mut document = Document::new("test");
        let data = [[1.0, 2.0, 3.0], [-1.0, f32::NAN, 4.0]];
        let first = document.floats(&data, Usage::Positions);
        assert_eq!(
            document.floats(&data, Usage::Positions).value(),
            first.value()
        );
        assert_ne!(document.floats(&data, Usage::Values).value(), first.value());
        let accessor = &document.root.accessors[first.value()];
        assert_eq!(accessor.min, Some(serde_json::json!([-1.0, 0.0, 3.0])));
        assert_eq!(accessor.max, Some(serde_json::json!([1.0, 2.0, 4.0])));
    }

    #[test]
    fn indices_take_four_bytes_only_if_they_need_them() {
        let mut document = Document::new("test");
        for (index, bytes) in [(65534, 6), (65535, 12)] {
            let before = document.buffer.len().next_multiple_of(4);
            document.indices(&[0, 1, index]);
            assert_eq!(document.buffer.len() - before, bytes);
        }
    }
}
