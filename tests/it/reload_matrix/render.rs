//! Reloads do not flicker: every frame after an edit shows either the old image or the new one.
//!
//! The stage compiles pipelines synchronously, so that no frame lacks a mesh because of that.

use crate::support::abc::bytes as abc_bytes;
use crate::support::lgw_stage::Quad;
use crate::support::lgw_stage::{model as lgw_bytes, texture};
use crate::support::mdl::figure;
use crate::support::prelude::*;
use bevy_classic_models::alamo::alo::write::write;
use bevy_classic_models::alamo::alo::{Bone, Mesh as AloMesh};

/// The count of frames that are compared, from the first changed one.
const FRAMES: usize = 15;

/// Turns of the task pool, at least one in each frame, within which an edit must be visible.
const PATIENCE: usize = 5000;

const RED: [u8; 3] = [230, 20, 30];
const GREEN: [u8; 3] = [20, 210, 40];

/// 4 × 4 texels, one level.
fn small([r, g, b]: [u8; 3]) -> Vec<u8> {
    tga(&[[r, g, b, 255]; 16])
}

/// 8 × 8 texels, all levels.
fn large([r, g, b]: [u8; 3]) -> Vec<u8> {
    let levels = [8, 4, 2, 1].map(|side| vec![[r, g, b, 255]; side * side]);
    dds(&[levels.to_vec()])
}

/// Captured images with their frame indices.
#[derive(Resource, Default)]
struct CapturedFrames(Vec<(usize, Picture)>);

struct Watched {
    stage: Stage,
    root: Entity,
    frames: usize,
}

impl Watched {
    fn new(model: &'static str, files: &[(&str, Vec<u8>)]) -> Self {
        let mut stage = Stage::watching(files);
        stage.world().init_resource::<CapturedFrames>();
        stage.insert_resource(GlobalAmbientLight {
            brightness: 4000.0,
            ..default()
        });
        if model.ends_with("lgw") {
            stage.view_from(FRONT_VIEW);
        }
        let scene = format!("{model}#Scene");
        let scene = WorldAssetRoot(stage.server().load(scene));
        let root = stage.spawn_entity(scene);
        stage.wait_for("the model is spawned", |world| {
            world.get::<Children>(root).is_some()
        });
        // Textures may load later than the model: before the first edit there is no old image to keep.
        stage.wait_until_idle();
        Self {
            stage,
            root,
            frames: 0,
        }
    }

    fn write(&self, path: &str, bytes: &[u8]) {
        std::fs::write(self.stage.folder().join(path), bytes).unwrap();
    }

    /// Runs a frame and captures it.
    fn step(&mut self) {
        let index = self.frames;
        self.frames += 1;
        let shot = Screenshot::image(self.stage.headless.target.clone());
        let keep = move |shot: On<ScreenshotCaptured>, mut frames: ResMut<CapturedFrames>| {
            let (texels, _) = shot.image.data.as_ref().unwrap().as_chunks::<4>();
            frames.0.push((index, Picture(texels.to_vec())));
        };
        self.stage.world().spawn(shot).observe(keep);
        self.stage.headless.step(0.0);
    }

    /// All frames from the first changed one.
    #[track_caller]
    fn frames_of_an_edit(&mut self, old: &Picture) -> Vec<Picture> {
        let mut frames = Vec::new();
        let mut first = None;
        let mut patience = Patience::new(PATIENCE);
        while !patience.is_exhausted() {
            patience.wait();
            self.step();
            let new = core::mem::take(&mut self.stage.world().resource_mut::<CapturedFrames>().0);
            for (index, picture) in new {
                if first.is_none() && picture.different(old) > 0 {
                    first = Some(index);
                }
                frames.push((index, picture));
            }
            let is_old = |(index, _): &(usize, Picture)| first.is_none_or(|first| *index < first);
            frames.retain(|picture| !is_old(picture));
            if frames.len() >= FRAMES {
                frames.sort_by_key(|(index, _)| *index);
                let indices = frames.iter().map(|(index, _)| *index - frames[0].0);
                assert!(indices.eq(0..frames.len()), "a frame was not captured");
                return frames.into_iter().map(|(_, picture)| picture).collect();
            }
        }
        panic!("timeout: the edit is not visible");
    }

