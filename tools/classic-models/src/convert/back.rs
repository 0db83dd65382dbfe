//! Converts glTF files to those of games.

use crate::convert::images;
use crate::convert::mdl::palette;
use crate::convert::model::{Request, Written, model_name};
use crate::convert::particles::ParsedSystem;
use crate::engines::{self, ENGINES};
use crate::paths::entry_pattern::check_name;
use classic_model_formats::mdl::Precision;
use classic_models_gltf_import::{Dithering, Palette, Pixels, Scene, abc, alo, lgw, mdl};
use std::collections::BTreeMap;
use std::path::Path;

/// Converts the bytes of a glTF file to those of a Quake model.
///
/// # Errors
/// If the file is damaged, or the model exceeds a limit of an engine of the options.
pub fn mdl(bytes: &[u8], request: &Request<'_>) -> Result<Written, String> {
    let options = request.options;
    let scene = read(bytes, request)?;
    let palette = Palette(*palette(request)?.0);
    let options = mdl::Options {
        scale: options.stated_scale(),
        palette: &palette,
        dithering: match options.dither {
            true => Dithering::FloydSteinberg,
            false => Dithering::None,
        },
        hole_index: options.hole_index,
        precision: options.bits.map(|bits| match bits {
            16.. => Precision::Bits16,
            _ => Precision::Bits8,
        }),
        clips: &options.clips,
        groups: &options.groups,
    };
    let converted = mdl::convert(&scene, &options).map_err(|error| error.to_string())?;
    let bytes = converted.document.to_bytes();
    let file = classic_model_formats::mdl::parse(&bytes).map_err(|error| error.to_string())?;
    let mut warnings = converted.warnings;
    let wanted = &request.options.engine;
    let engines = if wanted.is_empty() {
        &ENGINES[..]
    } else {
        wanted
    };
    for limit in engines::of_model(&file, engines) {
        if !limit.is_warning && !wanted.is_empty() {
            return Err(limit.to_string());
        }
        warnings.push(limit.to_string());
    }
    Ok(Written::new(bytes, warnings))
}

/// Converts the bytes of a glTF file to those of a model of UFO: Aftermath, and its textures.
///
/// # Errors
/// If the file is damaged, or has names that the format cannot store.
pub fn lgw(bytes: &[u8], request: &Request<'_>) -> Result<Written, String> {
    let scene = read(bytes, request)?;
    let name = model_name(request.path);
    let converted = lgw::convert(&scene, &name, request.options.stated_scale());
    let converted = converted.map_err(|error| error.to_string())?;
    let written = classic_model_formats::lgw::write(&converted.file);
    Ok(Written {
        bytes: written.map_err(|error| error.to_string())?,
        beside: encoded(converted.textures, request)?,
        warnings: converted.warnings,
    })
}

/// Converts the bytes of a glTF file to those of an Alamo model, with its animations and textures, or of a particle system.
///
/// # Errors
/// If the file is damaged, or has values that the format cannot store.
pub fn alo(bytes: &[u8], request: &Request<'_>, output: &Path) -> Result<Written, String> {
    let scene = read(bytes, request)?;
    if let Some(values) = scene.extra("alo particles", "particles") {
        let file = ParsedSystem::from_json(values);
        return file
            .map_err(|error| format!("particles: {error}"))?
            .written();
    }
    let options = alo::Options {
        scale: request.options.stated_scale(),
        clips: &request.options.clips,
    };
    let converted = alo::convert(&scene, &options);
    let converted = converted.map_err(|error| error.to_string())?;
    let mut beside = encoded(converted.textures, request)?;
    let stem = model_name(output);
    for (name, bytes) in converted.animations {
        let name = format!("{stem}_{name}.ala");
        check_name(&name).map_err(|error| format!("animation file {name:?}: {error}"))?;
        beside.insert(name, bytes);
    }
    Ok(Written {
        bytes: converted.bytes,
        beside,
        warnings: converted.warnings,
    })
}

/// Converts the bytes of a glTF file to those of a LithTech model, and its skin.
///
/// # Errors
/// If the file is damaged, or has values that the format cannot store.
pub fn abc(bytes: &[u8], request: &Request<'_>, output: &Path) -> Result<Written, String> {
    let scene = read(bytes, request)?;
    let options = abc::Options {
        name: &model_name(output),
        scale: request.options.stated_scale(),
        clips: &request.options.clips,
        lods: request.options.lods,
    };
    let converted = abc::convert(&scene, &options);
    let converted = converted.map_err(|error| error.to_string())?;
    let written = classic_model_formats::abc::write::write(&converted.document);
    Ok(Written {
        bytes: written.map_err(|error| error.to_string())?,
        beside: encoded(converted.textures, request)?,
        warnings: converted.warnings,
    })
}

/// The files of new textures.
fn encoded(
    textures: BTreeMap<String, Pixels>,
    request: &Request<'_>,
) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let wanted = textures
        .into_iter()
        .filter(|_| !request.options.no_textures);
    let encoded = wanted.map(|(name, texture)| {
        check_name(&name).map_err(|error| format!("texture {error}"))?;
        let bytes = images::encode(&name, texture, request.options)?;
        Ok((name, bytes))
    });
    encoded.collect()
}

/// Reads a glTF file, and the files that it names.
fn read(bytes: &[u8], request: &Request<'_>) -> Result<Scene, String> {
    let folder = request.path.parent();
    let read = |path: &str| {
        let path = folder.map_or_else(|| path.into(), |folder| folder.join(path));
        request.files.read(&path)
    };
    Scene::read(bytes, &read).map_err(|error| error.to_string())
}
