//! Parses `MATERIAL_LIST` and the blocks in it.

use super::super::file::{AlphaMode, Material, TexGenKind, Texture, TextureMode};
use super::super::key::Key;
use super::super::lexer::Token;
use super::super::tolerance::Tolerance;
use super::{NextKey, Parser, token_text};
use crate::read::{ParseError, Quoted};
use std::borrow::Cow;

/// Minimum size of a material in bytes of text.
const MIN_MATERIAL_SIZE: usize = 32;

impl<'a> Parser<'a> {
    pub(super) fn material_list(
        &mut self,
        materials: &mut Vec<Material<'a>>,
    ) -> Result<(), ParseError> {
        const END: Key = Key::EndOfMaterialList;
        loop {
            match self.next(END)? {
                NextKey::Key(Key::Material, offset) => {
                    self.check_block_count(materials.len(), MIN_MATERIAL_SIZE, offset, "MATERIAL")?;
                    let material = self.material()?;
                    let id = material.id;
                    if !self.material_ids.insert(id) {
                        self.warn("material", offset, |_| {
                            format!("material {id} is defined more than once: the first is used")
                        });
                    }
                    materials.push(material);
                }
                NextKey::Key(END, _) => return Ok(()),
                next => self.ignore_key(next, END)?,
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
        self.path.enter("material", material.id, name);
        let mut second_offset = 0;
        loop {
            match self.next(END)? {
                NextKey::Key(Key::DiffuseColor, _) => {
                    material.diffuse_color = Some(self.floats("DIFFUSE_COLOR")?);
                }
                NextKey::Key(Key::Texture, offset) => {
                    let texture = self.texture()?;
                    if texture.number == 1 {
                        second_offset = offset;
                    }
                    self.add_texture(texture, &mut material.textures, offset);
                }
                NextKey::Key(END, _) => {
                    material.textures.sort_by_key(|texture| texture.number);
                    if let [Texture { number: 1, .. }] = *material.textures {
                        self.warn("lone texture", second_offset, |path| {
                            format!("{path}TEXTURE 0 is missing: TEXTURE 1 is used for it")
                        });
                    }
                    break;
                }
                next => self.ignore_key(next, END)?,
            }
        }
        self.path.leave();
        Ok(material)
    }

    /// Adds a texture to its material.
    fn add_texture(&mut self, texture: Texture<'a>, textures: &mut Vec<Texture<'a>>, offset: u64) {
        let number = texture.number;
        if !matches!(number, 0 | 1) {
            self.warn("texture", offset, |path| {
                format!("{path}TEXTURE {number} is ignored: only 0 and 1 are valid")
            });
        } else if let Some(existing) = textures.iter_mut().find(|other| other.number == number) {
            *existing = texture;
            self.warn("repeated texture", offset, |path| {
                format!("{path}TEXTURE {number} is defined more than once: the last is used")
            });
        } else {
            // Most materials have one texture.
            textures.reserve_exact(1);
            textures.push(texture);
        }
    }

    fn texture(&mut self) -> Result<Texture<'a>, ParseError> {
        let mut texture = Texture {
            number: self.integer("TEXTURE")?,
            ..Texture::default()
        };
        self.path.enter("texture", texture.number, None);
        let end = loop {
            match self.next(Key::EndOfTexture)? {
                NextKey::Key(Key::EndOfTexture, offset) => break offset,
                NextKey::Key(key, offset) => self.texture_key(key, offset, &mut texture)?,
                next => self.ignore_key(next, Key::EndOfTexture)?,
            }
        };
        if texture.file.as_deref().unwrap_or_default().is_empty() && !texture.raw_image {
            self.warn("no file name", end, |path| {
                format!("{path}FILE_NAME is missing")
            });
        }
        self.path.leave();
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
            Key::TexGenSKoef | Key::TexGenSKoe => [s.coefficient] = self.floats(key.keyword())?,
            Key::TexGenTKoef | Key::TexGenTKoe => [t.coefficient] = self.floats(key.keyword())?,
            Key::TexGenRKoef | Key::TexGenRKoe => [r.coefficient] = self.floats(key.keyword())?,
            Key::Mode => texture.mode = self.mode(texture.mode)?,
            _ => self.ignore_key(NextKey::Key(key, offset), Key::EndOfTexture)?,
        }
        Ok(())
    }

