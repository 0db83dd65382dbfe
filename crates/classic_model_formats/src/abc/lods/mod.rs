//! Makes levels of detail for models that are to be written.
//!
//! The format asks for steps that each put one vertex between two others of a node. Which two is up to
//! who makes them: here those whose edge is missed least, by the squared distance of the middle from the
//! planes of all triangles that ever were around (Garland and Heckbert's quadric error metric, with the
//! place given), summed up over some poses if the node deforms. Open borders, seams of the picture and
//! hard edges are kept longer.

mod collapse;
mod quadric;
#[cfg(test)]
mod tests;

use super::records::{Vertex, unit};
use super::write::{AbcDocument, AnimationDocument, WriteError, write};
use collapse::{Collapse, Input, Step};
use quadric::Vector;

/// Vertices that indices of 16 bits can tell apart.
const MOST_VERTICES: usize = 65536;
/// Keyframes of each animation that count for vertices that deform.
const POSES: usize = 4;

impl AbcDocument {
    /// Gives the model levels of detail, down to about so many triangles, in the place of those that it
    /// has. Tells how many levels there are.
    ///
    /// `importance` says how much the surface of a node matters: 1 for most, more where details should
    /// last longer, as in a face. Nodes are told by their index.
    ///
    /// Vertices and triangles change places: as in the games' files, those come first that go first.
    /// No edge between two nodes goes.
    ///
    /// ```
    /// # use classic_model_formats::abc::write::AbcDocument;
    /// # let mut model = AbcDocument::default();
    /// # model.nodes.push(Default::default());
    /// let levels = model.build_lods(100, |node| if node == 3 { 4.0 } else { 1.0 })?;
    /// assert_eq!(model.geometry.lod_starts.len(), levels + 1);
    /// # Ok::<(), classic_model_formats::abc::write::WriteError>(())
    /// ```
    ///
    /// # Errors
    /// A [`WriteError`] if the model could not be written as it is.
    pub fn build_lods(
        &mut self,
        fewest_triangles: usize,
        importance: impl Fn(usize) -> f32,
    ) -> Result<usize, WriteError> {
        // After this, all indices are good.
        write(self)?;
        let geometry = &mut self.geometry;
        geometry.vertices.truncate(geometry.base_vertices as usize);
        let mut collapse = Collapse::new(&self.input(importance));
        collapse.run(fewest_triangles, MOST_VERTICES);
        let order = vertex_order(self.geometry.vertices.len(), &collapse.steps);
        self.reorder_vertices(&order);
        self.reorder_triangles(&collapse.lost_at);
        self.add_extras(&order, &collapse.steps);
        Ok(collapse.steps.len())
    }

    fn input(&self, importance: impl Fn(usize) -> f32) -> Input {
        let geometry = &self.geometry;
        let corners = |triangle: &super::Triangle| triangle.indices().map(|index| index as usize);
        Input {
            nodes: geometry.vertices.iter().map(|vertex| vertex.node).collect(),
            importance: (0..self.nodes.len()).map(importance).collect(),
            places: self.places(),
            triangles: geometry.triangles.iter().map(corners).collect(),
            uvs: geometry
                .triangles
                .iter()
                .map(|triangle| triangle.clean_uvs())
                .collect(),
        }
    }

    /// Where vertices are in their nodes: where they are stored, or in a few keyframes of each animation. The
    /// vertices of a node that it does not move are where they are stored in all of these.
    fn places(&self) -> Vec<Vec<Vector>> {
        let stored = |vertex: &Vertex| vec![vertex.clean_position().map(f64::from)];
        let mut places: Vec<Vec<Vector>> = self.geometry.vertices.iter().map(stored).collect();
        let keyframes = |animation: &AnimationDocument| POSES.min(animation.keyframes.len());
        let poses: usize = self.animations.iter().map(keyframes).sum();
        for (vertex, places) in self.geometry.vertices.iter().zip(&mut places) {
            let node = self.nodes.get(usize::from(vertex.node));
            if poses > 0 && node.is_some_and(|node| !node.deform_vertices.is_empty()) {
                *places = places.repeat(poses);
            }
        }
        for (index, node) in self.nodes.iter().enumerate() {
            let count = node.deform_vertices.len();
            for (slot, vertex) in node.deform_vertices.iter().enumerate() {
                let mut poses = Vec::new();
                for animation in &self.animations {
                    let track = &animation.tracks[index];
                    let keyframes = animation.keyframes.len();
                    for pose in 0..POSES.min(keyframes) {
                        let keyframe = pose * keyframes / POSES.min(keyframes);
                        let steps = track.deform[keyframe * count + slot];
                        poses.push([0, 1, 2].map(|axis| {
                            let scaled =
                                f64::from(steps[axis]) * f64::from(track.deform_scale[axis]);
                            scaled + f64::from(track.deform_translation[axis])
                        }));
                    }
                }
                // Those of other nodes are in other spaces.
                let of = self.geometry.vertices.get(usize::from(*vertex));
                if let Some(place) = places.get_mut(usize::from(*vertex))
                    && of.is_some_and(|of| usize::from(of.node) == index)
                    && !poses.is_empty()
                {
                    *place = poses;
                }
            }
        }
        places
    }

