//! `courier.lgw`: a three-wheeled van with cargo, and its textures.
//!
//! Parts are solids and surfaces (`cab`, `bed`, `cargo`, `canvas`, `gear`). This module converts
//! them to meshes of lists, strips and fans (`mesh_builder`).

mod bed;
mod cab;
mod canvas;
mod cargo;
mod floor;
mod gear;
mod marks;
mod materials;
mod mesh_builder;
mod paint;
mod shapes;
mod textures;

use crate::alamo::SampleFile;
use crate::alamo::image::Image;
use crate::alamo::shape::{Face, Solid};
use crate::alamo::sheet::Sheet;
use bevy::prelude::*;
use bevy_classic_models::lgw::lgw::{LgwFile, Mesh, Tolerance, parse, write};
use materials::{CHROME, DULL, GLASS, LENS, PAINT, ROPE, RUBBER, WIRE, WOOD, color};
use mesh_builder::{MeshBuilder, UvMap, reversed};
use shapes::Surface;
use std::error::Error;

/// The range of ambient occlusion, in decimeters.
const REACH: f32 = 6.0;

/// The parts that are painted on sheets.
struct Parts {
    painted: Vec<Solid>,
    dull: Vec<Solid>,
    mudguards: [Surface; 3],
    discs: Vec<Surface>,
    tarpaulin: Surface,
    curtain: Solid,
    drum: cargo::Drum,
    pipes: [Surface; 2],
}

impl Parts {
    fn new() -> Self {
        let wheels = gear::wheels();
        let discs = wheels
            .iter()
            .flat_map(|transform| gear::disc().map(|disc| disc.transformed(transform)));
        Self {
            painted: cab::painted(),
            dull: [cab::dull(), bed::dull()].concat(),
            mudguards: cab::mudguards(),
            discs: discs.collect(),
            tarpaulin: canvas::tarpaulin(),
            curtain: canvas::curtain(),
            drum: cargo::drum(),
            pipes: [gear::exhaust(), canvas::hoop()],
        }
    }

    /// The parts on the `load` sheet, which has all dull parts.
    fn on_load_sheet(&self) -> Vec<&Solid> {
        let surfaces = self.mudguards.iter().chain(&self.discs).chain(&self.pipes);
        let surfaces = surfaces.chain([&self.tarpaulin, &self.drum.side]);
        let solids = self.dull.iter().chain([&self.curtain, &self.drum.lid]);
        solids
            .chain(surfaces.map(|surface| &surface.solid))
            .collect()
    }
}

/// The model and its textures.
pub fn files() -> Result<Vec<SampleFile>, Box<dyn Error>> {
    let parts = Parts::new();
    let [paint, load] = [parts.painted.iter().collect(), parts.on_load_sheet()];
    let size = UVec2::splat(256);
    let sheets =
        [&paint, &load].map(|solids| Sheet::new(solids, size, paint::weight).with_reach(REACH));
    println!(
        "courier: {} and {} texels per decimeter",
        sheets[0].density(),
        sheets[1].density()
    );
    // The two groups occlude each other, and crates occlude both.
    let crates = cargo::crates();
    let painted: Vec<&Solid> = paint.iter().chain(&load).copied().chain(&crates).collect();
    let [paint, load] = [0, 1].map(|sheet: usize| {
        let [base, _] = sheets[sheet].paint(&painted, paint::ink);
        base.to_dxt5()
    });
    let file = LgwFile {
        name: "courier".into(),
        version: Some(4),
        source: Some(r"Q:\WorkData\Tactical\MaxModels\cars\courier.max".into()),
        materials: materials::materials(),
        meshes: meshes(&parts, &sheets, &crates),
        ..LgwFile::default()
    };
    let mut files = vec![model("models/courier.lgw", &file)?];
    files.extend([
        ("textures/courier_paint.dds", paint),
        ("textures/courier_load.dds", load),
        (
            "textures/courier_sky.dds",
            Image::cube_to_dxt5(&textures::sky()),
        ),
        ("textures/courier_glass.tga", textures::glass().to_tga()),
        ("textures/courier_lens.tga", textures::lens().to_tga()),
        ("textures/courier_planks.tga", textures::planks().to_tga()),
        ("textures/courier_rope.tga", textures::rope().to_tga()),
        ("textures/courier_tyre.tga", textures::tire().to_tga()),
        ("textures/courier_wire.tga", textures::wire().to_tga()),
    ]);
    Ok(files)
}

