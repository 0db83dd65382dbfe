//! Rendered models as scenes and as members of crowds.

use crate::support::prelude::*;

/// The sample models with their animations and textures, in one folder.
pub fn sample_files() -> Vec<(&'static str, Vec<u8>)> {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let folders = ["models", "textures", "skins"].map(|folder| assets.join(folder));
    let entries = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let mut files: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            let extension = path.extension().unwrap_or_default();
            ["abc", "alo", "ala", "dds", "dtx", "tga"]
                .iter()
                .any(|known| extension == *known)
        })
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (&*name.leak(), std::fs::read(path).unwrap())
        })
        .collect();
    files.sort();
    files
}

/// The same model as a scene and as a member of a crowd, at one place. Both are hidden.
#[derive(Clone, Copy)]
pub struct StagePair {
    pub scene: Entity,
    pub crowd: Entity,
}

impl StagePair {
    pub fn spawn(stage: &mut Stage, path: &'static str, placed: Transform) -> Self {
        let server = stage.server();
        let asset = server.load::<WorldAsset>(format!("{path}#Scene"));
        let bundle = (WorldAssetRoot(asset), placed, Visibility::Hidden);
        let scene = stage.spawn_entity(bundle.clone());
        let crowd = stage.spawn_entity((Crowd, bundle));
        stage.wait_for("both are spawned", |world| {
            let is_spawned = |root| world.get::<ModelInstance>(root).is_some();
            is_spawned(scene) && is_spawned(crowd)
        });
        Self { scene, crowd }
    }

    pub fn insert<B: Bundle + Clone>(self, stage: &mut Stage, bundle: B) {
        for root in [self.scene, self.crowd] {
            stage.insert(root, bundle.clone());
        }
    }

    /// Shows a clip at a time in seconds, and waits until it is baked.
    pub fn show(self, stage: &mut Stage, clip: &str, seconds: f32) {
        let play = PlayClip::once(clip).starting_at(seconds).with_speed(0.0);
        self.insert(stage, play);
        self.wait(stage);
    }

    pub fn wait(self, stage: &mut Stage) {
        let crowd = self.crowd;
        stage.headless.step(0.0);
        stage.wait_for("the clip is baked", |world| !is_baking(world, crowd));
    }

    /// Captures the scene and the crowd.
    pub fn capture(self, stage: &mut Stage) -> [Picture; 2] {
        [self.scene, self.crowd].map(|root| {
            stage.insert(root, Visibility::Inherited);
            let picture = stage.capture();
            stage.insert(root, Visibility::Hidden);
            picture
        })
    }

    /// Asserts that both are drawn in the same way. Returns the picture.
    #[track_caller]
    pub fn compare(self, stage: &mut Stage, what: &str) -> Picture {
        let [scene, crowd] = self.capture(stage);
        crowd.assert_matches(&scene, what);
        crowd
    }
}

impl StagePair {
    /// Compares it at rest, at times of clips, and from another side. Returns the pictures of the clips.
    pub fn compare_clips(self, stage: &mut Stage, clips: &[(&str, f32)]) -> Vec<Picture> {
        let rest = self.compare(stage, "at rest");
        let shown = clips.iter().map(|(clip, seconds)| {
            self.show(stage, clip, *seconds);
            self.compare(stage, &format!("{clip} at {seconds}"))
        });
        let pictures: Vec<Picture> = shown.collect();
        rest.assert_differs(&pictures[0], "the clip moves it");
        stage.move_camera(VIEWS[1]);
        self.compare(stage, "from another side");
        stage.move_camera(VIEWS[0]);
        pictures
    }

    /// Compares it in a cross-fade between poses of a clip that are near each other: blends of matrices and of rotations then
    /// agree. `least` is the count of pixels that the fade changes.
    pub fn compare_fade(self, stage: &mut Stage, clip: &str, [from, to]: [f32; 2], least: usize) {
        self.show(stage, clip, from);
        let before = self.compare(stage, "before a cross-fade");
        self.insert(stage, still(clip, to).with_fade(1.0));
        stage.headless.step(0.0);
        stage.headless.step(0.6);
        let during = self.compare(stage, "in a cross-fade");
        stage.headless.step(0.6);
        let after = self.compare(stage, "after a cross-fade");
        assert!(during.different(&before) > least && during.different(&after) > least);
    }

    /// Compares it with shadows and prepasses, which stay. `least` is the count of pixels in its shadow.
    pub fn compare_shadows(self, stage: &mut Stage, least: usize) {
        let light = add_shadows(stage);
        let shadow = self.compare(stage, "with shadows");
        set_shadows(stage, light, false);
        let flat = self.compare(stage, "without shadows");
        assert!(shadow.different(&flat) > least, "it casts a shadow");
        set_shadows(stage, light, true);
        let prepasses = (DepthPrepass, NormalPrepass, MotionVectorPrepass);
        stage.camera().insert(prepasses);
        self.compare(stage, "with prepasses");
    }
}

/// Adds a ground that receives shadows, and a light that casts them. Returns the light.
pub fn add_shadows(stage: &mut Stage) -> Entity {
    let ground = Plane3d::default().mesh().size(300.0, 300.0).build();
    let ground = stage.add_asset(ground);
    let gray = StandardMaterial::from_color(Color::srgb(0.7, 0.7, 0.7));
    let gray = stage.add_material(gray);
    stage
        .world()
        .spawn((Mesh3d(ground), gray, Transform::from_xyz(0.0, -5.0, 0.0)));
    let light = (
        DirectionalLight {
            illuminance: 8_000.0,
            shadow_maps_enabled: true,
            ..default()
        },
        Transform::from_xyz(70.0, 60.0, 10.0).looking_at(Vec3::ZERO, Vec3::Y),
    );
    stage.spawn_entity(light)
}

pub fn set_shadows(stage: &mut Stage, light: Entity, is_enabled: bool) {
    let mut light = stage.get_mut::<DirectionalLight>(light);
    light.shadow_maps_enabled = is_enabled;
}