    /// Asserts that every frame shows the old image or the final one.
    #[track_caller]
    fn assert_no_flicker(&mut self, what: &str, old: &Picture) -> Picture {
        let frames = self.frames_of_an_edit(old);
        let new = self.stage.capture();
        new.assert_differs(old, what);
        for (index, frame) in frames.iter().enumerate() {
            let (from_old, from_new) = (frame.different(old), frame.different(&new));
            assert!(
                from_new == 0,
                "{what}: frame {index} differs from the old one in {from_old} pixels and from the \
                 new one in {from_new}, see {}",
                frame.save_beside(&new, what)
            );
        }
        new
    }
}

/// Asserts that a color channel dominates most pixels that are not background.
#[track_caller]
fn assert_color(picture: &Picture, color: [u8; 3]) {
    let channel = if color == RED { 0 } else { 1 };
    let background = picture.0[0];
    let shown = picture.0.iter().filter(|pixel| **pixel != background);
    let shown: Vec<_> = shown.collect();
    let is_dominant = |pixel: &&&[u8; 4]| (0..3).all(|other| pixel[other] <= pixel[channel]);
    let matching = shown.iter().filter(is_dominant).count();
    assert!(
        shown.len() > 1500 && 4 * matching > 3 * shown.len(),
        "{matching} of {} pixels have the color",
        shown.len()
    );
}

/// Edits a texture of 4 × 4 texels. The first edit has 8 × 8 texels, mip levels, and another file format. The second one has
/// another color, the third one again 4 × 4 texels. Returns whether the model keeps its entities.
fn assert_texture_edits_do_not_flicker(model: &'static str, files: &[(&str, Vec<u8>)]) -> bool {
    let files = [files, &[("first.tga", small(RED))]].concat();
    let mut watched = Watched::new(model, &files);
    let scene = watched.stage.children(watched.root);
    let mut old = watched.stage.capture();
    assert_color(&old, RED);
    for (bytes, color, how) in [
        (large(GREEN), GREEN, "larger"),
        (large(RED), RED, "of the same size"),
        (small(GREEN), GREEN, "smaller"),
    ] {
        watched.write("first.tga", &bytes);
        let new = watched.assert_no_flicker(&format!("{model}, texture {how}"), &old);
        assert_color(&new, color);
        old = new;
    }
    watched.stage.children(watched.root) == scene
}

/// Edits a model: another size, another position, and a texture that is not loaded yet. Then edits it back and once more.
fn assert_model_edits_do_not_flicker(
    model: &'static str,
    edited: &str,
    versions: [Vec<u8>; 2],
    files: &[(&str, Vec<u8>)],
) {
    let edited_files = [
        ("first.tga", small(RED)),
        ("second.tga", large(GREEN)),
        (edited, versions[0].clone()),
    ];
    let mut watched = Watched::new(model, &[files, &edited_files].concat());
    let mut old = watched.stage.capture();
    assert_color(&old, RED);
    for round in 1..4 {
        let version = round % 2;
        watched.write(edited, &versions[version]);
        let new = watched.assert_no_flicker(&format!("{model}, edit {round} of the model"), &old);
        assert_color(&new, [RED, GREEN][version]);
        old = new;
    }
}

fn alo(texture: &'static str, size: f32) -> Vec<u8> {
    let (vertices, triangles) = cuboid([9.0 * size, 8.0, 10.0], [0.0, 0.0, 4.0]);
    let buffers = SubmeshBuffers::new(&vertices, &triangles);
    let translation = [f64::from(size) * 5.0, 0.0, 0.0];
    let mut file = AloFile::new(vec![
        Bone::new("Root", None, [0.0; 3]),
        Bone {
            matrix: stored(&turned(2, f64::from(size) * 30.0, translation)),
            ..Bone::new("Hull", Some(0), [0.0; 3])
        },
    ]);
    let parameters = vec![
        Parameter::float4("Specular", [0.0; 4]),
        Parameter::texture("BaseTexture", texture),
    ];
    let submesh = buffers.submesh("MeshGloss.fx", "alD3dVertNU2", parameters);
    file.meshes = vec![AloMesh::new("Hull", 1, vec![submesh])];
    write(&file).unwrap()
}