/// Serializes a model; a warning of its own parser is an error.
fn model(path: &'static str, file: &LgwFile<'_>) -> Result<SampleFile, Box<dyn Error>> {
    let bytes = write(file)?;
    let read = parse(&bytes, Tolerance::Strict)?;
    if let Some(warning) = read.warnings.first() {
        return Err(format!("{path}: {warning}").into());
    }
    println!(
        "{path}: {} materials, {} meshes, {} vertices, {} triangles, {} bytes",
        read.materials.len(),
        read.meshes.len(),
        read.meshes
            .iter()
            .map(|mesh| mesh.vertices.len())
            .sum::<usize>(),
        read.meshes
            .iter()
            .map(|mesh| mesh.triangles().count())
            .sum::<usize>(),
        bytes.len(),
    );
    Ok((path, bytes))
}

fn meshes(parts: &Parts, sheets: &[Sheet; 2], crates: &[Solid]) -> Vec<Mesh<'static>> {
    let [paint, load] = sheets
        .each_ref()
        .map(|sheet| |face: &Face, uv: Vec2| sheet.uv(face, uv));
    let mut meshes = vec![body(parts, &paint)];
    meshes.extend(load_bed(parts, &load));
    meshes.extend(wheels());
    meshes.extend(chrome());
    meshes.extend(crates_and_net(crates));
    meshes.extend(glass());
    meshes
}

fn finished(builder: MeshBuilder<'_>, name: &'static str, material: i64) -> Mesh<'static> {
    builder.finished(name, material, color(material))
}

