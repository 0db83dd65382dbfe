//! Which parts of models rays hit, by level of detail, damage stage and visibility.

use crate::ala::play::{FPS, ala, document};
use crate::alo::raycast::{RayTest, down, set_visible};
use crate::support::prelude::*;
use bevy_classic_models::alamo::alo::write::write;
use bevy_classic_models::alamo::alo::{Bone, Mesh as FileMesh};

/// The names of the parts of [`model_of_parts`]. Each is a box, 10 units along X from the previous one.
const PARTS: [&str; 10] = [
    "Hull_LOD1",
    "Hull_LOD0",
    "Wreck_ALT1",
    "Shield",
    "Gun",
    "GunShield",
    "Spectre",
    "Screen_ALT1",
    "Dark",
    "Box",
];

/// Shield, GunShield and Screen are hidden hulls. Dark is a hidden drawable mesh, and Box a hull that is not hidden.
/// Gun and GunShield are attached to an arm, and Spectre to a bone that the file hides.
fn model_of_parts() -> Vec<u8> {
    let with_tree = |index: usize| {
        let (vertices, triangles) = cuboid([1.0; 3], [10.0 * index as f32, 0.0, 0.0]);
        SubmeshBuffers::new(&vertices, &triangles).with_tree()
    };
    let buffers: Vec<_> = (0..PARTS.len()).map(with_tree).collect();
    let mut bones = vec![
        Bone::new("Root", None, [0.0; 3]),
        Bone::new("Arm", Some(0), [0.0; 3]),
        Bone::new("Ghost", Some(0), [0.0; 3]),
    ];
    bones[2].visible = false;
    let mut file = AloFile::new(bones);
    let meshes = PARTS.iter().zip(&buffers).map(|(name, buffers)| {
        let is_hull = ["Shield", "GunShield", "Screen_ALT1", "Box"].contains(name);
        let submesh = match is_hull {
            true => buffers.submesh("Collision.fx", "alD3dVertN", vec![]),
            false => buffers.submesh("MeshGloss.fx", "alD3dVertNU2", vec![]),
        };
        let bone = match *name {
            "Gun" | "GunShield" => 1,
            "Spectre" => 2,
            _ => 0,
        };
        FileMesh {
            hidden: *name == "Dark" || is_hull && *name != "Box",
            ..FileMesh::new(*name, bone, vec![submesh])
        }
    });
    file.meshes = meshes.collect();
    write(&file).unwrap()
}

const ANY: ModelRayCastVisibility = ModelRayCastVisibility::Any;
const SOLID: ModelRayCastVisibility = ModelRayCastVisibility::Solid;
const SOLID_AT_LOD: ModelRayCastVisibility = ModelRayCastVisibility::SolidAtCurrentLod;
const VISIBLE: ModelRayCastVisibility = ModelRayCastVisibility::Visible;
const IN_VIEW: ModelRayCastVisibility = ModelRayCastVisibility::VisibleInView;

/// The names of the parts that downward rays at each part hit.
fn hit_parts(test: &mut RayTest, visibility: ModelRayCastVisibility) -> Vec<&'static str> {
    let query = |index: usize| down(10.0 * index as f32 + 0.3, 0.2).with_visibility(visibility);
    let queries = (0..PARTS.len()).map(query).collect();
    let results = test.cast(queries);
    let world = test.app.world();
    let mut roots = world.query_filtered::<Entity, With<AloInstance>>();
    let root = roots.single(world).unwrap();
    let mut names = Vec::new();
    for (index, result) in results.iter().enumerate() {
        assert_eq!(result.any, !result.hits.is_empty());
        for hit in &result.hits {
            let part = world.get::<AloSubmeshIndex>(hit.part).unwrap();
            assert_eq!((hit.root, part.mesh), (root, index));
            names.push(PARTS[index]);
        }
    }
    names
}

#[track_caller]
fn assert_hit_parts(test: &mut RayTest, context: &str, solid: &[&str], visible: &[&str]) {
    test.app.step(0.0);
    test.app.step(0.0);
    assert_eq!(hit_parts(test, SOLID_AT_LOD), solid, "{context}");
    // Only the level of detail differs.
    let finest = solid.iter().map(|name| match *name {
        "Hull_LOD0" => "Hull_LOD1",
        name => name,
    });
    assert_eq!(
        hit_parts(test, SOLID),
        finest.collect::<Vec<_>>(),
        "{context}"
    );
    assert_eq!(hit_parts(test, VISIBLE), visible, "{context}");
    assert_eq!(hit_parts(test, ANY), PARTS, "{context}");
    // Without a camera nothing is in view.
    assert!(hit_parts(test, IN_VIEW).is_empty(), "{context}");
}

