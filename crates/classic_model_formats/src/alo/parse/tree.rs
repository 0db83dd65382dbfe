//! Chunk 0x1200: a collision tree, which is dropped with a warning if it would lead queries astray.

use super::super::file::Tree;
use super::super::records::TreeNode;
use super::state::Parser;
use crate::chunk::Chunk;
use crate::read::{Cursor, ErrorKind, ParseError};
use crate::segments::Segment;
use zerocopy::little_endian::U16;

pub(super) const TREE: u32 = 0x1200;
const TREE_INFO: u32 = 0x1201;
const TREE_NODES: u32 = 0x1202;
const TREE_TRIANGLES: u32 = 0x1203;

/// The chunks of a tree.
pub(super) struct TreeParts<'a> {
    body: Cursor<'a>,
    info: Option<Info>,
    nodes: Option<Cursor<'a>>,
    triangles: Option<Cursor<'a>>,
}

#[derive(Default)]
struct Info {
    min: Option<[f32; 3]>,
    max: Option<[f32; 3]>,
    bounds_offset: u64,
    nodes: Option<u32>,
    triangles: Option<u32>,
}

impl Parser {
    /// The chunks of a tree. What does not fit into its chunk is refused here as anywhere.
    pub(super) fn tree_parts<'a>(
        &mut self,
        container: &Chunk<'a>,
    ) -> Result<TreeParts<'a>, ParseError> {
        let (mut info, mut nodes, mut triangles) = (None, None, None);
        for chunk in container.children() {
            let chunk = chunk.map_err(|error| self.within(error))?;
            match chunk.id {
                TREE_INFO => {
                    let read = self.data(&chunk, |parser, _| parser.tree_info(&chunk))?;
                    self.once(&mut info, read, &chunk, "records")?;
                }
                TREE_NODES => {
                    let body = self.data(&chunk, |_, body| Ok(body.clone()))?;
                    self.once(&mut nodes, body, &chunk, "node arrays")?;
                }
                TREE_TRIANGLES => {
                    let body = self.data(&chunk, |_, body| Ok(body.clone()))?;
                    self.once(&mut triangles, body, &chunk, "triangle maps")?;
                }
                _ => self.skip(&chunk)?,
            }
        }
        Ok(TreeParts {
            body: container.body.clone(),
            info,
            nodes,
            triangles,
        })
    }

    fn tree_info(&mut self, chunk: &Chunk<'_>) -> Result<Info, ParseError> {
        let mut info = Info::default();
        for mini in chunk.minis() {
            let mini = mini.map_err(|error| self.within(error))?;
            match mini.id {
                0 => {
                    info.bounds_offset = mini.body.offset();
                    info.min = Some(self.mini_floats(&mini)?);
                }
                1 => info.max = Some(self.mini_floats(&mini)?),
                2 => info.nodes = Some(self.mini_u32(&mini)?),
                3 => info.triangles = Some(self.mini_u32(&mini)?),
                _ => self.skip_mini(&mini),
            }
        }
        Ok(info)
    }

    /// The tree, if it is whole and queries of it end.
    pub(super) fn tree<'a>(&mut self, parts: TreeParts<'a>, triangles: u32) -> Option<Tree<'a>> {
        let tree = self.inside(Segment::Chunk(TREE), |parser| {
            parser.whole_tree(parts, triangles)
        });
        let dropped = |error: ParseError| {
            self.warn("collision tree", error.offset, |_| {
                let ParseError { context, kind, .. } = &error;
                format!("a collision tree is dropped: {context} {kind}")
            });
        };
        tree.map_err(dropped).ok()
    }

    fn whole_tree<'a>(
        &mut self,
        parts: TreeParts<'a>,
        triangles: u32,
    ) -> Result<Tree<'a>, ParseError> {
        let body = &parts.body;
        let info = self.require(parts.info, body, "its record (0x1201)")?;
        let min = self.require(info.min, body, "its least corner (mini-chunk 0)")?;
        let max = self.require(info.max, body, "its greatest corner (mini-chunk 1)")?;
        let node_count = self.require(info.nodes, body, "its number of nodes (mini-chunk 2)")?;
        let what = "its number of triangles (mini-chunk 3)";
        let map_len = self.require(info.triangles, body, what)?;
        let nodes = self.require(parts.nodes, body, "its nodes (0x1202)")?;
        let map = self.require(parts.triangles, body, "its triangle map (0x1203)")?;
        let tree = Tree {
            bounds: [min, max],
            nodes: self.tree_array(nodes.clone(), node_count, "/ 0x1202")?,
            triangles: self.tree_array(map.clone(), map_len, "/ 0x1203")?,
        };
        self.check_nodes(&tree, &nodes)?;
        self.check_map(tree.triangles, triangles, &map)?;
        self.warn_about_box(&tree.bounds, !tree.triangles.is_empty(), info.bounds_offset);
        Ok(tree)
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

    /// Links must lead forward, so that queries end; each node must be reached once, and each entry of
    /// the map be in one leaf.
    fn check_nodes(&self, tree: &Tree<'_>, body: &Cursor<'_>) -> Result<(), ParseError> {
        let count = tree.nodes.len();
        let mut reached = vec![false; count];
        if let Some(root) = reached.first_mut() {
            *root = true;
        }
        let mut covered = vec![false; tree.triangles.len()];
        for (index, node) in tree.nodes.iter().enumerate() {
            let error = |element, to: usize, of: usize| {
                let offset = body.offset() + (size_of::<TreeNode>() * index) as u64;
                let what = format!("/ 0x1202 node {index}");
                let kind = ErrorKind::IndexOutOfRange {
                    element,
                    index: to as i64,
                    count: of as u64,
                };
                Err(body.error(offset, self.at(&what), kind))
            };
            let link = usize::from(node.link.get());
            let triangles = usize::from(node.triangle_count.get());
            if triangles > 0 {
                let end = link + triangles;
                let entries = tree.triangles.len();
                let Some(range) = covered.get_mut(link..end) else {
                    return error("triangle map entry", end - 1, entries);
                };
                if let Some(shared) = range.iter().position(|covered| *covered) {
                    let element = "what another leaf has too: triangle map entry";
                    return error(element, link + shared, entries);
                }
                range.fill(true);
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

    /// The map must name triangles that exist, and each once.
    fn check_map(&self, map: &[U16], triangles: u32, body: &Cursor<'_>) -> Result<(), ParseError> {
        // A map of 16-bit numbers names no more than these.
        let mut named = vec![false; triangles.min(1 << 16) as usize];
        for (entry, to) in map.iter().enumerate() {
            let element = match named.get_mut(usize::from(to.get())) {
                Some(named) if !*named => {
                    *named = true;
                    continue;
                }
                Some(_) => "what another entry has too: triangle",
                None => "triangle",
            };
            let what = format!("/ 0x1203 entry {entry}");
            let kind = ErrorKind::IndexOutOfRange {
                element,
                index: to.get().into(),
                count: triangles.into(),
            };
            let offset = body.offset() + 2 * entry as u64;
            return Err(body.error(offset, self.at(&what), kind));
        }
        Ok(())
    }
}
