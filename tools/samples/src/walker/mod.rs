//! `walker.alo`: a walking machine with all features of an Alamo model, and its animations.

mod body;
mod cab;
mod canopy;
mod clips;
mod effects;
mod guns;
mod legs;
mod marks;
mod material;
mod paint;
mod skeleton;
mod textures;

use crate::alamo::shape::Solid;
use crate::alamo::sheet::Sheet;
use crate::alamo::{self, SampleFile};
use bevy::math::UVec2;
use bevy_classic_models::alamo::alo::{AloFile, Mesh};
use material::MaterialKind;
use skeleton::Rig;
use std::error::Error;

/// A mesh definition.
struct Plan {
    name: &'static str,
    bone: &'static str,
    parts: Vec<(MaterialKind, Vec<Solid>)>,
    hidden: bool,
}

impl Plan {
    fn new(
        name: &'static str,
        bone: &'static str,
        material: MaterialKind,
        solids: Vec<Solid>,
    ) -> Self {
        Self {
            name,
            bone,
            parts: vec![(material, solids)],
            hidden: false,
        }
    }

    /// Adds another part.
    fn with(mut self, material: MaterialKind, solids: Vec<Solid>) -> Self {
        self.parts.push((material, solids));
        self
    }

    /// Returns the mesh, hidden until something shows it.
    fn hidden(self) -> Self {
        Self {
            hidden: true,
            ..self
        }
    }
}

fn joined(lists: impl IntoIterator<Item = Vec<Solid>>) -> Vec<Solid> {
    lists.into_iter().flatten().collect()
}

/// All meshes. Rigid meshes are attached to the bone that moves them.
fn plans(rig: &Rig) -> Vec<Plan> {
    use MaterialKind::{
        Armor, Beam, Collision, Emitter, Glass, Glow, Hose, Lamp, Legs, Metal, Shadow,
    };
    let [left_gun, right_gun] = guns::guns(rig);
    let [antenna_foot, mast] = cab::antenna(rig);
    let mut plans = vec![
        Plan::new("Cab_LOD0", "Turret", Armor, cab::far_shell()),
        Plan::new(
            "Cab_LOD1",
            "Turret",
            Armor,
            joined([cab::shell(), cab::fittings(rig), canopy::frame()]),
        ),
        Plan::new("Hull_LOD0", "Body", Armor, body::far()),
        Plan::new(
            "Hull_LOD1",
            "Body",
            Armor,
            joined([body::hull(), body::fittings()]),
        ),
        Plan::new("Exhausts", "Body", Metal, body::exhausts(rig)),
        Plan::new("Nose_ALT0", "Turret", Armor, cab::nose()),
        Plan::new("Nose_ALT1", "Turret", Armor, cab::burnt_nose()),
        Plan::new("Skirts_ALT0", "Body", Armor, body::skirts()),
        Plan::new("Skirts_ALT1", "Body", Armor, body::burnt_skirts()),
        Plan::new("Hips", "Hips", Armor, body::hips()),
        Plan::new("Gun_L", "Gun_L", Armor, left_gun),
        Plan::new("Gun_R", "Gun_R", Armor, right_gun),
        Plan::new("Antenna", "Antenna", Armor, antenna_foot).with(Metal, mast),
        Plan::new("Legs", "Root", Legs, legs::both(rig, legs::struts(rig))),
        Plan::new("Hoses", "Root", Hose, body::hoses(rig)),
    ];
    let armor = [
        ("Thigh_L", "Thigh_R", legs::thigh(rig)),
        ("Shin_L", "Shin_R", legs::shin(rig)),
        ("Foot_L", "Foot_R", legs::foot(rig)),
    ];
    for (left, right, solids) in armor {
        let other: Vec<_> = solids
            .iter()
            .map(|solid| solid.clone().mirrored(|bone| bone))
            .collect();
        plans.push(Plan::new(left, left, Armor, solids));
        plans.push(Plan::new(right, right, Armor, other));
    }
    plans.extend([
        Plan::new("Lamps", "Turret", Lamp, effects::lenses(rig)),
        Plan::new(
            "Embers",
            "Body",
            Glow([1.0, 0.42, 0.12]),
            effects::embers(rig),
        ),
        Plan::new(
            "Glow_L",
            "Glow_L",
            Glow([0.55, 0.2, 0.05]),
            effects::glow(rig, "Glow_L"),
        ),
        Plan::new(
            "Glow_R",
            "Glow_R",
            Glow([0.55, 0.2, 0.05]),
            effects::glow(rig, "Glow_R"),
        ),
        Plan::new(
            "Flash_L",
            "Flash_L",
            Glow([1.0, 0.75, 0.35]),
            effects::flash(rig, "Flash_L"),
        ),
        Plan::new(
            "Flash_R",
            "Flash_R",
            Glow([1.0, 0.75, 0.35]),
            effects::flash(rig, "Flash_R"),
        ),
        Plan::new("Beam", "Searchlight", Beam, effects::beam(rig)),
        Plan::new("Canopy", "Turret", Glass, canopy::glass()),
        Plan::new("Shadow", "Root", Shadow, effects::hulk()),
        Plan::new("Collision", "Body", Collision, effects::hulk()).hidden(),
        Plan::new("Vents", "Vents", Emitter, effects::vents(rig)).hidden(),
    ]);
    plans
}

/// The model, its animations and its textures.
pub fn files() -> Result<Vec<SampleFile>, Box<dyn Error>> {
    let rig = Rig::new();
    let plans = plans(&rig);
    let parts = plans.iter().flat_map(|plan| &plan.parts);
    let painted: Vec<&Solid> = parts
        .filter(|(material, _)| material.is_painted())
        .flat_map(|(_, solids)| solids)
        .collect();
    let sheet = Sheet::new(&painted, UVec2::splat(512), paint::weight);
    println!("walker: {} texels per unit", sheet.density());
    let [base, bump] = sheet.paint(&painted, paint::ink);

    let mut buffers = Vec::new();
    for plan in &plans {
        let space = rig.transform(plan.bone);
        for (material, solids) in &plan.parts {
            let mesh_buffers = material.buffers(&rig, &sheet, space, solids);
            buffers.push(if material.is_solid() {
                mesh_buffers.with_tree()
            } else {
                mesh_buffers
            });
        }
    }
    let mut file = AloFile::new(rig.bones());
    let mut remaining = buffers.iter();
    for plan in &plans {
        let submeshes = plan.parts.iter().zip(&mut remaining);
        let submeshes = submeshes.map(|((material, _), buffers)| material.submesh(buffers));
        let bone = rig.index(plan.bone) as u32;
        let mut mesh = Mesh::new(plan.name, bone, submeshes.collect());
        mesh.hidden = plan.hidden;
        file.meshes.push(mesh);
    }
    file.lights = effects::lights(&rig);
    file.proxies = effects::proxies(&rig);
    file.dazzles = effects::dazzles(&rig);
    // The second version of the format added dazzles.
    file.version = 2;
    let mut files = vec![alamo::model("models/walker.alo", &file)?];
    files.extend(clips::files(&rig)?);
    files.extend([
        ("textures/walker.dds", base.to_dxt5()),
        ("textures/walker_bump.dds", bump.to_dxt5()),
        ("textures/walker_metal.tga", textures::metal().to_tga()),
        ("textures/walker_glass.tga", textures::glass().to_tga()),
        ("textures/dazzles.tga", textures::dazzle().to_tga()),
    ]);
    Ok(files)
}
