//! `crate.alo`: a crate, which the walker carries if proxies are loaded.

use crate::alamo::build::Recipe;
use crate::alamo::profile::Profile;
use crate::alamo::shape::{Finish, Solid, block};
use crate::alamo::sheet::{Ink, Sheet, Texel};
use crate::alamo::{self, SampleFile, color};
use crate::math::{Transform, mix, noise, smooth};
use bevy::prelude::*;
use bevy_classic_models::alamo::alo::{AloFile, Bone, Mesh, Parameter};
use std::error::Error;

fn solids() -> Vec<Solid> {
    let cask = |charts, finish, ends, half: [f32; 2], bevel| {
        block(
            charts,
            finish,
            ends,
            &Profile::rectangle(half[0], half[1], 0.08),
            bevel,
        )
    };
    let mut solids = vec![
        cask(
            ["box", "under", "lid"],
            Finish::Hull,
            [0.04, 0.78],
            [0.5, 0.4],
            0.05,
        ),
        cask(
            ["rim", "", ""],
            Finish::Frame,
            [0.5, 0.6],
            [0.53, 0.43],
            0.03,
        ),
    ];
    for x in [-0.32, 0.32] {
        let strap = cask(
            ["strap", "", "strap end"],
            Finish::Steel,
            [0.0, 0.81],
            [0.07, 0.43],
            0.03,
        );
        solids.push(strap.transformed(&Transform::from_xyz(x, 0.0, 0.0)));
    }
    solids
}

fn ink(texel: &Texel<'_>) -> Ink {
    let at = texel.at;
    let stains = noise(at * 5.0) * 0.6 + noise(at * 14.0) * 0.4;
    let (mut color, mut gloss) = match texel.face.finish {
        Finish::Hull => (Vec3::new(0.33, 0.37, 0.27), 0.2),
        Finish::Frame => (Vec3::new(0.2, 0.21, 0.22), 0.4),
        _ => (Vec3::new(0.16, 0.165, 0.17), 0.5),
    };
    let [least, greatest] = texel.bounds;
    let inside = (texel.uv - least).min(greatest - texel.uv).min_element();
    if texel.face.finish == Finish::Hull && !texel.face.round {
        if (0.06..0.075).contains(&inside) {
            color *= 0.5;
        }
        // An arrow that points up.
        let offset = Vec2::new(at.x, at.z - 0.28);
        let arrow = offset.y.abs() < 0.13 && offset.x.abs() < (0.13 - offset.y) * 0.6
            || (offset.x.abs() < 0.03 && offset.y < 0.0 && offset.y > -0.2);
        if texel.normal.y.abs() > 0.9 && arrow {
            color = Vec3::new(0.85, 0.83, 0.76);
        }
        let stripe = (at.x + at.y) / 0.16;
        if texel.normal.z > 0.9 && inside > 0.1 && at.x.abs() < 0.2 {
            color = if stripe - stripe.floor() < 0.5 {
                Vec3::new(0.9, 0.62, 0.1)
            } else {
                Vec3::splat(0.1)
            };
        }
    }
    color *= mix(0.8, 1.12, stains);
    let wear = smooth((1.0 - texel.edge / 0.05 + noise(at * 30.0) - 1.0) * 2.5);
    color = color.lerp(Vec3::splat(0.62), wear * 0.8);
    gloss = mix(gloss, 0.9, wear);
    Ink {
        color: color * mix(0.3, 1.0, texel.visibility),
        alpha: gloss,
        ..Ink::default()
    }
}

/// The model and its texture.
pub fn files() -> Result<Vec<SampleFile>, Box<dyn Error>> {
    let solids = solids();
    let all: Vec<&Solid> = solids.iter().collect();
    let sheet = Sheet::new(&all, UVec2::splat(128), |_, _| 1.0);
    let [base, _] = sheet.paint(&all, ink);
    let recipe = Recipe {
        space: Transform::from_xyz(0.0, 0.0, 0.0),
        palette: &[],
        uv: &|face, uv| sheet.uv(face, uv),
        color: &|_| [1.0; 4],
    };
    // Older tools wrote an older vertex record.
    let buffers = recipe.build(&solids).with_tree().with_v1_vertices();
    let parameters = vec![
        color("Emissive", Vec3::ZERO),
        color("Diffuse", Vec3::ONE),
        color("Specular", Vec3::splat(0.6)),
        Parameter::texture("BaseTexture", "Crate.tga"),
    ];
    let submesh = buffers.submesh("MeshGloss.fx", "alD3dVertNU2", parameters);
    let bones = vec![
        Bone::new("Root", None, [0.0; 3]),
        Bone::new("Crate", Some(0), [0.0; 3]),
    ];
    let mut file = AloFile::new(bones);
    file.meshes.push(Mesh::new("Crate", 1, vec![submesh]));
    Ok(vec![
        alamo::model("models/crate.alo", &file)?,
        ("textures/crate.dds", base.to_dds()),
    ])
}