fn body(parts: &Parts, paint: UvMap<'_>) -> Mesh<'static> {
    let mut body = MeshBuilder::new(paint);
    body.list(&parts.painted);
    finished(body, "Body", PAINT)
}

/// The meshes of the `load` sheet. Thin surfaces exist twice, with opposite normals.
fn load_bed(parts: &Parts, load: UvMap<'_>) -> [Mesh<'static>; 4] {
    let mut chassis = MeshBuilder::new(load);
    chassis.list(&parts.dull);
    let mut pipes = MeshBuilder::new(load);
    for pipe in &parts.pipes {
        pipes.stitched(&pipe.solid, pipe.faces);
    }
    pipes.stitched(&parts.drum.side.solid, parts.drum.side.faces);
    pipes.fan(&parts.drum.lid);
    let mut discs = MeshBuilder::new(load);
    for disc in &parts.discs {
        discs.stitched(&disc.solid, disc.faces);
    }
    for guard in &parts.mudguards {
        discs.stitched(&guard.solid, guard.faces);
        discs.stitched(&reversed(guard.solid.clone()), guard.faces);
    }
    let mut cloth = MeshBuilder::new(load);
    let tarpaulin = &parts.tarpaulin;
    cloth.strips(&tarpaulin.solid, tarpaulin.faces);
    cloth.strips(&reversed(tarpaulin.solid.clone()), tarpaulin.faces);
    cloth.fan(&parts.curtain);
    cloth.fan(&reversed(parts.curtain.clone()));
    [
        finished(chassis, "Chassis + bed", DULL),
        finished(pipes, "Pipes, drum", DULL),
        finished(discs, "Wheel discs", DULL),
        finished(cloth, "Tarpaulin", DULL),
    ]
}

fn wheels() -> [Mesh<'static>; 2] {
    // The texture repeats eight times around, and once across.
    let tire = gear::tire();
    let corners = || tire.solid.faces.iter().flat_map(|face| &face.corners);
    let least = corners()
        .map(|corner| corner.uv)
        .fold(Vec2::INFINITY, Vec2::min);
    let size = corners()
        .map(|corner| corner.uv - least)
        .fold(Vec2::ZERO, Vec2::max);
    let around = move |_: &Face, uv: Vec2| (uv - least) / size * Vec2::new(8.0, 1.0);
    let mut tires = MeshBuilder::new(&around);
    let mut caps = MeshBuilder::new(&|_, _| Vec2::ZERO);
    for transform in gear::wheels() {
        let tire = gear::tire().transformed(&transform);
        tires.stitched(&tire.solid, tire.faces);
        let (side, dome) = gear::hub_cap();
        caps.strips(&side.solid.transformed(&transform), side.faces)
            .dome(&dome.transformed(&transform));
    }
    [
        finished(tires, "Tyres", RUBBER),
        finished(caps, "Hub caps", CHROME),
    ]
}

fn chrome() -> [Mesh<'static>; 2] {
    let bare = |_: &Face, _: Vec2| Vec2::ZERO;
    let mut bright = MeshBuilder::new(&bare);
    let fittings = gear::fittings();
    let mirrors = [gear::mirror_arm(), gear::mirror_arm().mirrored()];
    let (back, glass) = gear::mirror();
    bright.list(&fittings);
    for pipe in [gear::bumper(), gear::surround(), gear::horn()]
        .iter()
        .chain(&mirrors)
    {
        bright.stitched(&pipe.solid, pipe.faces);
    }
    bright.stitched(&back.solid, back.faces).fan(&glass);
    let back = back.mirrored();
    bright
        .stitched(&back.solid, back.faces)
        .fan(&glass.mirrored(|bone| bone));
    for transform in gear::lamps() {
        let lamp = gear::lamp().transformed(&transform);
        bright.strips(&lamp.solid, lamp.faces);
    }
    let mut lenses = MeshBuilder::new(&bare);
    for transform in gear::lamps() {
        lenses.dome(&gear::lens().transformed(&transform));
    }
    [
        finished(bright, "Chrome", CHROME),
        finished(lenses, "Head lamps", LENS),
    ]
}

/// Crates, whose planks repeat every four decimeters, and the net over them.
fn crates_and_net(crates: &[Solid]) -> [Mesh<'static>; 2] {
    let planks = |_: &Face, uv: Vec2| uv / 4.0;
    let mut wood = MeshBuilder::new(&planks);
    wood.list(crates);
    let knots = |_: &Face, uv: Vec2| uv / 1.5;
    let mut rope = MeshBuilder::new(&knots);
    let net = cargo::net();
    rope.strips(&net.solid, net.faces);
    rope.strips(&reversed(net.solid), net.faces);
    [finished(wood, "Crates", WOOD), finished(rope, "Net", ROPE)]
}

fn glass() -> [Mesh<'static>; 2] {
    // The left half of the texture is cracked.
    let halves = |face: &Face, uv: Vec2| {
        let whole = f32::from(u8::from(face.chart != "cracked"));
        (uv + Vec2::X * whole) * Vec2::new(0.5, 1.0)
    };
    let mut windows = MeshBuilder::new(&halves);
    for pane in cab::windows() {
        windows.fan(&pane).fan(&reversed(pane.clone()));
    }
    let wires = |face: &Face, uv: Vec2| {
        if face.chart == "grille" {
            uv
        } else {
            uv * Vec2::new(8.0, 5.0)
        }
    };
    let mut wire = MeshBuilder::new(&wires);
    let torn = cab::side_window(-1.0);
    wire.fan(&cab::grille())
        .fan(&torn)
        .fan(&reversed(torn.clone()));
    [
        finished(windows, "Windows", GLASS),
        finished(wire, "Wire", WIRE),
    ]
}
