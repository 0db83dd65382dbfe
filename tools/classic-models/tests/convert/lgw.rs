//! Models of UFO: Aftermath.

use crate::reader::assert_same_set;
use crate::{Folder, samples};
use bevy::math::Vec3;
use classic_model_formats::lgw::{Tolerance, parse, write};
use classic_models_fixtures::lgw::everything;

#[test]
fn meshes_have_the_positions_of_the_file() {
    let folder = Folder::new();
    let path = samples().join("models/courier.lgw");
    let bytes = std::fs::read(&path).unwrap();
    let file = parse(&bytes, Tolerance::default()).unwrap();
    let model = folder.model(&path, &["--scale", "0.01"]);
    let positions = model.positions(None, 0.0);
    assert_eq!(positions.len(), file.meshes.len());
    for mesh in &file.meshes {
        let used = mesh.triangles().flatten();
        let expected: Vec<Vec3> = used
            .map(|index| Vec3::from_array(mesh.vertices.positions[index as usize]) * 0.01)
            .collect();
        assert_same_set(&positions[&*mesh.name], &expected, 1e-6, &mesh.name);
    }
}

#[test]
fn materials_have_textures_alpha_and_texture_units() {
    let folder = Folder::new();
    let path = samples().join("models/courier.lgw");
    let warnings = folder.convert(&[&path.display().to_string(), "a.glb"]);
    assert_eq!(warnings, "");
    let model = crate::reader::Model::read(&folder.path("a.glb"));
    let bytes = std::fs::read(&path).unwrap();
    let file = parse(&bytes, Tolerance::default()).unwrap();
    let mut textured = 0;
    for source in &file.materials {
        let material = model.named("materials", &source.name);
        let units = material["extras"]["textureUnits"].as_array().unwrap();
        assert_eq!(units.len(), source.textures.len());
        let base = &material["pbrMetallicRoughness"]["baseColorTexture"];
        let has_own = |texture: &&classic_model_formats::lgw::Texture<'_>| {
            !texture.cube_map && !texture.has_texgen()
        };
        assert_eq!(
            base.is_object(),
            source.textures.iter().any(|it| has_own(&it)),
            "{}",
            source.name
        );
        textured += usize::from(base.is_object());
    }
    assert!(textured > 3);
    let glass = file
        .materials
        .iter()
        .find(|it| it.textures[0].alpha_mode.bits() == 8);
    let glass = model.named("materials", &glass.unwrap().name);
    assert_eq!(glass["alphaMode"], "BLEND");
}

#[test]
fn missing_textures_are_warnings() {
    let folder = Folder::new();
    let bytes = std::fs::read(samples().join("models/courier.lgw")).unwrap();
    folder.write("courier.lgw", &bytes);
    let warnings = folder.convert(&["courier.lgw", "a.glb"]);
    let lines: Vec<&str> = warnings.lines().collect();
    let is_missing = |line: &&str| {
        line.starts_with("courier.lgw: warning: texture \"") && line.ends_with("\" not found")
    };
    assert!(
        lines.len() > 3 && lines.iter().all(is_missing),
        "{warnings}"
    );
    let unique: std::collections::BTreeSet<_> = lines.iter().collect();
    assert_eq!(unique.len(), lines.len(), "each once");
    assert_eq!(
        folder.convert(&["courier.lgw", "b.glb", "--no-textures"]),
        ""
    );
}

#[test]
fn everything_of_the_format_is_converted() {
    let folder = Folder::new();
    let input = folder.write("a.lgw", write(&everything()).unwrap().as_ref());
    let model = folder.model(&input, &[]);
    let materials = model.json["materials"].as_array().unwrap();
    assert_eq!(materials.len(), everything().materials.len());
    let root = &model.json["nodes"][0]["extras"];
    assert_eq!(root["name"], *everything().name);
    for mesh in &everything().meshes {
        assert_eq!(model.named("nodes", &mesh.name)["name"], *mesh.name);
    }
}