    /// Moves the full model's vertices to their new indices.
    fn reorder_vertices(&mut self, order: &[usize]) {
        let geometry = &mut self.geometry;
        let mut vertices = geometry.vertices.clone();
        for (vertex, to) in geometry.vertices.iter().zip(order) {
            vertices[*to] = *vertex;
        }
        geometry.vertices = vertices;
        for corner in geometry
            .triangles
            .iter_mut()
            .flat_map(|triangle| &mut triangle.vertices)
        {
            *corner = (order[usize::from(corner.get())] as u16).into();
        }
        for (index, node) in self.nodes.iter_mut().enumerate() {
            let count = node.deform_vertices.len();
            if count == 0 {
                continue;
            }
            let new = node.deform_vertices.iter().enumerate();
            // Vertices of the old levels are gone. Real files list none of these.
            let new = new.filter_map(|(slot, vertex)| {
                let to = order.get(usize::from(*vertex))?;
                Some((*to as u16, slot))
            });
            let mut new: Vec<(u16, usize)> = new.collect();
            new.sort_unstable();
            node.deform_vertices = new.iter().map(|(vertex, _)| *vertex).collect();
            for animation in &mut self.animations {
                let deform = &mut animation.tracks[index].deform;
                let keyframes = deform.chunks(count);
                let moved =
                    keyframes.flat_map(|keyframe| new.iter().map(|(_, slot)| keyframe[*slot]));
                *deform = moved.collect();
            }
        }
    }

    /// Sorts triangles by when they go.
    fn reorder_triangles(&mut self, lost_at: &[Option<usize>]) {
        let mut order: Vec<usize> = (0..lost_at.len()).collect();
        order.sort_by_key(|triangle| lost_at[*triangle].unwrap_or(usize::MAX));
        let triangles = &mut self.geometry.triangles;
        *triangles = order.iter().map(|triangle| triangles[*triangle]).collect();
    }

    /// Adds a vertex for each step, and says which are the first that are left after it.
    fn add_extras(&mut self, order: &[usize], steps: &[Step]) {
        let geometry = &mut self.geometry;
        let base = order.len();
        let mut start = 0;
        geometry.lod_starts = vec![0];
        for step in steps {
            let mut pair = step.map(|vertex| order.get(vertex).copied().unwrap_or(vertex));
            pair.sort_unstable();
            let [a, b] = pair.map(|vertex| geometry.vertices[vertex]);
            geometry.vertices.push(between(&a, &b, pair));
            start += pair.iter().filter(|vertex| **vertex < base).count();
            geometry.lod_starts.push(start as u16);
        }
    }
}

/// For each vertex of the full model, its new index: those come first that are replaced first.
fn vertex_order(base: usize, steps: &[Step]) -> Vec<usize> {
    let mut replaced_at = vec![usize::MAX; base];
    for (number, step) in steps.iter().enumerate() {
        for vertex in step {
            if let Some(replaced_at) = replaced_at.get_mut(*vertex) {
                *replaced_at = number;
            }
        }
    }
    let mut sorted: Vec<usize> = (0..base).collect();
    sorted.sort_by_key(|vertex| replaced_at[*vertex]);
    let mut order = vec![0; base];
    for (to, vertex) in sorted.into_iter().enumerate() {
        order[vertex] = to;
    }
    order
}

/// The vertex in the middle of two.
fn between(a: &Vertex, b: &Vertex, pair: [usize; 2]) -> Vertex {
    let (from, to) = (a.clean_position(), b.clean_position());
    let sum = |a: [f32; 3], b: [f32; 3]| [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
    let normals = [a, b].map(|vertex| vertex.unit_normal().unwrap_or_default());
    let normal = unit(sum(normals[0], normals[1])).unwrap_or_default();
    Vertex {
        position: sum(from, to).map(|sum| (sum / 2.0).into()),
        normal: normal.map(|way| (way * 127.0).round() as i8),
        node: a.node,
        replacements: pair.map(|vertex| (vertex as u16).into()),
    }
}