fn lgw(file: &'static str, mode: TextureMode, size: f32) -> Vec<u8> {
    let mut texture = texture(file, mode);
    texture.mipmaps = true;
    let mut quads = [0, 1].map(|index| Quad::in_grid(index, 2));
    for quad in &mut quads {
        for corner in &mut quad.corners {
            *corner *= size;
        }
    }
    let materials = [0, 1].map(|id| material(id, vec![texture.clone()]));
    lgw_bytes(&materials, &quads)
}

fn abc_meta(skin: &str, scale: f32) -> Vec<u8> {
    let settings = format!("(scale: {scale:?}, skins: [\"{skin}\"])");
    let loader = "bevy_classic_models::lithtech::loader::AbcLoader";
    let asset = format!("Load(loader: \"{loader}\", settings: {settings})");
    format!("(meta_format_version: \"1.0\", asset: {asset})").into_bytes()
}

/// The reddest and the greenest color of Quake's palette.
const RED_INDEX: u8 = 79;
const GREEN_INDEX: u8 = 63;

fn mdl(color: u8, size: f32) -> Vec<u8> {
    let mut document = figure(Precision::Bits8);
    document.header.scale = document.header.scale.map(|scale| scale * size);
    document.frames.rotate_left(if size > 1.0 { 3 } else { 0 });
    let texels = (document.header.skin_width * document.header.skin_height) as usize;
    document.skins = vec![SkinDocument::Single(vec![color; texels])];
    document.to_bytes()
}

#[test]
fn alo_textures_reload_without_flicker() {
    let files = [("box.alo", alo("first.tga", 1.0))];
    let is_same_scene = assert_texture_edits_do_not_flicker("box.alo", &files);
    assert!(is_same_scene, "the model was reloaded");
}

#[test]
fn alo_models_reload_without_flicker() {
    let versions = [alo("first.tga", 1.0), alo("second.tga", 1.5)];
    assert_model_edits_do_not_flicker("box.alo", "box.alo", versions, &[]);
}

#[test]
fn abc_textures_reload_without_flicker() {
    let files = [
        ("tower.abc", abc_bytes(&tower(None))),
        ("tower.abc.meta", abc_meta("first.tga", 1.0)),
    ];
    assert_texture_edits_do_not_flicker("tower.abc", &files);
}

#[test]
fn abc_models_reload_without_flicker() {
    let versions = [abc_meta("first.tga", 1.0), abc_meta("second.tga", 1.3)];
    let files = [("tower.abc", abc_bytes(&tower(None)))];
    assert_model_edits_do_not_flicker("tower.abc", "tower.abc.meta", versions, &files);
}

#[test]
fn lgw_textures_reload_without_flicker() {
    for mode in [TextureMode::Modulate, TextureMode::Replace] {
        assert_texture_edits_do_not_flicker(
            "wall.lgw",
            &[("wall.lgw", lgw("first.tga", mode, 1.0))],
        );
    }
}

#[test]
fn lgw_models_reload_without_flicker() {
    for mode in [TextureMode::Modulate, TextureMode::Replace] {
        let versions = [lgw("first.tga", mode, 1.0), lgw("second.tga", mode, 1.3)];
        assert_model_edits_do_not_flicker("wall.lgw", "wall.lgw", versions, &[]);
    }
}

#[test]
fn lgw_models_change_the_material_type_without_flicker() {
    let versions = [
        lgw("first.tga", TextureMode::Modulate, 1.0),
        lgw("second.tga", TextureMode::Replace, 1.3),
    ];
    assert_model_edits_do_not_flicker("wall.lgw", "wall.lgw", versions, &[]);
}

#[test]
fn mdl_models_reload_without_flicker() {
    assert_model_edits_do_not_flicker(
        "figure.mdl",
        "figure.mdl",
        [mdl(RED_INDEX, 1.0), mdl(GREEN_INDEX, 1.3)],
        &[],
    );
}
