//! Chunk 0x1200: a collision tree, which is dropped with a warning if anything is wrong with it.

use super::super::file::Tree;
use super::super::records::TreeNode;
use super::state::Parser;
use crate::alamo::chunk::Chunk;
use crate::read::{Cursor, ErrorKind, ParseError};
use zerocopy::little_endian::U16;

const TREE_INFO: u32 = 0x1201;
const TREE_NODES: u32 = 0x1202;
const TREE_TRIANGLES: u32 = 0x1203;

#[derive(Default)]
struct Info {
    min: Option<[f32; 3]>,
    max: Option<[f32; 3]>,
    nodes: Option<u32>,
    triangles: Option<u32>,
}

impl Parser {
    /// The tree, if it is whole and queries of it end.
    pub(super) fn tree<'a>(&mut self, chunk: &Chunk<'a>, triangles: u32) -> Option<Tree<'a>> {
        match self.read_tree(chunk, triangles) {
            Ok(tree) => Some(tree),
            Err(error) => {
                let message = format!(
                    "collision tree is dropped: {} {}",
                    error.context, error.kind
                );
                self.warn("collision tree", error.offset, message);
                None
            }
        }
    }

    fn read_tree<'a>(
        &mut self,
        container: &Chunk<'a>,
        triangles: u32,
    ) -> Result<Tree<'a>, ParseError> {
        let body = &container.body;
        let mut info = None;
        let mut nodes = None;
        let mut map = None;
        for chunk in container.children() {
            let chunk = chunk.map_err(|error| self.within(error))?;
            match chunk.id {
                TREE_INFO => {
                    let read = self.data(&chunk, |parser, _| parser.tree_info(&chunk))?;
                    self.once(&mut info, read, &chunk, "records")?;
                }
                TREE_NODES => self.once(&mut nodes, chunk.body.clone(), &chunk, "node arrays")?,
                TREE_TRIANGLES => {
                    self.once(&mut map, chunk.body.clone(), &chunk, "triangle maps")?
                }
                _ => self.skip(&chunk)?,
            }
        }
        let info: Info = self.require(info, body, "its record (0x1201)")?;
        let min = self.require(info.min, body, "its least corner (mini-chunk 0)")?;
        let max = self.require(info.max, body, "its greatest corner (mini-chunk 1)")?;
        self.warn_about_box("the collision tree's box", &min, &max, body.offset());
        let node_count = self.require(info.nodes, body, "its number of nodes (mini-chunk 2)")?;
        let map_len = self.require(
            info.triangles,
            body,
            "its number of triangles (mini-chunk 3)",
        )?;
        let nodes = self.require(nodes, body, "its nodes (0x1202)")?;
        let map = self.require(map, body, "its triangle map (0x1203)")?;
        let tree = Tree {
            bounds: [min, max],
            nodes: self.tree_array(nodes.clone(), node_count, "0x1202")?,
            triangles: self.tree_array(map.clone(), map_len, "0x1203")?,
        };
        self.check_nodes(&tree, &nodes)?;
        self.check_map(tree.triangles, triangles, &map)?;
        Ok(tree)
    }

    fn tree_info(&mut self, chunk: &Chunk<'_>) -> Result<Info, ParseError> {
        let mut info = Info::default();
        for mini in chunk.minis() {
            let mini = mini.map_err(|error| self.within(error))?;
            match mini.id {
                0 => info.min = Some(self.mini_floats(&mini)?),
                1 => info.max = Some(self.mini_floats(&mini)?),
                2 => info.nodes = Some(self.mini_u32(&mini)?),
                3 => info.triangles = Some(self.mini_u32(&mini)?),
                _ => self.skip_mini(&mini),
            }
        }
        Ok(info)
    }

    fn tree_array<'a, T>(
        &self,
        mut body: Cursor<'a>,
        count: u32,
        chunk: &str,
    ) -> Result<&'a [T], ParseError>
    where
        T: zerocopy::FromBytes + zerocopy::KnownLayout + zerocopy::Immutable + zerocopy::Unaligned,
    {
        let expected = u64::from(count).saturating_mul(size_of::<T>() as u64);
        if body.remaining() != expected {
            let kind = ErrorKind::WrongLength {
                found: body.remaining(),
                expected,
            };
            return Err(body.error(body.offset(), self.at(chunk), kind));
        }
        body.array(count.into(), self.at(chunk))
    }

    /// Links must lead forward, so that queries end, and each node must be reached once.
    fn check_nodes(&self, tree: &Tree<'_>, body: &Cursor<'_>) -> Result<(), ParseError> {
        let count = tree.nodes.len();
        let mut reached = vec![false; count];
        if let Some(root) = reached.first_mut() {
            *root = true;
        }
        for (index, node) in tree.nodes.iter().enumerate() {
            let error = |element, to: usize, of: usize| {
                let offset = body.offset() + (size_of::<TreeNode>() * index) as u64;
                let what = format!("node {index}");
                let kind = ErrorKind::IndexOutOfRange {
                    element,
                    index: to as i64,
                    count: of as u64,
                };
                Err(body.error(offset, self.at(&what), kind))
            };
            let link = usize::from(node.link.get());
            let triangles = usize::from(node.triangle_count.get());
            // What no query comes to does no harm.
            if !reached.get(index).copied().unwrap_or_default() {
                continue;
            }
            if triangles > 0 {
                if link + triangles > tree.triangles.len() {
                    return error(
                        "triangle map entry",
                        link + triangles - 1,
                        tree.triangles.len(),
                    );
                }
                continue;
            }
            if link <= index {
                return error("as its child an earlier node, or itself:", link, count);
            }
            for child in [link, link + 1] {
                match reached.get_mut(child) {
                    None => return error("node", child, count),
                    Some(true) => return error("a child of another node too: node", child, count),
                    Some(reached) => *reached = true,
                }
            }
        }
        Ok(())
    }

    fn check_map(&self, map: &[U16], triangles: u32, body: &Cursor<'_>) -> Result<(), ParseError> {
        let wrong = map
            .iter()
            .enumerate()
            .find(|(_, to)| u32::from(to.get()) >= triangles);
        let Some((entry, to)) = wrong else {
            return Ok(());
        };
        let what = format!("0x1203 entry {entry}");
        let kind = ErrorKind::IndexOutOfRange {
            element: "triangle",
            index: to.get().into(),
            count: triangles.into(),
        };
        Err(body.error(body.offset() + 2 * entry as u64, self.at(&what), kind))
    }
}
