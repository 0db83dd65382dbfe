//! `MATERIAL_LIST` and what is in it.

use super::super::file::{AlphaMode, Material, TexGenKind, Texture, TextureMode};
use super::super::key::Key;
use super::super::lexer::Word;
use super::super::tolerance::Tolerance;
use super::{Next, Parser, told};
use crate::read::{ParseError, Quoted};
use std::borrow::Cow;

/// Least bytes of text that a material takes.
const MATERIAL_BYTES: usize = 32;

impl<'a> Parser<'a> {
    pub(super) fn material_list(
        &mut self,
        materials: &mut Vec<Material<'a>>,
    ) -> Result<(), ParseError> {
        const END: Key = Key::EndOfMaterialList;
        loop {
            match self.next(END)? {
                Next::Key(Key::Material, offset) => {
                    self.check_blocks(materials.len(), MATERIAL_BYTES, offset, "MATERIAL")?;
                    let material = self.material()?;
                    let id = material.id;
                    if !self.ids.insert(id) {
                        self.warn("material", offset, |_| {
                            format!("there are several materials {id}, of which the first is used")
                        });
                    }
                    materials.push(material);
                }
                Next::Key(END, _) => return Ok(()),
                next => self.pass_over(next, END)?,
            }
        }
    }

    fn material(&mut self) -> Result<Material<'a>, ParseError> {
        let mut material = Material {
            id: self.integer("MATERIAL")?,
            name: self.string("MATERIAL")?,
            ..Material::default()
        };
        const END: Key = Key::EndOfMaterial;
        let name = Some(material.name.clone());
        self.place.enter("material", material.id, name);
        let mut second_at = 0;
        loop {
            match self.next(END)? {
                Next::Key(Key::DiffuseColor, _) => {
                    material.diffuse_color = Some(self.floats("DIFFUSE_COLOR")?);
                }
                Next::Key(Key::Texture, offset) => {
                    let texture = self.texture()?;
                    if texture.number == 1 {
                        second_at = offset;
                    }
                    self.keep(texture, &mut material.textures, offset);
                }
                Next::Key(END, _) => {
                    material.textures.sort_by_key(|texture| texture.number);
                    if let [Texture { number: 1, .. }] = *material.textures {
                        self.warn("lone texture", second_at, |place| {
                            format!("{place}TEXTURE 1 is the only one, and used as TEXTURE 0")
                        });
                    }
                    break;
                }
                next => self.pass_over(next, END)?,
            }
        }
        self.place.leave();
        Ok(material)
    }

    /// Adds a texture to those of its material.
    fn keep(&mut self, texture: Texture<'a>, textures: &mut Vec<Texture<'a>>, offset: u64) {
        let number = texture.number;
        if !matches!(number, 0 | 1) {
            self.warn("texture", offset, |place| {
                format!("{place}TEXTURE {number} is passed over, for there are but 0 and 1")
            });
        } else if let Some(known) = textures.iter_mut().find(|known| known.number == number) {
            *known = texture;
            self.warn("repeated texture", offset, |place| {
                format!("{place}there are several TEXTURE {number}, of which the last is used")
            });
        } else {
            // Most materials have one.
            textures.reserve_exact(1);
            textures.push(texture);
        }
    }

    fn texture(&mut self) -> Result<Texture<'a>, ParseError> {
        let mut texture = Texture {
            number: self.integer("TEXTURE")?,
            ..Texture::default()
        };
        self.place.enter("texture", texture.number, None);
        let end = loop {
            match self.next(Key::EndOfTexture)? {
                Next::Key(Key::EndOfTexture, offset) => break offset,
                Next::Key(key, offset) => self.texture_key(key, offset, &mut texture)?,
                next => self.pass_over(next, Key::EndOfTexture)?,
            }
        };
        if texture.file.as_deref().unwrap_or_default().is_empty() && !texture.raw_image {
            self.warn("no picture", end, |place| {
                format!("{place}there is no FILE_NAME")
            });
        }
        self.place.leave();
        Ok(texture)
    }

    fn texture_key(
        &mut self,
        key: Key,
        offset: u64,
        texture: &mut Texture<'a>,
    ) -> Result<(), ParseError> {
        let [s, t, r] = &mut texture.texgen;
        match key {
            Key::FileName => texture.file = Some(self.file_name()?),
            Key::RawImage => {
                texture.raw_image = true;
                self.raw_image(offset)?;
            }
            Key::UWrap => texture.wrap[0] = true,
            Key::UClamp => texture.wrap[0] = false,
            Key::VWrap => texture.wrap[1] = true,
            Key::VClamp => texture.wrap[1] = false,
            Key::AlphaMode => texture.alpha_mode = self.alpha_mode()?,
            Key::MipmapOn => texture.mipmaps = true,
            Key::MipmapOff => texture.mipmaps = false,
            Key::Mutable => texture.mutable = true,
            Key::Immutable => texture.mutable = false,
            Key::CubeMap => texture.cube_map = true,
            Key::TexGenS => s.kind = self.texgen(key, s.kind)?,
            Key::TexGenT => t.kind = self.texgen(key, t.kind)?,
            Key::TexGenR => r.kind = self.texgen(key, r.kind)?,
            Key::TexGenSKoef | Key::TexGenSKoe => [s.coefficient] = self.floats(key.word())?,
            Key::TexGenTKoef | Key::TexGenTKoe => [t.coefficient] = self.floats(key.word())?,
            Key::TexGenRKoef | Key::TexGenRKoe => [r.coefficient] = self.floats(key.word())?,
            Key::Mode => texture.mode = self.mode(texture.mode)?,
            _ => self.pass_over(Next::Key(key, offset), Key::EndOfTexture)?,
        }
        Ok(())
    }

    /// A texture's path from the game's folder.
    fn file_name(&mut self) -> Result<Cow<'a, str>, ParseError> {
        let offset = self.lexer.offset();
        let name = self.string("FILE_NAME")?;
        if leaves_folder(&name) {
            self.warn("file name", offset, |place| {
                let name = Quoted(&name);
                format!("{place}FILE_NAME {name} leads out of the game's folder, and is looked for in it")
            });
        }
        Ok(name)
    }

    /// Passes a picture whose form nobody knows.
    fn raw_image(&mut self, offset: u64) -> Result<(), ParseError> {
        self.check_text(offset)?;
        self.lexer.skip_to(Key::EndOfTexture.word().as_bytes());
        self.checked = self.lexer.position();
        self.warn("raw image", offset, |place| {
            format!("{place}the picture is in the file (RAW_IMAGE), where it cannot be read")
        });
        Ok(())
    }

    fn alpha_mode(&mut self) -> Result<AlphaMode, ParseError> {
        let offset = self.lexer.offset();
        let bits = self.integer("ALPHA_MODE")?;
        let (mode, is_known) = match bits {
            0 => (AlphaMode::Opaque, true),
            1 => (AlphaMode::Mask, true),
            8 => (AlphaMode::Blend, true),
            2.. => (AlphaMode::Blend, false),
            _ => (AlphaMode::Opaque, false),
        };
        if !is_known {
            self.warn("alpha mode", offset, |place| {
                format!(
                    "{place}ALPHA_MODE {bits} is neither 0, 1 nor 8, and taken as {}",
                    mode.bits()
                )
            });
        }
        Ok(mode)
    }

    /// How a coordinate is made.
    fn texgen(
        &mut self,
        of: Key,
        before: Option<TexGenKind>,
    ) -> Result<Option<TexGenKind>, ParseError> {
        let offset = self.lexer.offset();
        let kind = self.choice(of, "a way to make coordinates, such as SPHERE_MAP", |key| {
            Some(match key {
                Key::EyeLinear => TexGenKind::EyeLinear,
                Key::SphereMap => TexGenKind::SphereMap,
                Key::ReflectionMap => TexGenKind::ReflectionMap,
                Key::NormalMap => TexGenKind::NormalMap,
                _ => return None,
            })
        })?;
        if of == Key::TexGenR && kind == Some(TexGenKind::SphereMap) {
            self.warn("sphere map", offset, |place| {
                format!("{place}SPHERE_MAP makes no third coordinate, and is passed over")
            });
            return Ok(before);
        }
        Ok(kind.or(before))
    }

    fn mode(&mut self, before: TextureMode) -> Result<TextureMode, ParseError> {
        let mode = self.choice(Key::Mode, "a mode, such as MODULATE", |key| {
            Some(match key {
                Key::Replace => TextureMode::Replace,
                Key::Modulate => TextureMode::Modulate,
                Key::Decal => TextureMode::Decal,
                Key::Blend => TextureMode::Blend,
                Key::Add => TextureMode::Add,
                Key::Dot3Bump => TextureMode::Dot3Bump,
                _ => return None,
            })
        })?;
        Ok(mode.unwrap_or(before))
    }

    /// One of some words after a key. A word that nobody knows leaves all as it is.
    fn choice<T>(
        &mut self,
        of: Key,
        expected: &'static str,
        choose: impl FnOnce(Key) -> Option<T>,
    ) -> Result<Option<T>, ParseError> {
        let offset = self.lexer.offset();
        let word = self.lexer.peek();
        let Word::Key(name) = word else {
            return Err(self.unexpected(of.word(), expected));
        };
        let key = Key::of(name);
        let chosen = key.and_then(choose);
        // A key that goes elsewhere is no choice, but what comes after one that lacks.
        let is_lacking = chosen.is_none() && key.is_some();
        if is_lacking || chosen.is_none() && self.tolerance == Tolerance::Strict {
            return Err(self.unexpected(of.word(), expected));
        }
        self.lexer.pass(word);
        if chosen.is_none() {
            self.warn("choice", offset, |place| {
                format!(
                    "{place}{} {} is unknown, and passed over",
                    of.word(),
                    told(word)
                )
            });
        }
        Ok(chosen)
    }
}

/// Whether a path is absolute, has a drive, is on a network share, or goes up.
fn leaves_folder(path: &str) -> bool {
    const SEPARATORS: [char; 2] = ['/', '\\'];
    // Windows ignores dots and spaces at the end of a name.
    let goes_up = |part: &str| part.len() > 1 && part.trim_end_matches(['.', ' ']).is_empty();
    let mut parts = path.split(SEPARATORS);
    path.starts_with(SEPARATORS) || parts.any(|part| part.contains(':') || goes_up(part))
}
