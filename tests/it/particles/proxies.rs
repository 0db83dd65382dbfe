//! Particle systems that the proxies of a model name, and those that a manifest attaches.

use crate::support::particle_app::stream;
use crate::support::prelude::*;
use bevy_classic_models::alamo::ala::write::write as write_ala;
use bevy_classic_models::alamo::alo::write::write;
use bevy_classic_models::alamo::alo::{Bone, Mesh as FileMesh, Proxy};
use classic_models_fixtures::particles::emitter;
use classic_models_fixtures::particles::{bytes, edited};

pub fn proxy(name: &'static str, bone: u32, hidden: bool) -> Proxy<'static> {
    Proxy {
        name: name.into(),
        bone,
        hidden: Some(hidden),
        alt_decrease_stay_hidden: None,
    }
}

const CORNERS: [[f32; 3]; 3] = [[2.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 6.0]];

/// The corners with the normal +Y.
fn vertices() -> [Vertex; 3] {
    CORNERS.map(|position| Vertex {
        position,
        normal: [0.0, 1.0, 0.0],
        tex_coords: [[0.0; 2]; 4],
        tangent: [1.0, 0.0, 0.0],
        binormal: [0.0, 0.0, 1.0],
        color: [1.0; 4],
        bone_indices: [0; 4],
        bone_weights: [1.0, 0.0, 0.0, 0.0],
    })
}

/// A ship with a hidden mesh on the bone `Engine`, and a bone `Nozzle` below it at X = 10.
pub fn ship(proxies: Vec<Proxy<'static>>) -> Vec<u8> {
    let buffers = SubmeshBuffers::new(&vertices(), &[[0, 1, 2]]);
    let submesh = buffers.submesh("alDefault.fx", "alD3dVertNU2", Vec::new());
    ship_of(vec![submesh], proxies)
}

/// The ship with these sub-meshes.
fn ship_of(submeshes: Vec<Submesh<'_>>, proxies: Vec<Proxy<'static>>) -> Vec<u8> {
    let mut file = AloFile::new(vec![
        Bone::new("Root", None, [0.0; 3]),
        Bone::new("Engine", Some(0), [0.0, 0.0, 5.0]),
        Bone::new("Nozzle", Some(1), [10.0, 0.0, 0.0]),
    ]);
    file.meshes = vec![FileMesh {
        hidden: true,
        ..FileMesh::new("Glow", 1, submeshes)
    }];
    file.proxies = proxies;
    write(&file).unwrap()
}

fn leaving(leave: bool) -> Vec<u8> {
    edited(&bytes(vec![emitter(stream(20, 0.5))]), |file| {
        file.leave_particles = leave;
    })
}

/// Spawns `ship.alo`, and waits until the files of its proxies are loaded.
fn spawned(files: &[(&str, Vec<u8>)]) -> (ParticleApp, Entity) {
    let mut app = ParticleApp::with_files(files);
    let root = app.app.spawn_ready("ship.alo#Scene", ());
    app.app.wait_until_idle();
    app.run(2, 0.0);
    (app, root)
}

fn part(app: &mut ParticleApp, root: Entity, name: &str) -> Entity {
    let parts = app.get::<AloInstance>(root).parts().to_vec();
    let is_named = |app: &mut ParticleApp, part: Entity| app.get::<AloPart>(part).name == name;
    let mut parts = parts.into_iter();
    parts.find(|part| is_named(app, *part)).unwrap()
}

fn has_system(app: &mut ParticleApp, root: Entity) -> bool {
    let mut systems = app
        .world()
        .query_filtered::<Entity, With<ParticleRecords>>();
    let systems: Vec<_> = systems.iter(app.app.app.world()).collect();
    let parents = |entity: &Entity| app.app.find::<ChildOf>(*entity).map(ChildOf::parent);
    let is_below = |entity: &Entity| {
        core::iter::successors(Some(*entity), parents).any(|ancestor| ancestor == root)
    };
    systems.iter().any(is_below)
}

#[test]
fn proxies_create_the_systems_that_they_name() {
    log::listen();
    let (mut app, root) = spawned(&[
        (
            "ship.alo",
            ship(vec![
                proxy("P_Smoke_LOD0", 2, false),
                proxy("p_nowhere_ALT0", 2, false),
                proxy("p_nowhere_ALT1", 2, false),
            ]),
        ),
        ("p_smoke.ALO", bytes(vec![emitter(burst(1, 9.0))])),
    ]);
    let smoke = part(&mut app, root, "P_Smoke_LOD0");
    let info = app.get::<AloProxy>(smoke);
    assert_eq!(info.particles.as_deref(), Some("p_smoke.ALO"));
    app.run(1, 0.1);
    // X = 10 and Z = 5 of the file.
    let positions = app.positions(smoke, 0);
    assert_eq!(positions.len(), 1);
    assert!(
        positions[0].abs_diff_eq(Vec3::new(10.0, 5.0, 0.0), 1e-4),
        "{positions:?}"
    );
    log::expect_warnings("files of proxies not found: p_nowhere.alo", 1);
}

/// The positions of the particles of a ship's two proxies. Between spawning the root and loading the files, so many other
/// entities are spawned.
fn scattered(others: usize) -> (Entity, [(Entity, Vec<Vec3>); 2]) {
    let mut cloud = emitter(burst(5, 9.0));
    cloud.position = Shape::Cube { side: 9.0 }.into();
    let names = ["p_smoke_ALT0", "p_smoke_LOD0"];
    let proxies = names.map(|name| proxy(name, 2, false)).into();
    let mut app = ParticleApp::with_files(&[
        ("ship.alo", ship(proxies)),
        ("p_smoke.alo", bytes(vec![cloud])),
    ]);
    let root = app.app.spawn("ship.alo#Scene", ());
    for _ in 0..others {
        app.world().spawn_empty();
    }
    app.app.wait_for(&[root]);
    app.app.wait_until_idle();
    app.run(2, 0.0);
    app.run(1, 0.1);
    let parts = names.map(|name| part(&mut app, root, name));
    let systems = parts.map(|part| (app.system(part), app.positions(part, 0)));
    (root, systems)
}

#[test]
fn particles_of_proxies_do_not_depend_on_the_order_of_loading() {
    let (root, systems) = scattered(0);
    let (same_root, same_systems) = scattered(7);
    assert_eq!(root, same_root);
    for ((system, particles), (other, same_particles)) in systems.iter().zip(&same_systems) {
        assert_ne!(system, other);
        assert_eq!(particles.len(), 5);
        assert_eq!(particles, same_particles);
    }
    assert_ne!(systems[0].1, systems[1].1);
}

#[test]
fn a_setting_turns_the_systems_of_proxies_off() {
    let mut app = ParticleApp::with_files(&[
        ("ship.alo", ship(vec![proxy("p_smoke", 2, false)])),
        ("p_smoke.alo", bytes(vec![emitter(burst(1, 9.0))])),
    ]);
    let settings = |settings: &mut AloLoaderSettings| settings.load_particles = false;
    let server = app.server();
    let handle: Handle<Alo> = server
        .load_builder()
        .with_settings(settings)
        .load("ship.alo");
    app.app.wait_loaded(&handle);
    let root = app.app.spawn("ship.alo#Scene", ());
    app.app.wait_for(&[root]);
    app.app.wait_until_idle();
    app.run(2, 0.1);
    assert!(!has_system(&mut app, root));
}

#[test]
fn hidden_proxies_have_no_system_until_they_are_shown() {
    for leave in [true, false] {
        let (mut app, root) = spawned(&[
            ("ship.alo", ship(vec![proxy("p_smoke", 2, true)])),
            ("p_smoke.alo", leaving(leave)),
        ]);
        app.run(5, 0.1);
        assert!(!has_system(&mut app, root));
        let mut parts = PartVisibility::default();
        parts.show("p_smoke");
        app.insert(root, parts.clone());
        app.run(2, 0.0);
        assert_eq!(app.count(root), 1);
        app.run(10, 0.1);
        assert_eq!(app.count(root), 10);
        // It stops as its file says, and is visible until the end.
        parts.hide("p_smoke");
        app.insert(root, parts.clone());
        app.run(2, 0.1);
        let system = app.system(root);
        let left = app.count(root);
        assert_eq!(left > 0, leave, "{left}");
        let visible = app.get::<InheritedVisibility>(system).get();
        assert!(visible);
        app.run(6, 0.1);
        assert_eq!(app.count(root), 0);
        // It restarts.
        parts.show("p_smoke");
        app.insert(root, parts);
        app.run(2, 0.0);
        assert_eq!((app.count(root), app.system(root)), (1, system));
        // It is hidden with the whole model.
        app.insert(root, Visibility::Hidden);
        app.run(2, 0.1);
        assert!(!app.get::<InheritedVisibility>(system).get());
        let emission = *app.get::<ParticleEmission>(system);
        assert_eq!(emission, ParticleEmission::Playing);
    }
}

#[test]
fn damage_stages_switch_systems() {
    let (mut app, root) = spawned(&[
        (
            "ship.alo",
            ship(vec![
                proxy("p_fine_ALT0", 2, false),
                proxy("p_burning_ALT1", 2, false),
            ]),
        ),
        ("p_fine.alo", leaving(false)),
        ("p_burning.alo", leaving(false)),
    ]);
    let [fine, burning] = ["p_fine_ALT0", "p_burning_ALT1"].map(|name| part(&mut app, root, name));
    app.run(10, 0.1);
    assert_eq!(app.count(fine), 10);
    assert!(!has_system(&mut app, burning));
    app.insert(root, DamageStage(1));
    app.run(1, 0.0);
    app.run(10, 0.1);
    assert_eq!((app.count(fine), app.count(burning)), (0, 10));
    app.insert(root, DamageStage(0));
    app.run(10, 0.1);
    assert_eq!((app.count(fine), app.count(burning)), (10, 0));
}

#[test]
fn clips_switch_systems_by_the_visibility_of_bones() {
    let mut nozzle = BoneTracks::new("Nozzle", 2, [10.0, 0.0, 0.0]);
    let frames: Vec<bool> = (0..20).map(|frame| (5..10).contains(&frame)).collect();
    nozzle.visibility = Some(frames);
    let clip = write_ala(&AlaDocument {
        version: 2,
        frames: 20,
        fps: 10.0,
        bones: vec![nozzle],
    });
    let (mut app, root) = spawned(&[
        ("ship.alo", ship(vec![proxy("p_flash", 2, false)])),
        ("ship_FIRE_00.ala", clip.unwrap()),
        ("p_flash.alo", bytes(vec![emitter(burst(3, 0.2))])),
    ]);
    app.insert(root, PlayClip::looping("FIRE_00"));
    app.app.wait_for_clip(root);
    let counts: Vec<usize> = (0..40)
        .map(|_| {
            app.run(1, 0.1);
            match has_system(&mut app, root) {
                true => app.count(root),
                false => 0,
            }
        })
        .collect();
    // A flash of two frames in each loop.
    let flashes = counts
        .windows(2)
        .filter(|pair| pair[0] == 0 && pair[1] == 3);
    assert!((1..=3).contains(&flashes.count()), "{counts:?}");
    assert!(
        counts.iter().all(|count| [0, 3].contains(count)),
        "{counts:?}"
    );
    assert!(
        counts.iter().filter(|count| **count == 3).count() <= 9,
        "{counts:?}"
    );
}

#[test]
fn emitters_use_the_mesh_of_the_parent_bone_although_it_is_hidden() {
    for link_to_system in [true, false] {
        let mut glow = emitter(Properties {
            emit_mode: 3,
            emit_offset: 1.0,
            link_to_system,
            ..burst(1, 9.0)
        });
        glow.velocity = Shape::Exact([0.0, 0.0, 2.0]).into();
        let (mut app, root) = spawned(&[
            ("ship.alo", ship(vec![proxy("pe_glow", 2, false)])),
            ("pe_glow.alo", bytes(vec![glow])),
        ]);
        app.run(5, 0.1);
        // Vertices are moved by 1 along the normal +Y, and then by 2 · 0.5. The mesh is at Z = 5 of the file.
        let expected = CORNERS.map(|[x, y, z]| Vec3::new(x, z + 5.0, -(y + 2.0)));
        let found = app.positions(root, 0);
        assert_eq!(found.len(), 3);
        for (found, expected) in found.iter().zip(expected) {
            assert!(
                found.abs_diff_eq(expected, 1e-3),
                "{found} instead of {expected}"
            );
        }
    }
}

#[test]
fn all_submeshes_emit_and_skinned_ones_are_in_the_space_of_the_model() {
    let glow = emitter(Properties {
        emit_mode: 3,
        emit_offset: 0.0,
        ..burst(1, 9.0)
    });
    let corners = vertices();
    let rigid = SubmeshBuffers::new(&corners, &[[0, 1, 2]]);
    let skinned = SubmeshBuffers::new(&corners, &[[0, 1, 2]]).with_palette(&[1]);
    let submeshes = vec![
        rigid.submesh("alDefault.fx", "alD3dVertNU2", Vec::new()),
        skinned.submesh("RSkinGloss.fx", "alD3dVertRSkinNU2", Vec::new()),
    ];
    let (mut app, root) = spawned(&[
        (
            "ship.alo",
            ship_of(submeshes, vec![proxy("pe_glow", 2, false)]),
        ),
        ("pe_glow.alo", bytes(vec![glow])),
    ]);
    app.run(1, 0.1);
    // The bone's bind pose is at Z = 5 of the file. Vertices of the skinned sub-mesh are in the model's space.
    let expected = [5.0, 0.0].map(|height| {
        let corners = CORNERS.map(|[x, y, z]| Vec3::new(x, z + height, -y));
        corners.to_vec()
    });
    let expected = expected.concat();
    let found = app.positions(root, 0);
    assert_eq!(found.len(), 6);
    for (found, expected) in found.iter().zip(&expected) {
        assert!(
            found.abs_diff_eq(*expected, 1e-3),
            "{found} instead of {expected}"
        );
    }
}

#[test]
fn births_on_all_vertices_of_a_mesh_count_for_the_budget() {
    let glow = emitter(Properties {
        emit_mode: 3,
        ..stream(10, 9.0)
    });
    let mut app = ParticleApp::with_files(&[
        ("ship.alo", ship(vec![proxy("pe_glow", 2, false)])),
        ("pe_glow.alo", bytes(vec![glow])),
    ]);
    // Each of three vertices has up to 91 particles.
    app.insert_resource(ParticleBudget {
        total: 90,
        ..ParticleBudget::default()
    });
    let root = app.app.spawn_ready("ship.alo#Scene", ());
    app.app.wait_until_idle();
    app.run(100, 0.1);
    let found = app.count(root);
    assert!((80..=90).contains(&found), "{found}");
}

#[test]
fn respawned_models_have_their_systems_again() {
    let file = |name| ship(vec![proxy(name, 2, false)]);
    let (mut app, root) = spawned(&[
        ("ship.alo", file("p_a")),
        ("p_a.alo", bytes(vec![emitter(burst(2, 9.0))])),
        ("p_b.alo", bytes(vec![emitter(burst(5, 9.0))])),
    ]);
    app.app.keep_loaded("ship.alo");
    assert_eq!(app.count(root), 2);
    app.app.replace("ship.alo", file("p_b"));
    app.run(3, 0.0);
    assert_eq!(app.count(root), 5);
    let all = app
        .world()
        .query::<&ParticleRecords>()
        .iter(app.app.app.world())
        .count();
    assert_eq!(all, 1);
}

#[test]
fn models_are_ready_when_the_systems_of_their_proxies_are_loaded() {
    #[derive(Resource, Default)]
    struct Ready(bool);
    let mut app = ParticleApp::with_files(&[
        ("ship.alo", ship(vec![proxy("p_smoke", 2, false)])),
        ("p_smoke.alo", bytes(vec![emitter(burst(1, 9.0))])),
    ]);
    app.world().init_resource::<Ready>();
    app.world()
        .add_observer(|_: On<ModelReady>, mut ready: ResMut<Ready>| ready.0 = true);
    let root = app.app.spawn("ship.alo#Scene", ());
    let is_ready = gpuless::wait_until(&mut app.app.app, |world| world.resource::<Ready>().0);
    assert!(is_ready);
    app.run(1, 0.0);
    assert_eq!(app.count(root), 1);
}

#[test]
fn manifests_can_attach_a_particle_system_to_a_bone() {
    let manifest = r#"(model: "ship.alo", attachments: [(bone: "nozzle", model: "p_fire.alo")])"#;
    let mut app = ParticleApp::with_files(&[
        ("ship.alo", ship(Vec::new())),
        ("p_fire.alo", bytes(vec![emitter(burst(4, 0.5))])),
        ("armed.model.ron", manifest.as_bytes().to_vec()),
    ]);
    let model = ClassicModel::new("armed.model.ron");
    let root = app.spawn_entity(model);
    app.wait_for_system(root);
    app.run(2, 0.0);
    let positions = app.positions(root, 0);
    assert_eq!(positions.len(), 4);
    assert!(
        positions[0].abs_diff_eq(Vec3::new(10.0, 5.0, 0.0), 1e-4),
        "{positions:?}"
    );
    // Its root is the attachment.
    let mut attachments = app.world().query_filtered::<Entity, With<AttachedToBone>>();
    let attachment = attachments.single(app.app.app.world()).unwrap();
    app.insert(attachment, ParticleEmission::Restarting);
    app.run(6, 0.11);
    assert_eq!((app.count(root), app.finished(attachment)), (0, 1));
}

/// Without `ParticleSeed`, so that captures of a scene do not depend on what else is spawned.
#[test]
fn particles_of_attachments_do_not_depend_on_the_ids_of_their_entities() {
    let attachment = r#"(bone: "nozzle", model: "p_fire.alo")"#;
    let manifest = format!(r#"(model: "ship.alo", attachments: [{attachment}, {attachment}])"#);
    let mut fire = emitter(burst(4, 9.0));
    fire.velocity = Shape::Cube { side: 8.0 }.into();
    // More than the entities that were despawned before, whose ids are used again.
    let positions = [0, 1000].map(|others| {
        let mut app = ParticleApp::with_files(&[
            ("ship.alo", ship(Vec::new())),
            ("p_fire.alo", bytes(vec![fire.clone()])),
            ("armed.model.ron", manifest.clone().into_bytes()),
        ]);
        let model = ClassicModel::new("armed.model.ron");
        for _ in 0..others {
            app.world().spawn_empty();
        }
        let root = app.spawn_entity(model);
        app.wait_for_system(root);
        app.app.wait_until_idle();
        app.run(1, 0.0);
        app.run(1, 0.5);
        let world = app.world();
        let mut attachments = world.query_filtered::<Entity, With<AttachedToBone>>();
        let attachments: Vec<Entity> = attachments.iter(world).collect();
        let ids: Vec<u64> = attachments.iter().map(|it| it.to_bits()).collect();
        let mut positions: Vec<_> = attachments.iter().map(|it| app.positions(*it, 0)).collect();
        positions.sort_by_key(|it| it[0].x.to_bits());
        (root, ids, positions)
    });
    let [(first_root, first_ids, first), (root, ids, second)] = positions;
    assert_ne!(first_root, root);
    assert_ne!(first_ids, ids);
    assert_eq!(first, second);
    assert!(first.len() == 2 && first[0] != first[1], "{first:?}");
}

/// Also without a manifest. The order of spawning distinguishes models.
#[test]
fn particles_do_not_depend_on_the_ids_of_roots_but_differ_between_roots() {
    let mut fire = emitter(burst(4, 9.0));
    fire.velocity = Shape::Cube { side: 8.0 }.into();
    let [first, second] = [0, 1000].map(|others| {
        let mut app = ParticleApp::with_files(&[("p_fire.alo", bytes(vec![fire.clone()]))]);
        for _ in 0..others {
            app.world().spawn_empty();
        }
        let roots = [0, 1].map(|_| {
            let model = ClassicModel::new("p_fire.alo");
            app.spawn_entity(model)
        });
        for root in roots {
            app.wait_for_system(root);
        }
        app.app.wait_until_idle();
        app.run(1, 0.0);
        app.run(1, 0.5);
        (roots, roots.map(|root| app.positions(root, 0)))
    });
    assert_ne!(first.0, second.0);
    assert_eq!(first.1, second.1);
    assert_ne!(first.1[0], first.1[1]);
}

#[test]
fn systems_have_the_render_layers_of_the_model() {
    let (mut app, root) = spawned(&[
        ("ship.alo", ship(vec![proxy("p_smoke", 2, false)])),
        ("p_smoke.alo", bytes(vec![emitter(burst(1, 9.0))])),
    ]);
    let layers = RenderLayers::layer(3);
    app.insert(root, layers.clone());
    app.run(2, 0.0);
    let system = app.system(root);
    assert_eq!(app.find::<RenderLayers>(system), Some(&layers));
    app.remove::<RenderLayers>(root);
    app.run(2, 0.0);
    assert_eq!(app.find::<RenderLayers>(system), None);
    // Below a model with layers of its own, they are written once.
    let carrier = app.spawn("ship.alo#Scene", RenderLayers::layer(4));
    app.run(2, 0.0);
    app.insert(root, ChildOf(carrier));
    app.insert(carrier, RenderLayers::layer(5));
    app.run(2, 0.0);
    let added = Arc::new(AtomicUsize::new(0));
    let counted = added.clone();
    app.world().add_observer(move |_: On<Add, RenderLayers>| {
        counted.fetch_add(1, Ordering::Relaxed);
    });
    app.run(4, 0.0);
    assert_eq!(added.load(Ordering::Relaxed), 0, "layers alternate");
    // The scene of a particle system likewise.
    let smoke = app.spawn("p_smoke.alo#Scene", layers.clone());
    app.run(2, 0.0);
    let system = app.system(smoke);
    assert_eq!(app.find::<RenderLayers>(system), Some(&layers));
}
