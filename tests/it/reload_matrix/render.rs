//! No frame without the model: every frame from an edit on shows the old picture or the new one.
//!
//! Bevy's renderer compiles pipelines before it draws here, as the stage tells it to.

use crate::gpuless::Patience;
use crate::support::abc::bytes as abc_bytes;
use crate::support::abc_stage::tower;
use crate::support::alo_stage::{cuboid, stored, tga, turned};
use crate::support::fixtures::figure;
use crate::support::lgw_stage::{BEFORE, Quad, dds, material, model as lgw_bytes, texture};
use crate::support::stage::{Picture, Stage};
use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use bevy_classic_models::alamo::alo::write::{SubmeshBuffers, write};
use bevy_classic_models::alamo::alo::{AloFile, Bone, Mesh as AloMesh, Parameter};
use bevy_classic_models::lgw::text::TextureMode;
use bevy_classic_models::quake::mdl::Precision;
use bevy_classic_models::quake::mdl::write::SkinDocument;

/// Frames that are looked at from the first one that is another.
const FRAMES: usize = 15;

/// Turns of the task pool, at least one per frame, after which an edit is not expected to be seen.
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

/// What was photographed, by the numbers of frames.
#[derive(Resource, Default)]
struct Film(Vec<(usize, Picture)>);

struct Watched {
    stage: Stage,
    frames: usize,
}

impl Watched {
    fn new(model: &'static str, files: &[(&str, Vec<u8>)]) -> Self {
        let mut stage = Stage::watching(files);
        stage.world().init_resource::<Film>();
        stage.world().insert_resource(GlobalAmbientLight {
            brightness: 4000.0,
            ..default()
        });
        if model.ends_with("lgw") {
            stage.view_from(BEFORE);
        }
        let scene = format!("{model}#Scene");
        let scene = WorldAssetRoot(stage.world().resource::<AssetServer>().load(scene));
        let root = stage.world().spawn(scene).id();
        stage.headless.wait_until("the model is there", |world| {
            world.get::<Children>(root).is_some()
        });
        // Its pictures come when they come: at first there is nothing to keep.
        stage.wait_until_idle();
        Self { stage, frames: 0 }
    }

    fn write(&self, path: &str, bytes: &[u8]) {
        std::fs::write(self.stage.folder().join(path), bytes).unwrap();
    }

    /// One frame, which is photographed.
    fn step(&mut self) {
        let number = self.frames;
        self.frames += 1;
        let shot = Screenshot::image(self.stage.headless.target.clone());
        let develop = move |shot: On<ScreenshotCaptured>, mut film: ResMut<Film>| {
            let (texels, _) = shot.image.data.as_ref().unwrap().as_chunks::<4>();
            film.0.push((number, Picture(texels.to_vec())));
        };
        self.stage.world().spawn(shot).observe(develop);
        self.stage.headless.step(0.0);
    }

    /// All frames from the first that is not as before.
    #[track_caller]
    fn frames_of_an_edit(&mut self, old: &Picture) -> Vec<Picture> {
        let mut film = Vec::new();
        let mut first = None;
        let mut patience = Patience::new(PATIENCE);
        while !patience.is_exhausted() {
            patience.wait();
            self.step();
            let new = core::mem::take(&mut self.stage.world().resource_mut::<Film>().0);
            for (number, picture) in new {
                if first.is_none() && picture.different(old) > 0 {
                    first = Some(number);
                }
                film.push((number, picture));
            }
            let is_old = |(number, _): &(usize, Picture)| first.is_none_or(|first| *number < first);
            film.retain(|picture| !is_old(picture));
            if film.len() >= FRAMES {
                film.sort_by_key(|(number, _)| *number);
                let numbers = film.iter().map(|(number, _)| *number - film[0].0);
                assert!(numbers.eq(0..film.len()), "a frame was not photographed");
                return film.into_iter().map(|(_, picture)| picture).collect();
            }
        }
        panic!("the edit was never seen");
    }

    /// Fails if some frame shows neither what was there before nor what is there in the end.
    #[track_caller]
    fn assert_no_flicker(&mut self, what: &str, old: &Picture) -> Picture {
        let frames = self.frames_of_an_edit(old);
        let new = self.stage.capture();
        new.assert_is_not(old, what);
        for (number, frame) in frames.iter().enumerate() {
            let (from_old, from_new) = (frame.different(old), frame.different(&new));
            assert!(
                from_new == 0,
                "{what}: frame {number} differs from the old one in {from_old} pixels and from the \
                 new one in {from_new}, see {}",
                frame.save_beside(&new, what)
            );
        }
        new
    }
}

/// Fails unless most that is not background is more of one colour than of the others.
#[track_caller]
fn assert_is(picture: &Picture, color: [u8; 3]) {
    let channel = if color == RED { 0 } else { 1 };
    let background = picture.0[0];
    let shown = picture.0.iter().filter(|pixel| **pixel != background);
    let shown: Vec<_> = shown.collect();
    let is_right = |pixel: &&&[u8; 4]| (0..3).all(|other| pixel[other] <= pixel[channel]);
    let right = shown.iter().filter(is_right).count();
    assert!(
        shown.len() > 1500 && 4 * right > 3 * shown.len(),
        "{right} of {} pixels are so",
        shown.len()
    );
}

