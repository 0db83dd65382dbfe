//! Parses `MESH` and the blocks in it.

use super::super::file::{Group, GroupKind, Mesh, Vertices};
use super::super::key::Key;
use super::super::lexer::{Lexer, Token};
use super::super::tolerance::Tolerance;
use super::{A_NUMBER, NextKey, Parser};
use crate::read::{ErrorKind, ParseError, Quoted};

/// Minimum size of a mesh in bytes of text, used for the limit on the count of meshes.
pub(super) const MIN_MESH_SIZE: usize = 64;
/// Minimum size of a vertex in bytes of text.
const MIN_VERTEX_SIZE: usize = 16;
/// Minimum size of an index in bytes of text.
const MIN_INDEX_SIZE: usize = 2;

/// Replaces an index that does not fit into 32 bits. No vertex has this index.
const INVALID_INDEX: u32 = u32::MAX;

/// A mesh that is not completely read yet.
#[derive(Default)]
struct OpenMesh<'a> {
    mesh: Mesh<'a>,
    has_vertices: bool,
    /// Offset of the material's number.
    reference_offset: u64,
    /// The declared count of groups, and its offset.
    declared_groups: Option<(u32, u64)>,
    /// For each group, its offset, and a lexer before its first index.
    groups: Vec<(u64, Lexer<'a>)>,
}

/// The values after `COUNT`.
struct Indices<'a> {
    indices: Vec<u32>,
    /// Offset of the count.
    count_offset: u64,
    /// A lexer before the first index.
    text: Lexer<'a>,
}

/// The elements of `VERTS` in messages.
const VERTEX_NUMBERS: &str = "numbers (8 for each vertex)";
/// The elements of a group in messages.
const GROUP_INDICES: &str = "indices";

