//! Chunk 0x1200: a collision tree.
//!
//! A tree that cannot be queried safely is dropped with a warning; the model loads without it.

use super::super::file::Tree;
use super::super::records::TreeNode;
use super::state::Parser;
use crate::chunk::Chunk;
use crate::chunk_parser::Segment;
use crate::read::{Cursor, ErrorKind, ParseError};
use zerocopy::little_endian::U16;

pub(super) const TREE: u32 = 0x1200;
const TREE_INFO: u32 = 0x1201;
const TREE_NODES: u32 = 0x1202;
const TREE_TRIANGLES: u32 = 0x1203;

/// The chunks of a tree, not yet checked.
pub(super) struct TreeParts<'a> {
    body: Cursor<'a>,
    info: Option<TreeInfo>,
    nodes: Option<Cursor<'a>>,
    /// The triangle map.
    map: Option<Cursor<'a>>,
}

/// A tree's record, chunk 0x1201.
#[derive(Default)]
struct TreeInfo {
    min: Option<[f32; 3]>,
    max: Option<[f32; 3]>,
    bounds_offset: u64,
    node_count: Option<u32>,
    /// Entry count of the triangle map.
    map_len: Option<u32>,
}

/// Why a tree is dropped, and the file offset of the error.
struct TreeError {
    offset: u64,
    message: String,
}

impl From<ParseError> for TreeError {
    fn from(error: ParseError) -> Self {
        let ParseError { context, kind, .. } = &error;
        Self {
            offset: error.offset,
            message: format!("{context} {kind}"),
        }
    }
}

