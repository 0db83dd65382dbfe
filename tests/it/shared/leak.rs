//! A thousand reloads leak no entities, no assets of any kind, and no heap memory.

use crate::reload_matrix::subjects::{Format, Kind};
use crate::support::heap::in_use;
use crate::support::prelude::*;

const ROUNDS: usize = 1000;

/// Rounds after which most collections have reached their final capacity.
const WARM_UP_ROUNDS: usize = 20;

/// Rounds from one measurement of the heap to the next.
const WINDOW: usize = 98;

/// The growth of the heap that is accepted in a window, in bytes: less than 100 for each reload.
const TOLERANCE: i64 = 100 * WINDOW as i64;

#[test]
fn a_thousand_reloads_leak_nothing() {
    run_in_own_process("shared::leak::reloads_in_own_process");
}

#[test]
#[ignore = "run by the test above, alone in its process"]
fn reloads_in_own_process() {
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
        let mut heaps = Vec::new();
        for round in 3..=ROUNDS {
            subject.round(round);
            if round % WINDOW == WARM_UP_ROUNDS {
                let heap = subject.heap() as i64;
                heaps.push((heap, subject.app.world().archetypes().len()));
            }
        }
        assert_eq!(subject.counts(), after_one, "{format:?}");
        // A rare order of loads may cause a new archetype, once. The systems that visit it then need more memory.
        let windows = heaps.windows(2).filter(|pair| pair[0].1 == pair[1].1);
        let growths: Vec<i64> = windows.map(|pair| pair[1].0 - pair[0].0).collect();
        println!("{format:?}: {after_one:?}, heaps and archetypes {heaps:?}");
        assert!(growths.len() > heaps.len() / 2, "{heaps:?}");
        let (growth, tolerance) = (
            growths.iter().sum::<i64>(),
            TOLERANCE * growths.len() as i64,
        );
        assert!(
            growth < tolerance,
            "{format:?}: the heap grew by {growth} bytes"
        );
    }
}

/// The same count of threads on every machine, because each thread keeps some memory.
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
    /// Keeps the loader settings. Bevy reloads only assets with a strong handle.
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
        insert(&files, "external.tga", texture(1));
        let mut app = App::new();
        let loads = Loads::from_memory(&mut app, &files);
        app.add_plugins(gpuless::plugins(Path::new("unused"), true).set(few_threads()))
            .add_plugins(ClassicModelsPlugins);
        gpuless::finish(&mut app);
        gpuless::run_on_one_thread(&mut app);
        let server = app.server();
        let path = format.file(format.spawned_kind());
        let model = format.load(&server, path.clone());
        let is_loaded = |_: &mut World| server.is_loaded_with_dependencies(&model);
        app.wait_until(is_loaded);
        let roots = [(); 2].map(|()| format.spawn(app.world_mut(), &path));
        if matches!(format, Format::Mdl | Format::Abc) {
            app.insert(roots[1], ModelSkin::Path(AssetPath::from("external.tga")));
        }
        let are_ready = |world: &mut World| {
            let has_all_files =
                |root| kinds(format).all(|kind| format.shown(world, root, kind).is_some());
            let has_attachment = |root| {
                format != Format::Manifest || format.shown(world, root, Kind::Skin) == Some(1)
            };
            format.is_ready(world, roots[0])
                && roots
                    .into_iter()
                    .all(|root| has_all_files(root) && has_attachment(root))
        };
        app.wait_until(are_ready);
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

    /// Writes every file with its other version, and waits until all of them are applied.
    fn round(&mut self, round: usize) {
        let version = (round % 2 + 1) as u8;
        let format = self.format;
        let server = self.app.server();
        let mut stale: Vec<String> = Vec::new();
        for kind in kinds(format) {
            let file = format.file(kind);
            insert(&self.files, &file, format.contents(kind, version));
            let file = file.strip_suffix(".meta").unwrap_or(&file).to_owned();
            if !stale.contains(&file) {
                stale.push(file);
            }
        }
        insert(&self.files, "external.tga", texture(version));
        stale.push("external.tga".into());
        for path in stale {
            server.reload(path);
        }
        let roots = self.roots;
        let is_applied = |world: &mut World| {
            let is_new = |root| {
                let is_texture = |kind: &Kind| matches!(kind, Kind::Texture | Kind::TextureMeta);
                let mut kinds = kinds(format).filter(|kind| root == roots[0] || !is_texture(kind));
                kinds.all(|kind| format.shown(world, root, kind) == Some(version))
            };
            roots.into_iter().all(is_new)
        };
        assert!(
            gpuless::wait_until(&mut self.app, is_applied),
            "{format:?}, round {round}"
        );
        assert_eq!(format.check_state(self.app.world(), roots[0]), Ok(()));
        forget_messages(self.app.world_mut());
    }

    /// Waits until the app is idle.
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

/// Bevy drops messages only after a fixed step, and no time passes here.
fn forget_messages(world: &mut World) {
    world.run_schedule(FixedPostUpdate);
}

/// The kinds of files of a model. A manifest sets the scale, so its model has no `.meta` file.
fn kinds(format: Format) -> impl Iterator<Item = Kind> {
    let kinds = format.kinds().iter().copied();
    kinds.filter(move |kind| format != Format::Manifest || *kind != Kind::Meta)
}

fn count<A: Asset>(world: &World) -> usize {
    world.resource::<Assets<A>>().len()
}

fn texture(version: u8) -> Vec<u8> {
    // Each version has its own size.
    let side = 4 * usize::from(version);
    crate::support::alo_stage::tga(&vec![[version, 3, 3, 255]; side * side])
}

fn insert(files: &Dir, path: &str, bytes: Vec<u8>) {
    match path.strip_suffix(".meta") {
        Some(path) => files.insert_meta(Path::new(path), bytes),
        None => files.insert_asset(Path::new(path), bytes),
    }
}
