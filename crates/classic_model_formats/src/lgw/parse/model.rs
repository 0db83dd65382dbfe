//! `MODEL` and what is in it, and what only the whole file shows.

use super::super::file::{LgwFile, Mesh};
use super::super::key::Key;
use super::super::lexer::Word;
use super::meshes::MESH_BYTES;
use super::{BINARY, Next, Parser};
use crate::read::{ErrorKind, ParseError, Quoted};

/// The version that the games' files have.
const VERSION: i64 = 4;

impl<'a> Parser<'a> {
    pub(super) fn model(&mut self) -> Result<LgwFile<'a>, ParseError> {
        self.check_begin()?;
        let mut file = LgwFile {
            name: self.string("MODEL")?,
            ..LgwFile::default()
        };
        const END: Key = Key::EndOfModel;
        let mut version_at = 0;
        loop {
            match self.next(END)? {
                Next::Key(Key::ExportVersion, _) => {
                    version_at = self.lexer.offset();
                    file.version = Some(self.integer("EXPORT_VERSION")?);
                }
                Next::Key(Key::SourceFile, _) => file.source = Some(self.string("SOURCE_FILE")?),
                Next::Key(Key::MaterialList, _) => self.material_list(&mut file.materials)?,
                Next::Key(Key::Mesh, offset) => {
                    self.check_blocks(file.meshes.len(), MESH_BYTES, offset, "MESH")?;
                    let mesh = self.mesh(file.meshes.len())?;
                    file.meshes.push(mesh);
                }
                Next::Key(END, _) => break,
                next => self.pass_over(next, END)?,
            }
        }
        self.check_text(self.lexer.position())?;
        self.check_version(file.version, version_at);
        self.check_references(&file.meshes);
        self.check_end();
        Ok(file)
    }

    /// Passes the first word.
    fn check_begin(&mut self) -> Result<(), ParseError> {
        let offset = self.lexer.offset();
        let word = self.lexer.peek();
        if let Word::Key(key) = word
            && Key::of(key) == Some(Key::Model)
        {
            self.lexer.pass(word);
            return Ok(());
        }
        let rest = self.lexer.rest();
        let kind = if rest.is_empty() {
            ErrorKind::Missing {
                what: "the word MODEL, for nothing is in it",
            }
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
                format!("EXPORT_VERSION is {version}, but {VERSION} is what is known")
            }
            None => format!("there is no EXPORT_VERSION; {VERSION} is what is known"),
        };
        self.warn("version", offset, |_| message);
    }

    /// Tells of what comes after the model.
    fn check_end(&mut self) {
        let offset = self.lexer.offset();
        if self.lexer.peek() != Word::End {
            let length = self.lexer.rest().len();
            self.warn("trailing bytes", offset, |_| {
                format!("{length} bytes after END_OF_MODEL are passed over")
            });
        }
    }

    /// Tells of meshes whose material is not there. The list may come after them.
    fn check_references(&mut self, meshes: &[Mesh<'a>]) {
        for ((index, mesh), offset) in meshes.iter().enumerate().zip(&self.references) {
            let is_known = mesh.material.is_some_and(|id| self.ids.contains(&id));
            if !is_known {
                let name = Quoted(&mesh.name);
                self.flaws
                    .warn("reference", *offset, || match mesh.material {
                        Some(id) => format!(
                            "mesh {index} {name} refers to material {id}, which is not there"
                        ),
                        None => format!("mesh {index} {name} refers to no material"),
                    });
            }
        }
    }
}

/// What a file is that does not begin with a model.
fn looks_like(rest: &[u8], has_nul: bool) -> &'static str {
    const UTF_16: [&[u8]; 4] = [b"\xFF\xFE", b"\xFE\xFF", b"M\0O\0", b"\0M\0O"];
    let begin = rest.get(..8).unwrap_or(rest);
    let is_no_text = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    if UTF_16.iter().any(|mark| begin.starts_with(mark)) {
        "is UTF-16, and should be saved as UTF-8"
    } else if begin.starts_with(b"IDPO") || begin.starts_with(b"IDST") {
        "looks like a model of Quake or Half-Life (MDL)"
    } else if begin.starts_with(b"PulseWav") {
        "looks like PulseWaves, of a laser scanner"
    } else if has_nul || begin.iter().any(is_no_text) {
        BINARY
    } else {
        "is text that does not begin with the word MODEL"
    }
}
