//! Nothing is left of a thousand reloads: entities, assets of every kind and the heap are what they were.

use crate::gpuless;
use crate::reload_matrix::subjects::{Format, Kind};
use crate::support::heap::{in_use, run_in_own_process};
use crate::support::loads::Loads;
use bevy::animation::AnimationClip;
use bevy::animation::graph::AnimationGraph;
use bevy::asset::AssetPath;
use bevy::asset::io::memory::Dir;
use bevy::mesh::skinning::SkinnedMeshInverseBindposes;
use bevy::prelude::*;
use bevy_classic_models::alamo::{Ala, Alo};
use bevy_classic_models::alamo::{AloMaterial, DazzleMaterial};
use bevy_classic_models::lgw::LgwTexEnvMaterial;
use bevy_classic_models::lgw::{Lgw, LgwMaterial};
use bevy_classic_models::lithtech::Abc;
use bevy_classic_models::lithtech::AbcDeformMaterial;
use bevy_classic_models::model::ModelManifest;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::Mdl;
use bevy_classic_models::quake::MdlMaterial;
use std::path::Path;

const ROUNDS: usize = 1000;

/// Rounds after which tables have the room that they need from then on.
const WARM: usize = 20;

/// Bytes that the heap may have grown by, less than 100 a reload.
const TOLERANCE: usize = 100 * (ROUNDS - WARM);

#[test]
fn nothing_is_left_of_a_thousand_reloads() {
    run_in_own_process("shared::leak::reloaded_alone");
}

#[test]
#[ignore = "run by the test above, alone in its process"]
fn reloaded_alone() {
    for format in [
        Format::Mdl,
        Format::Alo,
        Format::Abc,
        Format::Lgw,
        Format::Manifest,
    ] {
        let mut subject = Subject::new(format);
        subject.round(1);
        subject.round(2);
        let after_one = subject.counts();
        let mut warm = 0;
        for round in 3..=ROUNDS {
            subject.round(round);
            if round == WARM {
                warm = subject.heap();
            }
        }
        assert_eq!(subject.counts(), after_one, "{format:?}");
        let grown = subject.heap() as i64 - warm as i64;
        println!("{format:?}: {after_one:?}, the heap {warm} bytes and {grown} more");
        assert!(
            grown < TOLERANCE as i64,
            "{format:?}: the heap grew by {grown} bytes"
        );
    }
}

/// As many threads on every machine: each keeps memory of its own.
fn few_threads() -> TaskPoolPlugin {
    TaskPoolPlugin {
        task_pool_options: TaskPoolOptions::with_num_threads(2),
    }
}

struct Subject {
    format: Format,
    app: App,
    loads: Loads,
    files: Dir,
    roots: [Entity; 2],
    /// Its settings count, and Bevy loads anew what somebody holds.
    _model: UntypedHandle,
}

impl Subject {
    fn new(format: Format) -> Self {
        let files = Dir::default();
        for kind in kinds(format) {
            insert(&files, &format.file(kind), format.contents(kind, 1));
        }
        let plain = crate::support::abc_stage::dtx(&[[7, 9, 9, 255]; 64]);
        insert(&files, "plain.dtx", plain);
        insert(&files, "from_elsewhere.tga", picture(1));
        let mut app = App::new();
        let loads = Loads::from_memory(&mut app, &files);
        app.add_plugins(gpuless::plugins(Path::new("unused"), true).set(few_threads()))
            .add_plugins(ClassicModelsPlugins);
        gpuless::finish(&mut app);
        let server = app.world().resource::<AssetServer>().clone();
        let path = format.file(format.opened());
        let model = format.load(&server, path.clone());
        let is_loaded = |_: &mut World| server.is_loaded_with_dependencies(&model);
        assert!(gpuless::wait_until(&mut app, is_loaded));
        let roots = [(); 2].map(|()| format.spawn(app.world_mut(), &path));
        if matches!(format, Format::Mdl | Format::Abc) {
            let skin = ModelSkin::Path(AssetPath::from("from_elsewhere.tga"));
            app.world_mut().entity_mut(roots[1]).insert(skin);
        }
        let are_there = |world: &mut World| {
            let shows = |root| kinds(format).all(|kind| format.shown(world, root, kind).is_some());
            let holds = |root| {
                format != Format::Manifest || format.shown(world, root, Kind::Skin) == Some(1)
            };
            format.is_settled(world, roots[0])
                && roots.into_iter().all(|root| shows(root) && holds(root))
        };
        assert!(gpuless::wait_until(&mut app, are_there));
        for root in roots {
            format.change(app.world_mut(), root);
        }
        Self {
            format,
            app,
            loads,
            files,
            roots,
            _model: model,
        }
    }

