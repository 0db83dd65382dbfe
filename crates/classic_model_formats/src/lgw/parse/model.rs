//! Parses `MODEL`, and checks that need the whole file.

use super::super::file::{LgwFile, Mesh};
use super::super::key::Key;
use super::super::lexer::Token;
use super::meshes::MIN_MESH_SIZE;
use super::{BINARY, NextKey, Parser};
use crate::read::{ErrorKind, ParseError, Quoted, file_kind};

/// The version of the games' files.
const VERSION: i64 = 4;

impl<'a> Parser<'a> {
    pub(super) fn model(&mut self) -> Result<LgwFile<'a>, ParseError> {
        self.check_start()?;
        let mut file = LgwFile {
            name: self.string("MODEL")?,
            ..LgwFile::default()
        };
        const END: Key = Key::EndOfModel;
        let mut version_offset = 0;
        loop {
            match self.next(END)? {
                NextKey::Key(Key::ExportVersion, _) => {
                    version_offset = self.lexer.offset();
                    file.version = Some(self.integer("EXPORT_VERSION")?);
                }
                NextKey::Key(Key::SourceFile, _) => file.source = Some(self.string("SOURCE_FILE")?),
                NextKey::Key(Key::MaterialList, _) => self.material_list(&mut file.materials)?,
                NextKey::Key(Key::Mesh, offset) => {
                    self.check_block_count(file.meshes.len(), MIN_MESH_SIZE, offset, "MESH")?;
                    let mesh = self.mesh(file.meshes.len())?;
                    file.meshes.push(mesh);
                }
                NextKey::Key(END, _) => break,
                next => self.ignore_key(next, END)?,
            }
        }
        self.check_text(self.lexer.position())?;
        self.check_version(file.version, version_offset);
        self.check_references(&file.meshes);
        self.check_end();
        Ok(file)
    }

    /// Reads the key `MODEL`.
    fn check_start(&mut self) -> Result<(), ParseError> {
        let offset = self.lexer.offset();
        let token = self.lexer.peek();
        if let Token::Key(key) = token
            && Key::from_keyword(key) == Some(Key::Model)
        {
            self.lexer.advance(token);
            return Ok(());
        }
        let rest = self.lexer.rest();
        let kind = if rest.is_empty() {
            ErrorKind::Missing {
                what: "the key MODEL (it is empty)",
            }
        } else if file_kind(self.text).is_some() {
            ErrorKind::unrecognized(self.text)
        } else {
            ErrorKind::WrongMagic {
                looks_like: looks_like(rest, self.lexer.has_nul()).into(),
            }
        };
        Err(self.error(offset, "file", kind))
    }

    fn check_version(&mut self, version: Option<i64>, offset: u64) {
        let message = match version {
            Some(VERSION) => return,
            Some(version) => {
                format!("EXPORT_VERSION is {version}, expected {VERSION}")
            }
            None => format!("EXPORT_VERSION is missing, expected {VERSION}"),
        };
        self.warn("version", offset, |_| message);
    }

    /// Warns about text after the model.
    fn check_end(&mut self) {
        let offset = self.lexer.offset();
        if self.lexer.peek() != Token::End {
            let length = self.lexer.rest().len();
            self.warn("trailing bytes", offset, |_| {
                format!("{length} bytes after END_OF_MODEL are ignored")
            });
        }
    }

    /// Warns about meshes whose material does not exist. The list of materials may follow the meshes.
    fn check_references(&mut self, meshes: &[Mesh<'a>]) {
        for ((index, mesh), offset) in meshes.iter().enumerate().zip(&self.reference_offsets) {
            let is_known = mesh
                .material
                .is_some_and(|id| self.material_ids.contains(&id));
            if !is_known {
                let name = Quoted(&mesh.name);
                self.warnings
                    .warn("reference", *offset, || match mesh.material {
                        Some(id) => format!(
                            "mesh {index} {name} refers to material {id}, which does not exist"
                        ),
                        None => format!("mesh {index} {name} has no MATERIAL_REF"),
                    });
            }
        }
    }
}

/// A clause that says what a file that does not start with `MODEL` looks like.
fn looks_like(rest: &[u8], has_nul: bool) -> &'static str {
    const UTF_16: [&[u8]; 4] = [b"\xFF\xFE", b"\xFE\xFF", b"M\0O\0", b"\0M\0O"];
    let start = rest.get(..8).unwrap_or(rest);
    let is_binary = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    if UTF_16.iter().any(|mark| start.starts_with(mark)) {
        "is UTF-16: save it as UTF-8"
    } else if has_nul || start.iter().any(is_binary) {
        BINARY
    } else {
        "is text that does not start with the key MODEL"
    }
}
