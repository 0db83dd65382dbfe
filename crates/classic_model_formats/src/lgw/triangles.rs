//! Triangles out of lists, strips and fans.

use super::file::{Group, GroupKind, Mesh};

impl Group {
    /// The triangles in the order of the indices, all the same way round. Those with two equal indices are
    /// left out; in strips they count nevertheless, where every other triangle is the other way round.
    ///
    /// Source: specification of OpenGL 1.5, section 2.6.1.
    pub fn triangles(&self) -> impl Iterator<Item = [u32; 3]> {
        let triangles = (0..self.most_triangles()).filter_map(|index| self.triangle(index));
        triangles.filter(|[a, b, c]| a != b && b != c && c != a)
    }

    /// How many triangles there are, those included that are left out.
    pub fn most_triangles(&self) -> usize {
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
    /// The triangles of all groups. Those of vertices that are not there are left out.
    pub fn triangles(&self) -> impl Iterator<Item = [u32; 3]> {
        let count = self.vertices.len();
        let is_there = move |triangle: &[u32; 3]| triangle.iter().all(|of| (*of as usize) < count);
        self.groups
            .iter()
            .flat_map(Group::triangles)
            .filter(is_there)
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
    fn lists_lose_their_tail() {
        let made = triangles(GroupKind::List, &[0, 1, 2, 2, 1, 3, 9, 9]);
        assert_eq!(made, [[0, 1, 2], [2, 1, 3]]);
    }

    #[test]
    fn strips_alternate_also_over_what_is_left_out() {
        let made = triangles(GroupKind::Strip, &[0, 1, 2, 3, 3, 4, 4, 5, 6]);
        // Places 2 to 5 have two equal indices, so the last triangle is at place 6, an even one.
        assert_eq!(made, [[0, 1, 2], [2, 1, 3], [4, 5, 6]]);
        let odd = triangles(GroupKind::Strip, &[0, 1, 1, 2, 3]);
        assert_eq!(odd, [[1, 2, 3]]);
        let odd = triangles(GroupKind::Strip, &[0, 0, 1, 2]);
        assert_eq!(odd, [[1, 0, 2]]);
    }

    #[test]
    fn fans_turn_about_their_first() {
        let made = triangles(GroupKind::Fan, &[7, 1, 2, 2, 3]);
        assert_eq!(made, [[7, 1, 2], [7, 2, 3]]);
        for kind in [GroupKind::List, GroupKind::Strip, GroupKind::Fan] {
            assert_eq!(triangles(kind, &[0, 1]), [[0; 3]; 0]);
            assert_eq!(triangles(kind, &[]), [[0; 3]; 0]);
        }
    }
}