    /// Saves every file, each with its other contents, and waits until all of them show.
    fn round(&mut self, number: usize) {
        let version = (number % 2 + 1) as u8;
        let format = self.format;
        let server = self.app.world().resource::<AssetServer>().clone();
        let mut stale: Vec<String> = Vec::new();
        for kind in kinds(format) {
            let file = format.file(kind);
            insert(&self.files, &file, format.contents(kind, version));
            let file = file.strip_suffix(".meta").unwrap_or(&file).to_owned();
            if !stale.contains(&file) {
                stale.push(file);
            }
        }
        insert(&self.files, "from_elsewhere.tga", picture(version));
        stale.push("from_elsewhere.tga".into());
        for path in stale {
            server.reload(path);
        }
        let roots = self.roots;
        let is_seen = |world: &mut World| {
            let is_new = |root| {
                let picture = |kind: &Kind| matches!(kind, Kind::Picture | Kind::PictureMeta);
                let mut kinds = kinds(format).filter(|kind| root == roots[0] || !picture(kind));
                kinds.all(|kind| format.shown(world, root, kind) == Some(version))
            };
            roots.into_iter().all(is_new)
        };
        assert!(
            gpuless::wait_until(&mut self.app, is_seen),
            "{format:?}, round {number}"
        );
        assert_eq!(format.keeps(self.app.world(), roots[0]), Ok(()));
        forget_messages(self.app.world_mut());
    }

    /// Waits until nothing more happens.
    fn settle(&mut self) {
        self.loads.run_until_idle(&mut self.app, 0.0, |world| {
            forget_messages(world);
            false
        });
    }

    fn heap(&mut self) -> usize {
        self.settle();
        in_use()
    }

    fn counts(&mut self) -> Vec<(&'static str, usize)> {
        self.settle();
        let world = self.app.world();
        vec![
            ("entities", world.entities().count_spawned() as usize),
            ("meshes", count::<Mesh>(world)),
            ("images", count::<Image>(world)),
            ("scenes", count::<WorldAsset>(world)),
            ("clips", count::<AnimationClip>(world)),
            ("graphs", count::<AnimationGraph>(world)),
            ("bind poses", count::<SkinnedMeshInverseBindposes>(world)),
            ("standard materials", count::<StandardMaterial>(world)),
            ("MDL", count::<Mdl>(world) + count::<MdlMaterial>(world)),
            ("ALO", count::<Alo>(world) + count::<AloMaterial>(world)),
            ("ALA", count::<Ala>(world) + count::<DazzleMaterial>(world)),
            (
                "ABC",
                count::<Abc>(world) + count::<AbcDeformMaterial>(world),
            ),
            (
                "LGW",
                count::<Lgw>(world) + count::<LgwTexEnvMaterial>(world),
            ),
            ("LGW materials", count::<LgwMaterial>(world)),
            ("manifests", count::<ModelManifest>(world)),
        ]
    }
}

/// Bevy keeps messages until a fixed step has gone by, and here no time goes by.
fn forget_messages(world: &mut World) {
    world.run_schedule(FixedPostUpdate);
}

/// The files of a model; a manifest says how large its model is, as a `.meta` would.
fn kinds(format: Format) -> impl Iterator<Item = Kind> {
    let kinds = format.kinds().iter().copied();
    kinds.filter(move |kind| format != Format::Manifest || *kind != Kind::Meta)
}

fn count<A: Asset>(world: &World) -> usize {
    world.resource::<Assets<A>>().len()
}

fn picture(version: u8) -> Vec<u8> {
    // Of other sizes.
    let side = 4 * usize::from(version);
    crate::support::alo_stage::tga(&vec![[version, 3, 3, 255]; side * side])
}

fn insert(files: &Dir, path: &str, bytes: Vec<u8>) {
    match path.strip_suffix(".meta") {
        Some(path) => files.insert_meta(Path::new(path), bytes),
        None => files.insert_asset(Path::new(path), bytes),
    }
}
