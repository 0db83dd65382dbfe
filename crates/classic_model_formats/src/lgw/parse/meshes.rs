//! `MESH` and what is in it.

use super::super::file::{Group, GroupKind, Mesh, Vertices};
use super::super::key::Key;
use super::super::lexer::{Lexer, Word};
use super::super::tolerance::Tolerance;
use super::{A_NUMBER, Next, Parser};
use crate::read::{ErrorKind, ParseError, Quoted};

/// Least bytes of text that a mesh, a vertex and an index take.
pub(super) const MESH_BYTES: usize = 64;
const VERTEX_BYTES: usize = 16;
const INDEX_BYTES: usize = 2;

/// What stands for an index that no vertex can have.
const NO_VERTEX: u32 = u32::MAX;

/// What is known of a mesh while it is read.
#[derive(Default)]
struct Open<'a> {
    mesh: Mesh<'a>,
    has_vertices: bool,
    /// Where it names its material.
    reference: u64,
    /// How many groups there should be, and where it says so.
    announced: Option<(u32, u64)>,
    /// For each group, where it begins, and the text from its first index on.
    groups: Vec<(u64, Lexer<'a>)>,
}

/// What a group has after `COUNT`.
struct Indices<'a> {
    indices: Vec<u32>,
    /// Where it says how many there are.
    count_at: u64,
    /// From the first of them on.
    text: Lexer<'a>,
}

/// What vertices and indices are made of, as messages tell it.
const OF_VERTICES: &str = "numbers (8 for each vertex)";
const OF_GROUPS: &str = "indices";