/// A picture of 4 × 4 texels becomes one of 8 × 8 in another kind of file and with levels, then one of
/// the same but for its colour, and so back.
fn a_picture_changes(model: &'static str, files: &[(&str, Vec<u8>)]) {
    let files = [files, &[("first.tga", small(RED))]].concat();
    let mut watched = Watched::new(model, &files);
    let mut old = watched.stage.capture();
    assert_is(&old, RED);
    for (bytes, color, how) in [
        (large(GREEN), GREEN, "larger"),
        (large(RED), RED, "of the same size"),
        (small(GREEN), GREEN, "smaller"),
    ] {
        watched.write("first.tga", &bytes);
        let new = watched.assert_no_flicker(&format!("{model}, picture {how}"), &old);
        assert_is(&new, color);
        old = new;
    }
}

/// A model changes its size and place and comes to wear a picture that nobody has loaded, then changes
/// back, and once more, the last time at once.
fn a_model_changes(
    model: &'static str,
    edited: &str,
    versions: [Vec<u8>; 2],
    files: &[(&str, Vec<u8>)],
) {
    let pictures = [
        ("first.tga", small(RED)),
        ("second.tga", large(GREEN)),
        (edited, versions[0].clone()),
    ];
    let mut watched = Watched::new(model, &[files, &pictures].concat());
    let mut old = watched.stage.capture();
    assert_is(&old, RED);
    for round in 1..4 {
        let version = round % 2;
        watched.write(edited, &versions[version]);
        let new = watched.assert_no_flicker(&format!("{model}, edit {round} of it"), &old);
        assert_is(&new, [RED, GREEN][version]);
        old = new;
    }
}

fn alo(picture: &'static str, size: f32) -> Vec<u8> {
    let (vertices, triangles) = cuboid([9.0 * size, 8.0, 10.0], [0.0, 0.0, 4.0]);
    let buffers = SubmeshBuffers::new(&vertices, &triangles);
    let place = [f64::from(size) * 5.0, 0.0, 0.0];
    let mut file = AloFile::new(vec![
        Bone::new("Root", None, [0.0; 3]),
        Bone {
            matrix: stored(&turned(2, f64::from(size) * 30.0, place)),
            ..Bone::new("Hull", Some(0), [0.0; 3])
        },
    ]);
    let parameters = vec![
        Parameter::float4("Specular", [0.0; 4]),
        Parameter::texture("BaseTexture", picture),
    ];
    let submesh = buffers.submesh("MeshGloss.fx", "alD3dVertNU2", parameters);
    file.meshes = vec![AloMesh::new("Hull", 1, vec![submesh])];
    write(&file).unwrap()
}

fn lgw(picture: &'static str, mode: TextureMode, size: f32) -> Vec<u8> {
    let mut texture = texture(picture, mode);
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

fn abc_meta(picture: &str, scale: f32) -> Vec<u8> {
    let settings = format!("(scale: {scale:?}, skins: [\"{picture}\"])");
    let loader = "bevy_classic_models::lithtech::loader::AbcLoader";
    let asset = format!("Load(loader: \"{loader}\", settings: {settings})");
    format!("(meta_format_version: \"1.0\", asset: {asset})").into_bytes()
}

/// Colours of Quake's palette, as red and as green as it has them.
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
fn alo_pictures_change_without_flicker() {
    a_picture_changes("box.alo", &[("box.alo", alo("first.tga", 1.0))]);
}

#[test]
fn alo_models_change_without_flicker() {
    let versions = [alo("first.tga", 1.0), alo("second.tga", 1.5)];
    a_model_changes("box.alo", "box.alo", versions, &[]);
}

#[test]
fn abc_pictures_change_without_flicker() {
    let files = [
        ("tower.abc", abc_bytes(&tower(None))),
        ("tower.abc.meta", abc_meta("first.tga", 1.0)),
    ];
    a_picture_changes("tower.abc", &files);
}

#[test]
fn abc_models_change_without_flicker() {
    let versions = [abc_meta("first.tga", 1.0), abc_meta("second.tga", 1.3)];
    let files = [("tower.abc", abc_bytes(&tower(None)))];
    a_model_changes("tower.abc", "tower.abc.meta", versions, &files);
}

#[test]
fn lgw_pictures_change_without_flicker() {
    for mode in [TextureMode::Modulate, TextureMode::Replace] {
        a_picture_changes("wall.lgw", &[("wall.lgw", lgw("first.tga", mode, 1.0))]);
    }
}

#[test]
fn lgw_models_change_without_flicker() {
    for mode in [TextureMode::Modulate, TextureMode::Replace] {
        let versions = [lgw("first.tga", mode, 1.0), lgw("second.tga", mode, 1.3)];
        a_model_changes("wall.lgw", "wall.lgw", versions, &[]);
    }
}

#[test]
fn lgw_models_change_their_kind_of_material_without_flicker() {
    let versions = [
        lgw("first.tga", TextureMode::Modulate, 1.0),
        lgw("second.tga", TextureMode::Replace, 1.3),
    ];
    a_model_changes("wall.lgw", "wall.lgw", versions, &[]);
}

#[test]
fn mdl_models_change_without_flicker() {
    a_model_changes(
        "figure.mdl",
        "figure.mdl",
        [mdl(RED_INDEX, 1.0), mdl(GREEN_INDEX, 1.3)],
        &[],
    );
}
