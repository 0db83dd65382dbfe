//! Merges vertices that are equal in all poses, and those on the seam of the skin.

use crate::parts::Part;
use crate::scene::Scene;
use crate::skin::Skins;
use classic_model_formats::mdl::write::{PoseDocument, bounds_corner};
use classic_model_formats::mdl::{StVertex, TriVertex, Triangle};
use std::collections::HashMap;
use zerocopy::little_endian::I32;

/// The vertices and triangles after equal vertices were merged.
pub struct Merged {
    pub st_vertices: Vec<StVertex>,
    pub triangles: Vec<Triangle>,
    /// For each vertex, the index of one before the merge.
    sources: Vec<usize>,
}

/// What makes a vertex: its bytes in all poses, and its texel.
type Key = (Vec<[u8; 4]>, [i32; 2]);

impl Merged {
    pub fn new(scene: &Scene, parts: &[Part<'_>], skins: &Skins, poses: &[PoseDocument]) -> Self {
        let texels: Vec<[i32; 2]> = parts
            .iter()
            .flat_map(|part| skins.texels(scene, part.primitive))
            .collect();
        // For each vertex before the merge, the one after it.
        let mut merged = Vec::with_capacity(texels.len());
        let mut keys: Vec<Key> = Vec::new();
        let mut sources = Vec::new();
        let mut known: HashMap<Key, u32> = HashMap::new();
        for (vertex, texel) in texels.iter().enumerate() {
            let bytes = poses.iter().flat_map(|pose| {
                let low = pose.low_vertices.get(vertex);
                let bytes = pose.vertices.get(vertex).into_iter().chain(low);
                bytes.map(
                    |TriVertex {
                         position: [x, y, z],
                         normal,
                     }| [*x, *y, *z, *normal],
                )
            });
            let key = (bytes.collect::<Vec<_>>(), *texel);
            let next = keys.len() as u32;
            let index = *known.entry(key.clone()).or_insert_with(|| {
                keys.push(key);
                sources.push(vertex);
                next
            });
            merged.push(index);
        }
        let mut triangles = Vec::new();
        for part in parts {
            for triangle in &part.primitive.triangles {
                let corners =
                    triangle.map(|index| merged.get(part.first_vertex + index as usize).copied());
                let [a, b, c] = corners.map(Option::unwrap_or_default);
                // Front faces of the file are clockwise.
                triangles.push(if part.is_mirrored {
                    [a, b, c]
                } else {
                    [a, c, b]
                });
            }
        }
        let halves = Halves::new(&keys, &known, &triangles, skins.width as i32 / 2);
        halves.merge(&keys, &triangles, &sources)
    }

    /// The vertices of a pose.
    pub fn pick(&self, pose: &PoseDocument) -> PoseDocument {
        let pick = |from: &[TriVertex]| -> Vec<TriVertex> {
            self.sources
                .iter()
                .filter_map(|source| from.get(*source).copied())
                .collect()
        };
        let vertices = pick(&pose.vertices);
        PoseDocument {
            name: pose.name,
            min: bounds_corner(&vertices, u8::min),
            max: bounds_corner(&vertices, u8::max),
            low_vertices: pick(&pose.low_vertices),
            vertices,
        }
    }
}

/// Vertices on the seam between the front half and the back half of the skin: two that differ only by half of its width become
/// one.
struct Halves {
    /// The vertices in the front half by those in the back half.
    front: HashMap<u32, u32>,
    /// The vertices in the back half by those in the front half.
    on_seam: HashMap<u32, u32>,
}

impl Halves {
    fn new(keys: &[Key], known: &HashMap<Key, u32>, triangles: &[[u32; 3]], half: i32) -> Self {
        let mut halves = Self {
            front: HashMap::new(),
            on_seam: HashMap::new(),
        };
        for (vertex, (bytes, [s, t])) in (0..).zip(keys) {
            let Some(back) = known
                .get(&(bytes.clone(), [s.saturating_add(half), *t]))
                .filter(|_| half > 0)
            else {
                continue;
            };
            let is_free = !halves.front.contains_key(&vertex) && !halves.on_seam.contains_key(back);
            if is_free {
                halves.front.insert(*back, vertex);
                halves.on_seam.insert(vertex, *back);
            }
        }
        // A triangle uses one half only.
        for triangle in triangles {
            let is_mixed = triangle.iter().any(|it| halves.front.contains_key(it))
                && triangle.iter().any(|it| halves.on_seam.contains_key(it));
            if is_mixed {
                triangle.iter().for_each(|vertex| halves.part(*vertex));
            }
        }
        halves
    }

    /// Keeps a vertex and its other half as two.
    fn part(&mut self, vertex: u32) {
        if let Some(front) = self.front.remove(&vertex) {
            self.on_seam.remove(&front);
        } else if let Some(back) = self.on_seam.remove(&vertex) {
            self.front.remove(&back);
        }
    }

    fn merge(&self, keys: &[Key], triangles: &[[u32; 3]], sources: &[usize]) -> Merged {
        let mut merged = Merged {
            st_vertices: Vec::new(),
            triangles: Vec::new(),
            sources: Vec::new(),
        };
        let mut indices = vec![0; keys.len()];
        for ((vertex, (_, [s, t])), source) in (0..).zip(keys).zip(sources) {
            if self.front.contains_key(&vertex) {
                continue;
            }
            if let Some(index) = indices.get_mut(vertex as usize) {
                *index = merged.st_vertices.len() as i32;
            }
            let on_seam = if self.on_seam.contains_key(&vertex) {
                0x20
            } else {
                0
            };
            merged.st_vertices.push(StVertex {
                on_seam: I32::new(on_seam),
                s: I32::new(*s),
                t: I32::new(*t),
            });
            merged.sources.push(*source);
        }
        for triangle in triangles {
            let is_back = triangle
                .iter()
                .any(|vertex| self.front.contains_key(vertex));
            let index = |vertex: u32| {
                let vertex = self.front.get(&vertex).copied().unwrap_or(vertex);
                I32::new(indices.get(vertex as usize).copied().unwrap_or_default())
            };
            merged.triangles.push(Triangle {
                faces_front: I32::new(i32::from(!is_back)),
                vertices: triangle.map(index),
            });
        }
        merged
    }
}
