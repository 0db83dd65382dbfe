//! The chunk of the skeleton.

use super::Reader;
use crate::abc::file::Node;
use crate::abc::records::Vertex;
use crate::read::{Cursor, ErrorKind, ParseError, Quoted};
use zerocopy::little_endian::U16;

/// How deep nodes may be nested, the root being the first level. Real files have 18 at most.
/// Engines may bear fewer.
pub const MAX_DEPTH: usize = 1024;

/// Bytes of a node without a name that does not deform.
const LEAST_NODE: u64 = 24 + 2 + 2 + 1 + 4 + 4;

/// A node whose children are being read.
struct Open {
    index: u32,
    /// Children not read yet.
    left: u32,
}

impl Reader {
    pub(super) fn nodes<'a>(
        &mut self,
        mut body: Cursor<'a>,
        vertices: &[Vertex],
    ) -> Result<Vec<Node<'a>>, ParseError> {
        let most = body.remaining() / LEAST_NODE;
        let mut nodes = Vec::with_capacity(usize::try_from(most).unwrap_or_default());
        let mut open: Vec<Open> = Vec::new();
        // The depth of a file is not for the stack of this program.
        loop {
            let index = nodes.len();
            let parent = open.last_mut().map(|parent| {
                parent.left = parent.left.saturating_sub(1);
                parent.index
            });
            let node = self.node(&mut body, index, parent, open.len(), vertices)?;
            open.push(Open {
                index: index as u32,
                left: node.children,
            });
            nodes.push(node);
            while open.pop_if(|open| open.left == 0).is_some() {}
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
            self.flaws.warn("node index", index_offset, || {
                format!("{context} says that it is node {transformation_index}: it is taken for what it is")
            });
        }
        let [flags]: &[u8; 1] = body.record(format_args!("{context} flags"))?;
        let count = body.u32(format_args!("{context} number of deforming vertices"))?;
        let deform_offset = body.offset();
        let what = format_args!("{context} deforming vertices");
        let deform_vertices: &[U16] = body.array(count.into(), what)?;
        self.check_deforming(body, deform_vertices, deform_offset, index, vertices, what)?;
        let children = body.u32(format_args!("{context} number of children"))?;
        // Asked for as a whole, so that a count which lies fails here and not at the end of the file.
        let least = u64::from(children).saturating_mul(LEAST_NODE);
        body.clone()
            .take(least, format_args!("{context} children"))?;
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

    /// Whether the vertices that a node deforms exist, and are its own.
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
                self.flaws.warn("foreign vertex", offset, || {
                    format!("{what} have vertex {index} of node {}", vertex.node)
                });
            }
        }
        Ok(())
    }
}
