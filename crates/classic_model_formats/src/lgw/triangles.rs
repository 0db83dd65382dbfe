//! Expansion of triangle lists, strips and fans to triangles.

use super::file::{Group, GroupKind, Mesh};

impl Group {
    /// The triangles in the order of the indices, all with the same winding.
    ///
    /// Triangles with two equal indices are left out. In strips, the winding alternates at every triangle, including those
    /// left out. Source: specification of OpenGL 1.5, section 2.6.1.
    pub fn triangles(&self) -> impl Iterator<Item = [u32; 3]> {
        let triangles = (0..self.max_triangle_count()).filter_map(|index| self.triangle(index));
        triangles.filter(|[a, b, c]| a != b && b != c && c != a)
    }

    /// The count of triangles, including those that [`triangles`](Self::triangles) leaves out.
    pub fn max_triangle_count(&self) -> usize {
        match self.kind {
            GroupKind::List => self.indices.len() / 3,
            GroupKind::Strip | GroupKind::Fan => self.indices.len().saturating_sub(2),
        }
    }

    fn triangle(&self, index: usize) -> Option<[u32; 3]> {
        match self.kind {
            GroupKind::List => self.indices.get(3 * index..)?.first_chunk().copied(),
            GroupKind::Strip => {
                let [a, b, c] = self.indices.get(index..)?.first_chunk().copied()?;
                Some(if index.is_multiple_of(2) {
                    [a, b, c]
                } else {
                    [b, a, c]
                })
            }
            GroupKind::Fan => {
                let [b, c] = self.indices.get(index + 1..)?.first_chunk().copied()?;
                Some([self.indices.first().copied()?, b, c])
            }
        }
    }
}

impl Mesh<'_> {
    /// The triangles of all groups. Triangles with indices of nonexistent vertices are left out.
    pub fn triangles(&self) -> impl Iterator<Item = [u32; 3]> {
        let count = self.vertices.len();
        let is_valid =
            move |triangle: &[u32; 3]| triangle.iter().all(|index| (*index as usize) < count);
        self.groups
            .iter()
            .flat_map(Group::triangles)
            .filter(is_valid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangles(kind: GroupKind, indices: &[u32]) -> Vec<[u32; 3]> {
        let indices = indices.to_vec();
        let group = Group {
            id: 0,
            kind,
            indices,
        };
        group.triangles().collect()
    }

    #[test]
    fn list_ignores_incomplete_triangle() {
        let list = triangles(GroupKind::List, &[0, 1, 2, 2, 1, 3, 9, 9]);
        assert_eq!(list, [[0, 1, 2], [2, 1, 3]]);
    }

    #[test]
    fn strip_winding_alternates_over_degenerate_triangles() {
        let strip = triangles(GroupKind::Strip, &[0, 1, 2, 3, 3, 4, 4, 5, 6]);
        // Triangles 2 to 5 have two equal indices. The last triangle has the even index 6.
        assert_eq!(strip, [[0, 1, 2], [2, 1, 3], [4, 5, 6]]);
        let odd = triangles(GroupKind::Strip, &[0, 1, 1, 2, 3]);
        assert_eq!(odd, [[1, 2, 3]]);
        let odd = triangles(GroupKind::Strip, &[0, 0, 1, 2]);
        assert_eq!(odd, [[1, 0, 2]]);
    }

    #[test]
    fn fan_triangles_share_the_first_vertex() {
        let fan = triangles(GroupKind::Fan, &[7, 1, 2, 2, 3]);
        assert_eq!(fan, [[7, 1, 2], [7, 2, 3]]);
    }

    #[test]
    fn fewer_than_three_indices_make_no_triangle() {
        for kind in [GroupKind::List, GroupKind::Strip, GroupKind::Fan] {
            assert_eq!(triangles(kind, &[0, 1]), [[0; 3]; 0]);
            assert_eq!(triangles(kind, &[]), [[0; 3]; 0]);
        }
    }
}