impl<'a> Parser<'a> {
    pub(super) fn mesh(&mut self, index: usize) -> Result<Mesh<'a>, ParseError> {
        let mut open = Open::default();
        open.mesh.name = self.string("MESH")?;
        let name = Some(open.mesh.name.clone());
        self.place.enter("mesh", index as i64, name);
        while self.mesh_key(&mut open)? {}
        self.check_groups(&open);
        self.check_indices(&open)?;
        self.place.leave();
        self.references.push(open.reference);
        Ok(open.mesh)
    }

    /// Reads a key; false if it was the last.
    fn mesh_key(&mut self, open: &mut Open<'a>) -> Result<bool, ParseError> {
        const END: Key = Key::EndOfMesh;
        match self.next(END)? {
            Next::Key(Key::MaterialRef, _) => {
                open.reference = self.lexer.offset();
                open.mesh.material = Some(self.integer("MATERIAL_REF")?);
            }
            Next::Key(Key::DefaultColor, _) => {
                open.mesh.default_color = Some(self.floats("DEFAULT_COLOR")?);
            }
            Next::Key(Key::Verts, offset) => {
                if open.has_vertices {
                    return Err(self.error(offset, "VERTS", ErrorKind::Repeated));
                }
                open.mesh.vertices = self.vertices()?;
                open.has_vertices = true;
            }
            Next::Key(Key::PrimitiveGeometryGroups, _) => {
                let offset = self.lexer.offset();
                open.announced = Some((self.group_count(offset)?, offset));
            }
            Next::Key(Key::Group, offset) => self.group(open, offset)?,
            Next::Key(END, offset) => {
                if open.mesh.material.is_none() {
                    open.reference = offset;
                }
                self.mesh_end(&open.mesh, offset);
                return Ok(false);
            }
            next => self.pass_over(next, END)?,
        }
        Ok(true)
    }

    fn mesh_end(&mut self, mesh: &Mesh<'a>, offset: u64) {
        let name_at = self.lexer.offset();
        let word = self.lexer.peek();
        let Word::String(string) = word else {
            self.warn("name of an end", offset, |place| {
                format!("{place}END_OF_MESH names no mesh")
            });
            return;
        };
        self.lexer.pass(word);
        let found = self.decoded(string);
        if found != mesh.name {
            self.warn("name of an end", name_at, |place| {
                format!("{place}END_OF_MESH names {}", Quoted(&found))
            });
        }
    }

    fn vertices(&mut self) -> Result<Vertices, ParseError> {
        let count = self.count("VERTS")?;
        let possible = self.lexer.rest().len() / VERTEX_BYTES + 1;
        let room = possible.min(count as usize);
        let mut vertices = Vertices {
            positions: Vec::with_capacity(room),
            uvs: Vec::with_capacity(room),
            normals: Vec::with_capacity(room),
        };
        let expected = 8 * u64::from(count);
        let text = self.lexer.clone();
        for vertex in 0..count {
            let mut values = [0.0; 8];
            for (place, value) in values.iter_mut().enumerate() {
                let offset = self.lexer.offset();
                let Some(number) = self.lexer.number() else {
                    let found = 8 * u64::from(vertex) + place as u64;
                    let kind = ErrorKind::CountMismatch {
                        elements: OF_VERTICES,
                        found,
                        expected,
                    };
                    let what = self.verts(text);
                    return Err(self.missing(&what, kind, A_NUMBER));
                };
                *value = self.finite(number, offset, "VERTS")?;
            }
            vertices.push(values);
        }
        if matches!(self.lexer.peek(), Word::Number(_)) {
            let what = self.verts(text);
            self.no_more_numbers(&what, OF_VERTICES, expected)?;
        }
        Ok(vertices)
    }

    /// What numbers of vertices are called where there are too many or too few: with the line that is to
    /// blame, if each vertex has a line.
    fn verts(&self, mut text: Lexer<'a>) -> String {
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
                format!("VERTS, of which line {line} has {count} numbers where others have 8,")
            }
            _ => "VERTS".to_owned(),
        }
    }

    /// What is wrong where a number should be: another word, or if a key is there that numbers are missing.
    fn missing(&mut self, what: &str, too_few: ErrorKind, a_number: &'static str) -> ParseError {
        let offset = self.lexer.offset();
        match self.lexer.peek() {
            Word::Key(_) | Word::End => self.error(offset, what, too_few),
            _ => self.unexpected(what, a_number),
        }
    }

    /// How many groups there should be. What is there counts, but no file has room for any number.
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

    fn group(&mut self, open: &mut Open<'a>, offset: u64) -> Result<(), ParseError> {
        let id = self.integer("GROUP")?;
        self.place.enter("group", id, None);
        const END: Key = Key::EndOfGroup;
        let (mut kind, mut count) = (None, None);
        let end = loop {
            match self.next(END)? {
                Next::Key(Key::TypeList, _) => kind = Some(GroupKind::List),
                Next::Key(Key::TypeStrip, _) => kind = Some(GroupKind::Strip),
                Next::Key(Key::TypeFan, _) => kind = Some(GroupKind::Fan),
                Next::Key(Key::Count, offset) => {
                    if count.is_some() {
                        return Err(self.error(offset, "COUNT", ErrorKind::Repeated));
                    }
                    count = Some(self.indices()?);
                }
                Next::Key(END, offset) => break offset,
                next => self.pass_over(next, END)?,
            }
        };
        self.group_end(id, end);
        let kind = kind.ok_or_else(|| self.lacks(end, "TYPE_LIST, TYPE_STRIP or TYPE_FAN"))?;
        let Indices {
            indices,
            count_at,
            text,
        } = count.ok_or_else(|| self.lacks(end, "COUNT"))?;
        self.check_length(kind, indices.len(), count_at);
        self.place.leave();
        if open.groups.is_empty() {
            // Most meshes have one.
            open.groups.reserve_exact(1);
            open.mesh.groups.reserve_exact(1);
        }
        open.groups.push((offset, text));
        open.mesh.groups.push(Group { id, kind, indices });
        Ok(())
    }

    /// Passes the number that repeats the group's, if it is there. Nothing depends on it.
    fn group_end(&mut self, id: i64, offset: u64) {
        let number_at = self.lexer.offset();
        match self.lexer.integer() {
            Some(found) if found == id => {}
            Some(found) => self.warn("number of an end", number_at, |place| {
                format!("{place}END_OF_GROUP has the number {found}")
            }),
            None => self.warn("number of an end", offset, |place| {
                format!("{place}END_OF_GROUP has no number")
            }),
        }
    }

    /// As many indices as are announced.
    fn indices(&mut self) -> Result<Indices<'a>, ParseError> {
        let count_at = self.lexer.offset();
        let count = self.count("COUNT")?;
        let possible = self.lexer.rest().len() / INDEX_BYTES + 1;
        let mut indices = Vec::with_capacity(possible.min(count as usize));
        let text = self.lexer.clone();
        for found in 0..count {
            let Some(index) = self.lexer.integer() else {
                let kind = ErrorKind::CountMismatch {
                    elements: OF_GROUPS,
                    found: found.into(),
                    expected: count.into(),
                };
                return Err(self.missing("COUNT", kind, "a whole number"));
            };
            indices.push(u32::try_from(index).unwrap_or(NO_VERTEX));
        }
        self.no_more_numbers("COUNT", OF_GROUPS, count.into())?;
        Ok(Indices {
            indices,
            count_at,
            text,
        })
    }

    /// Tells of indices that make no triangle.
    fn check_length(&mut self, kind: GroupKind, length: usize, offset: u64) {
        match kind {
            GroupKind::List if !length.is_multiple_of(3) => {
                self.warn("tail", offset, |place| {
                    let tail = length % 3;
                    format!("{place}a list of {length} indices: the last {tail} are passed over")
                });
            }
            GroupKind::Strip | GroupKind::Fan if length < 3 => {
                self.warn("short group", offset, |place| {
                    format!("{place}{length} indices make no triangle")
                });
            }
            _ => {}
        }
    }

    /// Tells of groups that are not as they should be.
    fn check_groups(&mut self, open: &Open<'a>) {
        let groups = &open.mesh.groups;
        let found = groups.len();
        let begin = |place: usize| open.groups.get(place).map(|(offset, _)| *offset);
        match open.announced {
            Some((count, offset)) if count as usize != found => {
                self.warn("groups", offset, |place| {
                    format!("{place}there are {found} groups, though {count} are announced")
                });
            }
            Some(_) => {}
            None => {
                if let Some(offset) = begin(0) {
                    self.warn("groups", offset, |place| {
                        format!("{place}there are {found} groups without PRIMITIVE_GEOMETRY_GROUPS")
                    });
                }
            }
        }
        let is_misnumbered = |(place, group): (usize, &Group)| group.id != place as i64;
        if let Some(offset) = groups
            .iter()
            .enumerate()
            .position(is_misnumbered)
            .and_then(begin)
        {
            self.warn("numbers of groups", offset, |place| {
                format!("{place}the groups are not numbered 0, 1, 2 …")
            });
        }
        let lists = groups.iter().zip(&open.groups);
        let mut lists = lists
            .filter(|(group, _)| group.kind == GroupKind::List)
            .skip(1);
        if let Some((_, (offset, _))) = lists.next() {
            let lists = 2 + lists.count();
            self.warn("lists", *offset, |place| {
                format!("{place}there are {lists} groups TYPE_LIST, where the game has one")
            });
        }
    }

    /// Refuses indices of vertices that are not there, or tells of them.
    fn check_indices(&mut self, open: &Open<'a>) -> Result<(), ParseError> {
        let count = open.mesh.vertices.len();
        for (group, (_, text)) in open.mesh.groups.iter().zip(&open.groups) {
            let is_there = |index: &u32| (*index as usize) < count;
            let Some(place) = group.indices.iter().position(|index| !is_there(index)) else {
                continue;
            };
            let (offset, index) = nth_integer(text.clone(), place);
            self.place.enter("group", group.id, None);
            if self.tolerance != Tolerance::Lenient {
                let kind = ErrorKind::IndexOutOfRange {
                    element: "vertex",
                    index,
                    count: count as u64,
                };
                return Err(self.error(offset, &format!("index {place}"), kind));
            }
            self.warn("index", offset, |label| {
                format!(
                    "{label}index {place} uses vertex {index} of {count}; such triangles are left out"
                )
            });
            self.place.leave();
        }
        Ok(())
    }
}

/// How many words a line has before its comment; none if it begins with a key.
fn count_words(line: &[u8]) -> Option<usize> {
    let words = line.split(u8::is_ascii_whitespace);
    let words = words.filter(|word| !word.is_empty());
    let mut words = words.take_while(|word| !word.starts_with(b"//")).peekable();
    let is_key = words
        .peek()
        .is_some_and(|word| word.first().is_some_and(u8::is_ascii_alphabetic));
    (!is_key).then(|| words.count())
}

/// Where a whole number of some is, and what it is.
fn nth_integer(mut text: Lexer<'_>, place: usize) -> (u64, i64) {
    for _ in 0..place {
        text.integer();
    }
    (text.offset(), text.integer().unwrap_or_default())
}
