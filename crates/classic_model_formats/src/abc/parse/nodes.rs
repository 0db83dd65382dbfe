//! Parses the chunk `Nodes`: the skeleton.

use super::Parser;
use crate::abc::file::Node;
use crate::abc::records::Vertex;
use crate::read::{Cursor, ErrorKind, ParseError, Quoted};
use zerocopy::little_endian::U16;

/// The maximum depth of the node tree. A single root has depth 1, and real files have at most 18. Consumers of the values
/// may support fewer.
pub const MAX_DEPTH: usize = 1024;

/// Minimum size of a node in bytes: without a name and without deforming vertices.
const MIN_NODE_SIZE: u64 = 24 + 2 + 2 + 1 + 4 + 4;

/// A node whose children are not all read yet.
struct OpenNode {
    index: u32,
    /// The count of children that are not read yet.
    remaining: u32,
}

impl Parser {
    pub(super) fn nodes<'a>(
        &mut self,
        mut body: Cursor<'a>,
        vertices: &[Vertex],
    ) -> Result<Vec<Node<'a>>, ParseError> {
        let max = body.remaining() / MIN_NODE_SIZE;
        let mut nodes = Vec::with_capacity(usize::try_from(max).unwrap_or_default());
        // Not recursive, because a deep file could overflow the stack.
        let mut open: Vec<OpenNode> = Vec::new();
        loop {
            let index = nodes.len();
            let parent = open.last_mut().map(|parent| {
                parent.remaining = parent.remaining.saturating_sub(1);
                parent.index
            });
            let node = self.node(&mut body, index, parent, open.len(), vertices)?;
            open.push(OpenNode {
                index: index as u32,
                remaining: node.children,
            });
            nodes.push(node);
            while open.pop_if(|node| node.remaining == 0).is_some() {}
            if open.is_empty() {
                break;
            }
        }
        self.warn_about_rest(&body, "Nodes");
        nodes.shrink_to_fit();
        Ok(nodes)
    }

    fn node<'a>(
        &mut self,
        body: &mut Cursor<'a>,
        index: usize,
        parent: Option<u32>,
        depth: usize,
        vertices: &[Vertex],
    ) -> Result<Node<'a>, ParseError> {
        let context = format_args!("Nodes / node {index}");
        if depth >= MAX_DEPTH {
            let kind = ErrorKind::TooDeep { limit: MAX_DEPTH };
            return Err(body.error(body.offset(), context, kind));
        }
        let bounds = self.bounds(body, format_args!("{context} bounds"))?;
        let name = self.text(body, format_args!("{context} name"))?;
        let context = format_args!("{context} {}", Quoted(&name));
        let index_offset = body.offset();
        let transformation_index: &U16 = body.record(format_args!("{context} index"))?;
        let transformation_index = transformation_index.get();
        if usize::from(transformation_index) != index {
            self.warnings.warn("node index", index_offset, || {
                format!(
                    "{context} stores the index {transformation_index}, expected {index}: ignored"
                )
            });
        }
        let [flags]: &[u8; 1] = body.record(format_args!("{context} flags"))?;
        let count = body.u32(format_args!("{context} deforming vertex count"))?;
        let deform_offset = body.offset();
        let what = format_args!("{context} deforming vertices");
        let deform_vertices: &[U16] = body.array(count.into(), what)?;
        self.check_deforming(body, deform_vertices, deform_offset, index, vertices, what)?;
        let children = body.u32(format_args!("{context} child count"))?;
        // A count that is too large fails here and not at the end of the file.
        let min_size = u64::from(children).saturating_mul(MIN_NODE_SIZE);
        body.clone()
            .take(min_size, format_args!("{context} children"))?;
        Ok(Node {
            name,
            bounds,
            transformation_index,
            flags: *flags,
            deform_vertices,
            parent,
            children,
        })
    }

    /// Checks that the deforming vertices of a node exist, and warns about those that belong to other nodes.
    fn check_deforming(
        &mut self,
        body: &Cursor<'_>,
        deforming: &[U16],
        offset: u64,
        node: usize,
        vertices: &[Vertex],
        what: core::fmt::Arguments<'_>,
    ) -> Result<(), ParseError> {
        for (deforming, offset) in deforming.iter().zip((offset..).step_by(2)) {
            let index = deforming.get();
            let Some(vertex) = vertices.get(usize::from(index)) else {
                let kind = ErrorKind::IndexOutOfRange {
                    element: "vertex",
                    index: index.into(),
                    count: vertices.len() as u64,
                };
                return Err(body.error(offset, what, kind));
            };
            if usize::from(vertex.node) != node {
                self.warnings.warn("foreign vertex", offset, || {
                    format!(
                        "{what} include vertex {index} of node {}: it is not deformed",
                        vertex.node
                    )
                });
            }
        }
        Ok(())
    }
}