#[test]
fn lod_damage_stage_and_visibility_select_hit_parts() {
    let mut arm = BoneTracks::new("Arm", 1, [0.0; 3]);
    arm.visibility = Some(vec![true, false, true]);
    let clip = ala(&document(3, vec![arm]));
    let files = [("parts.alo", model_of_parts()), ("parts_HIDE_00.ala", clip)];
    let mut test = RayTest::new(&files);
    let root = test.spawn("parts.alo#Scene", ());
    let all = ["Hull_LOD1", "Shield", "Gun", "GunShield", "Dark", "Box"];
    let visible = ["Hull_LOD1", "Gun", "Box"];
    let without = |names: &[&'static str], removed: &[&str]| {
        let rest = names.iter().copied().filter(|name| !removed.contains(name));
        rest.collect::<Vec<_>>()
    };
    let test = &mut test;
    assert_hit_parts(test, "initially", &all, &visible);

    test.insert(root, ModelLod(1));
    let coarse = ["Hull_LOD0", "Shield", "Gun", "GunShield", "Dark", "Box"];
    assert_hit_parts(test, "coarser", &coarse, &["Hull_LOD0", "Gun", "Box"]);
    // Parts of the finest level stay hidden while a coarser level is drawn.
    let hidden = PartVisibility::hidden(["hull_lod1"]);
    test.insert(root, hidden);
    test.app.step(0.0);
    assert_eq!(
        hit_parts(test, SOLID),
        ["Shield", "Gun", "GunShield", "Dark", "Box"]
    );
    test.remove::<PartVisibility>(root);
    let root_bone = test.bone(root, 0);
    set_visible(test.world(), root_bone, false);
    test.app.step(0.0);
    assert_eq!(
        hit_parts(test, SOLID),
        ["Gun", "GunShield"],
        "on another bone"
    );
    set_visible(test.world(), root_bone, true);
    test.remove::<ModelLod>(root);

    test.insert(root, DamageStage(1));
    let damaged = [
        "Hull_LOD1",
        "Wreck_ALT1",
        "Shield",
        "Gun",
        "GunShield",
        "Screen_ALT1",
        "Dark",
        "Box",
    ];
    let visible_damaged = ["Hull_LOD1", "Wreck_ALT1", "Gun", "Box"];
    assert_hit_parts(test, "damaged", &damaged, &visible_damaged);
    test.remove::<DamageStage>(root);
    assert_hit_parts(test, "as initially", &all, &visible);

    let hidden = PartVisibility::hidden(["SHIELD", "gun", "dark"]);
    test.insert(root, hidden);
    let left = without(&all, &["Shield", "Gun", "Dark"]);
    assert_hit_parts(test, "hidden parts", &left, &without(&visible, &["Gun"]));
    let mut shown = PartVisibility::default();
    shown.show("Shield").show("Screen_ALT1");
    test.insert(root, shown);
    let with_shield = ["Hull_LOD1", "Shield", "Gun", "Box"];
    assert_hit_parts(test, "shown parts", &all, &with_shield);
    test.remove::<PartVisibility>(root);

    let (arm, ghost) = (test.bone(root, 1), test.bone(root, 2));
    set_visible(test.world(), arm, false);
    set_visible(test.world(), ghost, true);
    let swapped = ["Hull_LOD1", "Shield", "Spectre", "Dark", "Box"];
    let visible_swapped = ["Hull_LOD1", "Spectre", "Box"];
    assert_hit_parts(test, "bone flags", &swapped, &visible_swapped);
    set_visible(test.world(), arm, true);
    set_visible(test.world(), ghost, false);
    assert_hit_parts(test, "bone flags reset", &all, &visible);

    let armless = without(&all, &["Gun", "GunShield"]);
    let visible_armless = without(&visible, &["Gun"]);
    for (frame, is_arm_visible) in [(0.5, true), (1.5, false), (2.0, true)] {
        let play = PlayClip::once("HIDE_00")
            .starting_at(frame / FPS)
            .with_speed(0.0);
        test.insert(root, play);
        let context = format!("frame {frame}");
        match is_arm_visible {
            true => assert_hit_parts(test, &context, &all, &visible),
            false => assert_hit_parts(test, &context, &armless, &visible_armless),
        }
    }

    test.insert(root, Visibility::Hidden);
    assert_hit_parts(test, "all hidden", &[], &[]);
}
