//! Detects the format of a model, an animation or a texture. It must not parse files.

use std::path::Path;

/// A format of files that are not archives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    Abc,
    Dtx,
    Lgw,
    Mdl,
    Alo,
    Ala,
    Particles,
}

impl FileFormat {
    /// The format by the first bytes, otherwise by the extension. `None` if both are unknown.
    pub fn known(path: &Path, bytes: &[u8]) -> Option<Self> {
        // The first chunks of an Alamo model, an Alamo animation, and the two kinds of particle systems.
        const SKELETON: [u8; 4] = 0x200_u32.to_le_bytes();
        const ANIMATION: [u8; 4] = 0x1000_u32.to_le_bytes();
        const PARTICLES: [u8; 4] = 0x900_u32.to_le_bytes();
        const PLUGINS: [u8; 4] = 0x1500_u32.to_le_bytes();
        // The name of a LithTech model's first chunk, with its length. Later versions start in the same way.
        const HEADER: &[u8] = b"\x06\0Header";
        let extensions = [
            ("abc", Self::Abc),
            ("dtx", Self::Dtx),
            ("lgw", Self::Lgw),
            ("alo", Self::Alo),
            ("ala", Self::Ala),
            ("mdl", Self::Mdl),
        ];
        let mut extensions = extensions.into_iter();
        let by_extension = extensions.find(|(extension, _)| has_extension(path, extension));
        Some(match bytes.first_chunk() {
            Some(b"IDPO" | b"MD16") => Self::Mdl,
            Some(&SKELETON) => Self::Alo,
            Some(&ANIMATION) => Self::Ala,
            Some(&PARTICLES | &PLUGINS) => Self::Particles,
            _ if bytes.starts_with(HEADER) => Self::Abc,
            _ if is_dtx(bytes) => Self::Dtx,
            _ if is_text_model(bytes) => Self::Lgw,
            _ => return by_extension.map(|(_, format)| format),
        })
    }
}

/// Whether a file starts like a LithTech texture: with a 0 and a version. The 0 alone is not distinctive.
fn is_dtx(bytes: &[u8]) -> bool {
    match bytes.as_chunks() {
        ([[0, 0, 0, 0], version, ..], _) => matches!(i32::from_le_bytes(*version), -5..=-2),
        _ => false,
    }
}

/// Whether the first whole word of a file is the keyword of a text model.
fn is_text_model(bytes: &[u8]) -> bool {
    const WORD: &[u8] = b"MODEL";
    let mut text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    loop {
        text = text.trim_ascii_start();
        if !text.starts_with(b"//") {
            break;
        }
        let end = text.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        text = text.get(end.unwrap_or(text.len())..).unwrap_or_default();
    }
    let Some((word, rest)) = text.split_at_checked(WORD.len()) else {
        return false;
    };
    let ends = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'"';
    word.eq_ignore_ascii_case(WORD) && rest.first().is_none_or(ends)
}

/// Whether a file has an extension, in any case.
pub fn has_extension(path: &Path, expected: &str) -> bool {
    let extension = path.extension();
    extension.is_some_and(|extension| extension.eq_ignore_ascii_case(expected))
}

/// Whether a file has the extension of a model.
pub fn is_model(path: &Path) -> bool {
    let extensions = ["mdl", "alo", "abc", "lgw"];
    extensions.iter().any(|it| has_extension(path, it))
}

/// Whether a file has the extension of glTF.
pub fn is_gltf(path: &Path) -> bool {
    has_extension(path, "glb") || has_extension(path, "gltf")
}

/// Whether a file has the extension of a manifest, `.model.ron`.
pub fn is_manifest(file: &Path) -> bool {
    let stem = file.file_stem().map(Path::new);
    has_extension(file, "ron") && stem.is_some_and(|stem| has_extension(stem, "model"))
}

/// Whether a file has the extension of a texture.
pub fn is_texture(path: &Path) -> bool {
    is_picture(path) || has_extension(path, "dtx")
}

/// Whether a file has the extension of a texture, or of an image that can become one.
pub fn is_image(path: &Path) -> bool {
    let extensions = ["png", "jpg", "jpeg"];
    is_texture(path) || extensions.iter().any(|it| has_extension(path, it))
}

/// Whether a file is a DDS or TGA image, by its extension. TGA images have no distinctive first bytes.
pub fn is_picture(path: &Path) -> bool {
    has_extension(path, "dds") || has_extension(path, "tga")
}