    /// The path of a texture, relative to the game's folder.
    fn file_name(&mut self) -> Result<Cow<'a, str>, ParseError> {
        let offset = self.lexer.offset();
        let name = self.string("FILE_NAME")?;
        if leaves_folder(&name) {
            self.warn("file name", offset, |path| {
                let name = Quoted(&name);
                format!("{path}FILE_NAME {name} is not inside the game's folder: it is searched for there")
            });
        }
        Ok(name)
    }

    /// Skips an embedded image, whose format is unknown.
    fn raw_image(&mut self, offset: u64) -> Result<(), ParseError> {
        self.check_text(offset)?;
        self.lexer.skip_to(Key::EndOfTexture.keyword().as_bytes());
        self.nul_checked_to = self.lexer.position();
        self.warn("raw image", offset, |path| {
            format!("{path}RAW_IMAGE (an embedded image) is not supported")
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
            self.warn("alpha mode", offset, |path| {
                format!(
                    "{path}ALPHA_MODE is {bits}, but must be 0, 1 or 8: {} is used",
                    mode.bits()
                )
            });
        }
        Ok(mode)
    }

    /// The kind of texture coordinate generation after one of the keys `TEX_GEN_S`, `TEX_GEN_T` and `TEX_GEN_R`.
    /// `previous` stays if the value is ignored.
    fn texgen(
        &mut self,
        key: Key,
        previous: Option<TexGenKind>,
    ) -> Result<Option<TexGenKind>, ParseError> {
        let offset = self.lexer.offset();
        let expected = "a kind of texture coordinate generation, such as SPHERE_MAP";
        let kind = self.choice(key, expected, |value| {
            Some(match value {
                Key::EyeLinear => TexGenKind::EyeLinear,
                Key::SphereMap => TexGenKind::SphereMap,
                Key::ReflectionMap => TexGenKind::ReflectionMap,
                Key::NormalMap => TexGenKind::NormalMap,
                _ => return None,
            })
        })?;
        if key == Key::TexGenR && kind == Some(TexGenKind::SphereMap) {
            self.warn("sphere map", offset, |path| {
                format!("{path}TEX_GEN_R SPHERE_MAP is ignored: SPHERE_MAP has no R coordinate")
            });
            return Ok(previous);
        }
        Ok(kind.or(previous))
    }

    fn mode(&mut self, previous: TextureMode) -> Result<TextureMode, ParseError> {
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
        Ok(mode.unwrap_or(previous))
    }

    /// Reads one of several keywords after a key. Returns `None` for an unknown word, which is ignored with a warning.
    fn choice<T>(
        &mut self,
        key: Key,
        expected: &'static str,
        choose: impl FnOnce(Key) -> Option<T>,
    ) -> Result<Option<T>, ParseError> {
        let offset = self.lexer.offset();
        let token = self.lexer.peek();
        let Token::Key(name) = token else {
            return Err(self.unexpected(key.keyword(), expected));
        };
        let value = Key::from_keyword(name);
        let chosen = value.and_then(choose);
        // Another keyword of the format is not a wrong value: the value is missing, and the next key follows.
        let is_missing = chosen.is_none() && value.is_some();
        if is_missing || chosen.is_none() && self.tolerance == Tolerance::Strict {
            return Err(self.unexpected(key.keyword(), expected));
        }
        self.lexer.advance(token);
        if chosen.is_none() {
            self.warn("choice", offset, |path| {
                format!(
                    "{path}{} {} is unknown and ignored",
                    key.keyword(),
                    token_text(token)
                )
            });
        }
        Ok(chosen)
    }
}

/// Whether a path is absolute, has a drive, is on a network share, or has `..`.
fn leaves_folder(path: &str) -> bool {
    const SEPARATORS: [char; 2] = ['/', '\\'];
    // Windows ignores dots and spaces at the end of a name.
    let is_parent = |part: &str| part.len() > 1 && part.trim_end_matches(['.', ' ']).is_empty();
    let mut parts = path.split(SEPARATORS);
    path.starts_with(SEPARATORS) || parts.any(|part| part.contains(':') || is_parent(part))
}
