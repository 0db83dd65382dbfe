//! `warden.abc`: a hooded guard with a glaive, cape and tabard, and its skins.

mod body;
mod clips;
mod cloth;
mod document;
mod glaive;
mod limbs;
mod marks;
mod paint;
mod pose;
mod rig;

use crate::alamo::SampleFile;
use crate::alamo::shape::Solid;
use crate::alamo::sheet::Sheet;
use crate::lithtech::lods::build_lods;
use crate::lithtech::skin::dtx;
use bevy::math::UVec2;
use bevy_classic_models::lithtech::abc::parse;
use bevy_classic_models::lithtech::abc::write::write;
use std::error::Error;

/// Triangles of the coarsest level of detail.
const FEWEST: usize = 120;

/// The weight of a node's surface in the levels of detail.
fn importance(node: usize) -> f32 {
    match node {
        rig::HEAD => 5.0,
        rig::GLAIVE => 3.0,
        rig::TORSO => 2.5,
        rig::CAPE => 1.5,
        _ => 1.0,
    }
}

/// The model and its skins.
pub fn files() -> Result<Vec<SampleFile>, Box<dyn Error>> {
    let cloths = cloth::cloths();
    let mut solids = body::solids();
    solids.extend(limbs::solids());
    solids.extend(glaive::solids());
    solids.extend(cloths.iter().flat_map(cloth::Cloth::solids));
    let all: Vec<&Solid> = solids.iter().collect();
    let sheet = Sheet::new(&all, UVec2::splat(256), paint::weight);
    println!("warden: {} texels per unit", sheet.density());
    let mut document = document::document(&solids, &sheet, &cloths);
    build_lods(&mut document, FEWEST, importance)?;
    let bytes = write(&document)?;
    let file = parse(&bytes)?;
    if let Some(warning) = file.warnings.first() {
        return Err(format!("warden.abc: {warning}").into());
    }
    println!(
        "warden.abc: {} nodes, {} vertices, {} triangles, {} levels of detail, {} animations, {} bytes",
        file.nodes.len(),
        file.geometry.base_vertices,
        file.geometry.triangles.len(),
        file.geometry.lods,
        file.animations.len(),
        bytes.len(),
    );
    let mut files = vec![("models/warden.abc", bytes)];
    for (path, dye) in [
        ("skins/warden.dtx", &paint::EMBER),
        ("skins/warden_frost.dtx", &paint::FROST),
    ] {
        let [base, _] = sheet.paint(&all, |texel| paint::ink(texel, dye));
        files.push((path, dtx(&base, dye.glow)?));
    }
    Ok(files)
}