impl<'a> Parser<'a> {
    pub(super) fn mesh(&mut self, index: usize) -> Result<Mesh<'a>, ParseError> {
        let mut open = OpenMesh::default();
        open.mesh.name = self.string("MESH")?;
        let name = Some(open.mesh.name.clone());
        self.path.enter("mesh", index as i64, name);
        while self.mesh_key(&mut open)? {}
        self.check_groups(&open);
        self.check_indices(&open)?;
        self.path.leave();
        self.reference_offsets.push(open.reference_offset);
        Ok(open.mesh)
    }

    /// Reads a key and its values. Returns false after `END_OF_MESH`.
    fn mesh_key(&mut self, open: &mut OpenMesh<'a>) -> Result<bool, ParseError> {
        const END: Key = Key::EndOfMesh;
        match self.next(END)? {
            NextKey::Key(Key::MaterialRef, _) => {
                open.reference_offset = self.lexer.offset();
                open.mesh.material = Some(self.integer("MATERIAL_REF")?);
            }
            NextKey::Key(Key::DefaultColor, _) => {
                open.mesh.default_color = Some(self.floats("DEFAULT_COLOR")?);
            }
            NextKey::Key(Key::Verts, offset) => {
                if open.has_vertices {
                    return Err(self.error(offset, "VERTS", ErrorKind::Repeated));
                }
                open.mesh.vertices = self.vertices()?;
                open.has_vertices = true;
            }
            NextKey::Key(Key::PrimitiveGeometryGroups, _) => {
                let offset = self.lexer.offset();
                open.declared_groups = Some((self.group_count(offset)?, offset));
            }
            NextKey::Key(Key::Group, offset) => self.group(open, offset)?,
            NextKey::Key(END, offset) => {
                if open.mesh.material.is_none() {
                    open.reference_offset = offset;
                }
                self.mesh_end(&open.mesh, offset);
                return Ok(false);
            }
            next => self.ignore_key(next, END)?,
        }
        Ok(true)
    }

    fn mesh_end(&mut self, mesh: &Mesh<'a>, offset: u64) {
        let name_offset = self.lexer.offset();
        let token = self.lexer.peek();
        let Token::String(string) = token else {
            self.warn("end of mesh", offset, |path| {
                format!("{path}END_OF_MESH has no mesh name")
            });
            return;
        };
        self.lexer.advance(token);
        let found = self.decoded(string);
        if found != mesh.name {
            self.warn("end of mesh", name_offset, |path| {
                let (found, expected) = (Quoted(&found), Quoted(&mesh.name));
                format!("{path}END_OF_MESH names {found}, expected {expected}")
            });
        }
    }

    fn vertices(&mut self) -> Result<Vertices, ParseError> {
        let count = self.count("VERTS")?;
        let max = self.lexer.rest().len() / MIN_VERTEX_SIZE + 1;
        let capacity = max.min(count as usize);
        let mut vertices = Vertices {
            positions: Vec::with_capacity(capacity),
            uvs: Vec::with_capacity(capacity),
            normals: Vec::with_capacity(capacity),
        };
        let expected = 8 * u64::from(count);
        let text = self.lexer.clone();
        for vertex in 0..count {
            let mut values = [0.0; 8];
            for (component, value) in values.iter_mut().enumerate() {
                let offset = self.lexer.offset();
                let Some(number) = self.lexer.number() else {
                    let found = 8 * u64::from(vertex) + component as u64;
                    let kind = ErrorKind::CountMismatch {
                        elements: VERTEX_NUMBERS,
                        found,
                        expected,
                    };
                    let what = self.verts_context(text);
                    return Err(self.missing_number(&what, kind, A_NUMBER));
                };
                *value = self.finite(number, offset, "VERTS")?;
            }
            vertices.push(values);
        }
        if matches!(self.lexer.peek(), Token::Number(_)) {
            let what = self.verts_context(text);
            self.no_more_numbers(&what, VERTEX_NUMBERS, expected)?;
        }
        Ok(vertices)
    }

    /// The context of an error about too many or too few numbers. If each vertex has a line of its own, the context names
    /// the first line with a wrong count of numbers.
    fn verts_context(&self, mut text: Lexer<'a>) -> String {
        let begin = self.position(text.offset()).line;
        let lines = text.rest().split(|byte| *byte == b'\n').map(count_words);
        let counts = lines.map_while(|count| count);
        let mut counts = counts
            .zip(begin..)
            .filter(|(count, _)| *count > 0)
            .peekable();
        let has_lines = counts.peek().is_some_and(|(count, _)| *count == 8);
        match counts.find(|(count, _)| *count != 8) {
            Some((count, line)) if has_lines => {
                format!("VERTS (line {line} has {count} numbers instead of 8)")
            }
            _ => "VERTS".to_owned(),
        }
    }

    /// The error for a missing number: `too_few` if a key or the end of the file follows, otherwise an unexpected token.
    fn missing_number(
        &mut self,
        what: &str,
        too_few: ErrorKind,
        expected: &'static str,
    ) -> ParseError {
        let offset = self.lexer.offset();
        match self.lexer.peek() {
            Token::Key(_) | Token::End => self.error(offset, what, too_few),
            _ => self.unexpected(what, expected),
        }
    }

    /// The declared count of groups. A wrong count is only a warning, but it cannot exceed the length of the file.
    fn group_count(&mut self, offset: u64) -> Result<u32, ParseError> {
        const WHAT: &str = "PRIMITIVE_GEOMETRY_GROUPS";
        let count = self.count(WHAT)?;
        let max = self.text.len() as i64;
        if i64::from(count) <= max {
            return Ok(count);
        }
        let (value, min) = (count.into(), 0);
        Err(self.error(offset, WHAT, ErrorKind::BadCount { value, min, max }))
    }

    fn group(&mut self, open: &mut OpenMesh<'a>, offset: u64) -> Result<(), ParseError> {
        let id = self.integer("GROUP")?;
        self.path.enter("group", id, None);
        const END: Key = Key::EndOfGroup;
        let (mut kind, mut indices) = (None, None);
        let end = loop {
            match self.next(END)? {
                NextKey::Key(Key::TypeList, _) => kind = Some(GroupKind::List),
                NextKey::Key(Key::TypeStrip, _) => kind = Some(GroupKind::Strip),
                NextKey::Key(Key::TypeFan, _) => kind = Some(GroupKind::Fan),
                NextKey::Key(Key::Count, offset) => {
                    if indices.is_some() {
                        return Err(self.error(offset, "COUNT", ErrorKind::Repeated));
                    }
                    indices = Some(self.indices()?);
                }
                NextKey::Key(END, offset) => break offset,
                next => self.ignore_key(next, END)?,
            }
        };
        self.group_end(id, end);
        let kind =
            kind.ok_or_else(|| self.missing_error(end, "TYPE_LIST, TYPE_STRIP or TYPE_FAN"))?;
        let Indices {
            indices,
            count_offset,
            text,
        } = indices.ok_or_else(|| self.missing_error(end, "COUNT"))?;
        self.check_index_count(kind, indices.len(), count_offset);
        self.path.leave();
        if open.groups.is_empty() {
            // Most meshes have one group.
            open.groups.reserve_exact(1);
            open.mesh.groups.reserve_exact(1);
        }
        open.groups.push((offset, text));
        open.mesh.groups.push(Group { id, kind, indices });
        Ok(())
    }

    /// Reads the optional number after `END_OF_GROUP`, which should be the group's number.
    fn group_end(&mut self, id: i64, offset: u64) {
        let number_offset = self.lexer.offset();
        match self.lexer.integer() {
            Some(found) if found == id => {}
            Some(found) => self.warn("end of group", number_offset, |path| {
                format!("{path}END_OF_GROUP has the number {found}, expected {id}")
            }),
            None => self.warn("end of group", offset, |path| {
                format!("{path}END_OF_GROUP has no number")
            }),
        }
    }

    /// Reads the declared count of indices.
    fn indices(&mut self) -> Result<Indices<'a>, ParseError> {
        let count_offset = self.lexer.offset();
        let count = self.count("COUNT")?;
        let max = self.lexer.rest().len() / MIN_INDEX_SIZE + 1;
        let mut indices = Vec::with_capacity(max.min(count as usize));
        let text = self.lexer.clone();
        for found in 0..count {
            let Some(index) = self.lexer.integer() else {
                let kind = ErrorKind::CountMismatch {
                    elements: GROUP_INDICES,
                    found: found.into(),
                    expected: count.into(),
                };
                return Err(self.missing_number("COUNT", kind, "a whole number"));
            };
            indices.push(u32::try_from(index).unwrap_or(INVALID_INDEX));
        }
        self.no_more_numbers("COUNT", GROUP_INDICES, count.into())?;
        Ok(Indices {
            indices,
            count_offset,
            text,
        })
    }

    /// Warns about indices that form no triangle.
    fn check_index_count(&mut self, kind: GroupKind, count: usize, offset: u64) {
        match kind {
            GroupKind::List if !count.is_multiple_of(3) => {
                self.warn("incomplete triangle", offset, |path| {
                    let rest = count % 3;
                    format!(
                        "{path}TYPE_LIST has {count} indices, not a multiple of 3: the last {rest} are ignored"
                    )
                });
            }
            GroupKind::Strip | GroupKind::Fan if count < 3 => {
                self.warn("short group", offset, |path| {
                    format!("{path}{count} indices form no triangle, at least 3 are needed")
                });
            }
            _ => {}
        }
    }

    /// Warns about a wrong count of groups, wrong numbers of groups, and several lists.
    fn check_groups(&mut self, open: &OpenMesh<'a>) {
        let groups = &open.mesh.groups;
        let found = groups.len();
        let group_offset = |index: usize| open.groups.get(index).map(|(offset, _)| *offset);
        match open.declared_groups {
            Some((count, offset)) if count as usize != found => {
                self.warn("groups", offset, |path| {
                    format!("{path}PRIMITIVE_GEOMETRY_GROUPS is {count}, but the count of groups is {found}")
                });
            }
            Some(_) => {}
            None => {
                if let Some(offset) = group_offset(0) {
                    self.warn("groups", offset, |path| {
                        format!("{path}PRIMITIVE_GEOMETRY_GROUPS is missing, the count of groups is {found}")
                    });
                }
            }
        }
        let is_misnumbered = |(index, group): (usize, &Group)| group.id != index as i64;
        if let Some(offset) = groups
            .iter()
            .enumerate()
            .position(is_misnumbered)
            .and_then(group_offset)
        {
            self.warn("group numbers", offset, |path| {
                format!("{path}the groups are not numbered 0, 1, 2 …")
            });
        }
        let lists = groups.iter().zip(&open.groups);
        let mut lists = lists
            .filter(|(group, _)| group.kind == GroupKind::List)
            .skip(1);
        if let Some((_, (offset, _))) = lists.next() {
            let lists = 2 + lists.count();
            self.warn("lists", *offset, |path| {
                format!(
                    "{path}{lists} groups have TYPE_LIST, but the game's files have one per mesh"
                )
            });
        }
    }

    /// Checks that the vertices of all indices exist. With [`Tolerance::Lenient`], it only warns.
    fn check_indices(&mut self, open: &OpenMesh<'a>) -> Result<(), ParseError> {
        let count = open.mesh.vertices.len();
        for (group, (_, text)) in open.mesh.groups.iter().zip(&open.groups) {
            let is_invalid = |index: &u32| (*index as usize) >= count;
            let Some(position) = group.indices.iter().position(is_invalid) else {
                continue;
            };
            let (offset, index) = nth_integer(text.clone(), position);
            self.path.enter("group", group.id, None);
            if self.tolerance != Tolerance::Lenient {
                let kind = ErrorKind::IndexOutOfRange {
                    element: "vertex",
                    index,
                    count: count as u64,
                };
                return Err(self.error(offset, &format!("index {position}"), kind));
            }
            self.warn("index", offset, |path| {
                format!(
                    "{path}index {position} uses vertex {index}, but only {count} exist: its triangles are dropped"
                )
            });
            self.path.leave();
        }
        Ok(())
    }
}

/// The count of words in a line before its comment. `None` if the line starts with a key.
fn count_words(line: &[u8]) -> Option<usize> {
    let words = line.split(u8::is_ascii_whitespace);
    let words = words.filter(|word| !word.is_empty());
    let mut words = words.take_while(|word| !word.starts_with(b"//")).peekable();
    let is_key = words
        .peek()
        .is_some_and(|word| word.first().is_some_and(u8::is_ascii_alphabetic));
    (!is_key).then(|| words.count())
}

/// The offset and the value of the integer at this position of a sequence.
fn nth_integer(mut text: Lexer<'_>, position: usize) -> (u64, i64) {
    for _ in 0..position {
        text.integer();
    }
    (text.offset(), text.integer().unwrap_or_default())
}