impl Parser {
    /// Reads the chunks of a tree.
    ///
    /// Chunks that do not fit into their container are an error here as elsewhere; other flaws are found later, by
    /// [`tree`](Self::tree).
    pub(super) fn tree_parts<'a>(
        &mut self,
        container: &Chunk<'a>,
    ) -> Result<TreeParts<'a>, ParseError> {
        let (mut info, mut nodes, mut map) = (None, None, None);
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
                    self.once(&mut map, body, &chunk, "triangle maps")?;
                }
                _ => self.skip(&chunk)?,
            }
        }
        Ok(TreeParts {
            body: container.body.clone(),
            info,
            nodes,
            map,
        })
    }

    fn tree_info(&mut self, chunk: &Chunk<'_>) -> Result<TreeInfo, ParseError> {
        let mut info = TreeInfo::default();
        for mini in chunk.minis() {
            let mini = mini.map_err(|error| self.within(error))?;
            match mini.id {
                0 => {
                    info.bounds_offset = mini.body.offset();
                    info.min = Some(self.mini_floats(&mini)?);
                }
                1 => info.max = Some(self.mini_floats(&mini)?),
                2 => info.node_count = Some(self.mini_u32(&mini)?),
                3 => info.map_len = Some(self.mini_u32(&mini)?),
                _ => self.skip_mini(&mini),
            }
        }
        Ok(info)
    }

    /// The tree, or a warning and `None` if it is invalid.
    pub(super) fn tree<'a>(
        &mut self,
        parts: TreeParts<'a>,
        triangle_count: u32,
    ) -> Option<Tree<'a>> {
        let tree = self.inside(Segment::Chunk(TREE), |parser| {
            parser.checked_tree(parts, triangle_count)
        });
        let drop_tree = |TreeError { offset, message }| {
            self.warn("collision tree", offset, |_| {
                format!("a collision tree is dropped: {message}")
            });
        };
        tree.map_err(drop_tree).ok()
    }

    fn checked_tree<'a>(
        &mut self,
        parts: TreeParts<'a>,
        triangle_count: u32,
    ) -> Result<Tree<'a>, TreeError> {
        let body = &parts.body;
        let info = self.require(parts.info, body, "its record (0x1201)")?;
        let min = self.require(info.min, body, "its minimum corner (mini-chunk 0)")?;
        let max = self.require(info.max, body, "its maximum corner (mini-chunk 1)")?;
        let node_count = self.require(info.node_count, body, "its node count (mini-chunk 2)")?;
        let map_len = self.require(info.map_len, body, "its triangle count (mini-chunk 3)")?;
        let nodes = self.require(parts.nodes, body, "its nodes (0x1202)")?;
        let map = self.require(parts.map, body, "its triangle map (0x1203)")?;
        let tree = Tree {
            bounds: [min, max],
            nodes: self.tree_array(nodes.clone(), node_count, "/ 0x1202")?,
            triangles: self.tree_array(map.clone(), map_len, "/ 0x1203")?,
        };
        self.check_nodes(&tree, &nodes)?;
        self.check_map(tree.triangles, triangle_count, &map)?;
        self.warn_about_bounds(&tree.bounds, !tree.triangles.is_empty(), info.bounds_offset);
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

    /// Checks that a child's index is greater than its parent's, so that queries cannot loop, that no node has two
    /// parents, and that leaves use existing entries of the triangle map and share none.
    fn check_nodes(&self, tree: &Tree<'_>, body: &Cursor<'_>) -> Result<(), TreeError> {
        let node_count = tree.nodes.len();
        let map_len = tree.triangles.len();
        let mut has_parent = vec![false; node_count];
        if let Some(root) = has_parent.first_mut() {
            *root = true;
        }
        let mut is_used = vec![false; map_len];
        for (index, node) in tree.nodes.iter().enumerate() {
            let error = |flaw: String| {
                let element = format!("/ 0x1202 node {index}");
                Err(TreeError {
                    offset: body.offset() + (size_of::<TreeNode>() * index) as u64,
                    message: format!("{}: {flaw}", self.at(&element)),
                })
            };
            let link = usize::from(node.link.get());
            let triangles = usize::from(node.triangle_count.get());
            if triangles > 0 {
                let end = link + triangles;
                let Some(range) = is_used.get_mut(link..end) else {
                    let last = end - 1;
                    return error(format!(
                        "triangle map entry {last} must be less than the entry count {map_len}"
                    ));
                };
                if let Some(shared) = range.iter().position(|is_used| *is_used) {
                    let entry = link + shared;
                    return error(format!(
                        "triangle map entry {entry} is already used by another leaf"
                    ));
                }
                range.fill(true);
                continue;
            }
            if link <= index {
                return error(format!(
                    "child index {link} must be greater than its parent's index {index}"
                ));
            }
            for child in [link, link + 1] {
                match has_parent.get_mut(child) {
                    None => {
                        return error(format!(
                            "child index {child} must be less than the node count {node_count}"
                        ));
                    }
                    Some(true) => {
                        return error(format!("child {child} is already a child of another node"));
                    }
                    Some(has_parent) => *has_parent = true,
                }
            }
        }
        Ok(())
    }

    /// Checks that the triangle map lists existing triangles, and none twice.
    fn check_map(
        &self,
        map: &[U16],
        triangle_count: u32,
        body: &Cursor<'_>,
    ) -> Result<(), TreeError> {
        // Entries have 16 bits, so triangles from 65 536 on cannot be listed.
        let mut is_listed = vec![false; triangle_count.min(1 << 16) as usize];
        for (entry, triangle) in map.iter().enumerate() {
            let flaw = match is_listed.get_mut(usize::from(triangle.get())) {
                Some(is_listed) if !*is_listed => {
                    *is_listed = true;
                    continue;
                }
                Some(_) => "is already listed by another entry".to_owned(),
                None => format!("must be less than the triangle count {triangle_count}"),
            };
            let element = format!("/ 0x1203 entry {entry}");
            return Err(TreeError {
                offset: body.offset() + 2 * entry as u64,
                message: format!("{}: triangle {triangle} {flaw}", self.at(&element)),
            });
        }
        Ok(())
    }
}
