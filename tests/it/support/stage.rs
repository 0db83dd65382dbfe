//! A stage that compares rendered images. The crate draws the subject. Bevy's own materials draw the control, whose mesh
//! and textures are computed on the CPU.

use crate::support::prelude::*;
use crate::{gpuless, headless};
use bevy::asset::meta::Settings;
use bevy::image::{ImageFilterMode, ImageSampler, ImageSamplerDescriptor};
use bevy::render::render_resource::TextureUsages;
use bevy_classic_models::quake::mdl::normals;
use bevy_classic_models::quake::mdl::write::PoseDocument;

const SIZE: UVec2 = UVec2::new(320, 240);

/// Camera positions, off the axes so that no edge points at the camera.
pub const VIEWS: [Vec3; 2] = [Vec3::new(50.0, 35.0, -70.0), Vec3::new(-75.0, 20.0, 35.0)];

pub struct Stage {
    pub headless: Headless,
    loads: Loads,
    camera: Entity,
    files: TempDir,
    /// The count of folders for further cases.
    cases: usize,
}

/// The RGBA pixels of a rendered image.
pub struct Picture(pub Vec<[u8; 4]>);

impl Stage {
    /// A stage with a dark background, a sun and a little ambient light.
    pub fn new(files: &[(&str, Vec<u8>)]) -> Self {
        let mut stage = Self::dark(files);
        stage.add_light();
        stage
    }

    /// The same, watching its files for changes.
    pub fn watching(files: &[(&str, Vec<u8>)]) -> Self {
        let mut stage = Self::start(files, true, (), |_| {});
        stage.add_light();
        stage
    }

    /// The same without watching, with additional plugins.
    pub fn with_plugins<M>(files: &[(&str, Vec<u8>)], plugins: impl Plugins<M>) -> Self {
        let mut stage = Self::start(files, false, plugins, |_| {});
        stage.add_light();
        stage
    }

    /// Writes the files of another case to a new folder. Returns the path of the first file.
    pub fn add_files(&mut self, files: &[(&str, Vec<u8>)]) -> &'static str {
        self.cases += 1;
        let case = format!("case-{}", self.cases);
        let folder = self.files.path().join(&case);
        std::fs::create_dir(&folder).unwrap();
        for (name, bytes) in files {
            std::fs::write(folder.join(name), bytes).unwrap();
        }
        format!("{case}/{}", files[0].0).leak()
    }

    /// The folder of the files.
    pub fn folder(&self) -> &Path {
        self.files.path()
    }

    fn add_light(&mut self) {
        self.world().spawn((
            DirectionalLight {
                illuminance: 6_000.0,
                ..default()
            },
            Transform::from_xyz(40.0, 80.0, -60.0).looking_at(Vec3::ZERO, Vec3::Y),
        ));
        self.world().insert_resource(GlobalAmbientLight {
            brightness: 300.0,
            ..default()
        });
    }

    /// A stage without any light.
    pub fn dark(files: &[(&str, Vec<u8>)]) -> Self {
        Self::start(files, false, (), |_| {})
    }

    /// A stage without files and light, and with an asset source of a name.
    pub fn with_source(name: &'static str, source: ArchiveSource) -> Self {
        Self::start(&[], false, (), |app| {
            app.register_asset_source(name, source.into_builder());
        })
    }

    fn start<M>(
        files: &[(&str, Vec<u8>)],
        watch: bool,
        plugins: impl Plugins<M>,
        add_sources: impl FnOnce(&mut App),
    ) -> Self {
        log::listen();
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in files {
            std::fs::write(folder.path().join(name), bytes).unwrap();
        }
        let mut app = App::new();
        add_sources(&mut app);
        let loads = Loads::from_folder(&mut app, folder.path(), watch);
        app.add_plugins((
            headless::plugins(folder.path(), watch),
            ClassicModelsPlugins,
        ))
        .add_plugins(plugins)
        .insert_resource(GlobalAmbientLight::NONE)
        .insert_resource(ClearColor(Color::srgb(0.0, 0.0, 0.2)));
        let mut headless = Headless::start(app, SIZE);
        gpuless::run_on_one_thread(&mut headless.app);
        let target = headless.render_target();
        let camera = headless.app.world_mut().spawn((
            Camera3d::default(),
            Tonemapping::None,
            Msaa::Off,
            target,
        ));
        let camera = camera.id();
        let mut stage = Self {
            headless,
            loads,
            camera,
            files: folder,
            cases: 0,
        };
        stage.move_camera(VIEWS[0]);
        stage
    }

    pub fn world(&mut self) -> &mut World {
        self.headless.app.world_mut()
    }

    pub fn camera(&mut self) -> EntityWorldMut<'_> {
        let camera = self.camera;
        self.world().entity_mut(camera)
    }

    pub fn move_camera(&mut self, position: Vec3) {
        let transform = Transform::from_translation(position).looking_at(Vec3::Y * 4.0, Vec3::Y);
        self.camera().insert(transform);
    }

    /// Spawns a model and waits until its instance exists.
    pub fn spawn(&mut self, scene: &str, bundle: impl Bundle) -> Entity {
        let scene = self.server().load(scene.to_owned());
        let root = self.spawn_entity((WorldAssetRoot(scene), bundle));
        self.wait_for("the model is spawned", |world| is_spawned(world, root));
        root
    }

    /// Loads a file with its dependencies, and then spawns its scene.
    pub fn spawn_loaded<A: Asset, S: Settings + Clone>(
        &mut self,
        file: &'static str,
        settings: S,
        bundle: impl Bundle,
    ) -> (Entity, Handle<A>) {
        let server = self.server();
        let model: Handle<A> = self.load_with(file, move |to: &mut S| *to = settings.clone());
        self.wait_for("the model is loaded", |_| {
            server.is_loaded_with_dependencies(&model)
        });
        (self.spawn(&format!("{file}#Scene"), bundle), model)
    }

    /// Runs frames until all saved changes are reported and all loads have ended. No time passes.
    #[track_caller]
    pub fn wait_until_idle(&mut self) {
        let app = &mut self.headless.app;
        self.loads.run_until_idle(app, 0.0, |_| false);
    }

    /// Captures an image after all uploads.
    pub fn capture(&mut self) -> Picture {
        for _ in 0..3 {
            self.headless.step(0.0);
        }
        self.capture_after(0.0)
    }

    /// Captures the image of the next frame, `seconds` later than the last one.
    pub fn capture_after(&mut self, seconds: f32) -> Picture {
        let image = self.headless.capture_after(seconds);
        let (texels, _) = image.data.as_ref().unwrap().as_chunks::<4>();
        assert_eq!(log::errors_of(&log::RENDERER), Vec::<String>::new());
        Picture(texels.to_vec())
    }

    /// Captures an image with a control instead of a model.
    pub fn capture_control(&mut self, subject: Entity, control: Control<'_>) -> Picture {
        let mesh = control.mesh();
        let material = control.material(self.world());
        self.capture_controls(subject, vec![(mesh, material)])
    }

    /// Captures an image with control meshes instead of a model.
    pub fn capture_controls(
        &mut self,
        subject: Entity,
        controls: Vec<(Mesh, MeshMaterial3d<StandardMaterial>)>,
    ) -> Picture {
        let mut entities = Vec::new();
        for (mesh, material) in controls {
            let mesh = self.world().resource_mut::<Assets<Mesh>>().add(mesh);
            entities.push(self.world().spawn((Mesh3d(mesh), material)).id());
        }
        self.world().entity_mut(subject).insert(Visibility::Hidden);
        let picture = self.capture();
        self.world()
            .entity_mut(subject)
            .insert(Visibility::Inherited);
        for entity in entities {
            self.world().entity_mut(entity).despawn();
        }
        picture
    }
}

/// The expected mesh and material of an MDL model, computed from its document.
pub struct Control<'a> {
    pub document: &'a MdlDocument,
    pub blend: PoseBlend,
    /// The index of the skin, and of the image in it.
    pub skin_image: (usize, usize),
    pub colors: Option<PlayerColors>,
    pub linear: bool,
    /// The palette index of transparent texels.
    pub holes: Option<u8>,
}

impl<'a> Control<'a> {
    pub fn new(document: &'a MdlDocument, blend: PoseBlend) -> Self {
        Self {
            document,
            blend,
            skin_image: (0, 0),
            colors: None,
            linear: false,
            holes: None,
        }
    }

    fn poses(&self) -> Vec<&PoseDocument> {
        let frames = self.document.frames.iter();
        frames
            .flat_map(|frame| match frame {
                FrameDocument::Single(pose) => core::slice::from_ref(pose),
                FrameDocument::Group { poses, .. } => poses,
            })
            .collect()
    }

    /// The position and normal of a vertex, in Bevy's axes.
    fn vertex(&self, poses: &[&PoseDocument], vertex: usize) -> (Vec3, Vec3) {
        let header = &self.document.header;
        let stored = |pose: u32| {
            let pose = poses[pose as usize];
            let [high, low] = [Some(&pose.vertices[vertex]), pose.low_vertices.get(vertex)];
            let steps = |axis: usize| {
                let byte = |vertex: Option<&bevy_classic_models::quake::mdl::TriVertex>| {
                    vertex.map_or(0.0, |vertex| f32::from(vertex.position[axis]))
                };
                byte(high) + byte(low) / 256.0
            };
            let position =
                [0, 1, 2].map(|axis| steps(axis) * header.scale[axis] + header.origin[axis]);
            let normal = normals()[usize::from(pose.vertices[vertex].normal)];
            (Vec3::from_array(position), Vec3::from_array(normal))
        };
        let blend = |pair: PosePair| {
            let (a, b) = (stored(pair.a), stored(pair.b));
            (a.0.lerp(b.0, pair.towards_b), a.1.lerp(b.1, pair.towards_b))
        };
        let (to, from) = (blend(self.blend.to), blend(self.blend.from));
        let weight = self.blend.from_weight;
        let to_bevy = |v: Vec3| Vec3::new(-v.y, v.z, -v.x);
        (
            to_bevy(to.0.lerp(from.0, weight)),
            to_bevy(to.1.lerp(from.1, weight)).normalize(),
        )
    }

    /// A mesh without shared vertices: three for each triangle.
    fn mesh(&self) -> Mesh {
        let (document, poses) = (self.document, self.poses());
        let (width, height) = (document.header.skin_width, document.header.skin_height);
        let (mut positions, mut normals, mut coordinates) = (vec![], vec![], vec![]);
        for triangle in &document.triangles {
            let [a, b, c] = triangle.vertices.map(|index| index.get() as usize);
            for index in [a, c, b] {
                let (position, normal) = self.vertex(&poses, index);
                positions.push(position);
                normals.push(normal);
                let st = document.st_vertices[index];
                let back = st.on_seam.get() != 0 && triangle.faces_front.get() == 0;
                let s = st.s.get() + i32::from(back) * (width / 2) as i32;
                coordinates.push([
                    (s as f32 + 0.5) / width as f32,
                    (st.t.get() as f32 + 0.5) / height as f32,
                ]);
            }
        }
        Mesh::new(
            PrimitiveTopology::TriangleList,
            RenderAssetUsages::default(),
        )
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, normals)
        .with_inserted_attribute(Mesh::ATTRIBUTE_UV_0, coordinates)
    }

    fn material(&self, world: &mut World) -> MeshMaterial3d<StandardMaterial> {
        let palette = Palette::default();
        let pixels = match &self.document.skins[self.skin_image.0] {
            SkinDocument::Single(image) => image,
            SkinDocument::Group { images, .. } => &images[self.skin_image.1],
        };
        let recolor = |index: u8| match (self.colors, index / 16) {
            (Some(colors), 1) => in_row(colors.shirt, index % 16),
            (Some(colors), 6) => in_row(colors.pants, index % 16),
            _ => index,
        };
        let lit = |index: &u8| {
            let [r, g, b] = palette.color(recolor(*index));
            match *index {
                index if self.holes == Some(index) => [0, 0, 0, 0],
                224.. => [0, 0, 0, 255],
                _ => [r, g, b, 255],
            }
        };
        let glowing = |index: &u8| {
            let [r, g, b] = palette.color(*index);
            let glows = *index >= 224 && self.holes != Some(*index);
            if glows {
                [r, g, b, 255]
            } else {
                [0, 0, 0, 255]
            }
        };
        let mut images = world.resource_mut::<Assets<Image>>();
        let width = self.document.header.skin_width as usize;
        // As in GLQuake, black and index 255 are no background.
        let has_background = pixels[0] != 255 && palette.color(pixels[0]) != [0; 3];
        let is_used = match self.holes {
            None if has_background => is_used(pixels, width),
            _ => vec![true; pixels.len()],
        };
        let lit = images.add(self.image(pixels.iter().flat_map(lit).collect(), &is_used));
        let glowing = images.add(self.image(pixels.iter().flat_map(glowing).collect(), &is_used));
        let material = StandardMaterial {
            base_color_texture: Some(lit),
            emissive: LinearRgba::WHITE,
            emissive_texture: Some(glowing),
            perceptual_roughness: 1.0,
            reflectance: 0.0,
            alpha_mode: if self.holes.is_some() {
                AlphaMode::Mask(0.666)
            } else {
                AlphaMode::Opaque
            },
            ..default()
        };
        let mut materials = world.resource_mut::<Assets<StandardMaterial>>();
        MeshMaterial3d(materials.add(material))
    }

    fn image(&self, data: Vec<u8>, is_used: &[bool]) -> Image {
        let width = self.document.header.skin_width;
        let mut image = raw_image(width, data, TextureFormat::Rgba8UnormSrgb);
        image.texture_descriptor.mip_level_count =
            add_levels(image.data.as_mut().unwrap(), width as usize, is_used);
        image.texture_descriptor.usage -= TextureUsages::COPY_DST;
        image.sampler = ImageSampler::Descriptor(ImageSamplerDescriptor {
            mag_filter: match self.linear {
                true => ImageFilterMode::Linear,
                false => ImageFilterMode::Nearest,
            },
            ..ImageSamplerDescriptor::linear()
        });
        image
    }
}

/// Whether texels have another palette index than the first one, or are not connected with it.
fn is_used(pixels: &[u8], width: usize) -> Vec<bool> {
    let mut is_used = vec![true; pixels.len()];
    is_used[0] = false;
    let mut changes = true;
    while changes {
        changes = false;
        for at in 0..pixels.len() {
            let left = at % width > 0 && !is_used[at - 1];
            let right = (at + 1) % width > 0 && !is_used[at + 1];
            let above = at >= width && !is_used[at - width];
            let below = at + width < pixels.len() && !is_used[at + width];
            if is_used[at] && pixels[at] == pixels[0] && (left || right || above || below) {
                is_used[at] = false;
                changes = true;
            }
        }
    }
    if !is_used.contains(&true) {
        is_used.fill(true);
    }
    is_used
}

/// Appends smaller levels to sRGB texels, down to one texel: each texel is the average of the area that it covers, by its share
/// of each texel of the level above, and by their alpha, without those that are not used. Then alpha is scaled so that the same share of texels is drawn as at first.
/// Returns the count of levels.
fn add_levels(data: &mut Vec<u8>, width: usize, is_used: &[bool]) -> u32 {
    let linear = |texel: &[u8; 4]| LinearRgba::from(Srgba::from_u8_array(*texel)).to_vec4();
    let mut level: Vec<Vec4> = data.as_chunks().0.iter().map(linear).collect();
    let drawn = level.iter().filter(|texel| texel.w > 0.666).count() as f32 / level.len() as f32;
    let has_holes = drawn < 1.0;
    for (texel, is_used) in level.iter_mut().zip(is_used) {
        texel.w *= f32::from(u8::from(*is_used));
    }
    let (mut width, mut height) = (width, level.len() / width);
    let (mut count, mut rest) = (1, Vec::<(Vec4, f32)>::new());
    while width.max(height) > 1 {
        let half = ((width / 2).max(1), (height / 2).max(1));
        let scale = (width as f64 / half.0 as f64, height as f64 / half.1 as f64);
        let mut smaller = Vec::new();
        for (y, x) in (0..half.1).flat_map(|y| (0..half.0).map(move |x| (y, x))) {
            let mut sum = Vec4::ZERO;
            for (index, texel) in level.iter().enumerate() {
                let share = |at: usize, target: usize, scale: f64| {
                    let end = ((target + 1) as f64 * scale).min((at + 1) as f64);
                    ((end - (target as f64 * scale).max(at as f64)).max(0.0) / scale) as f32
                };
                let share = share(index % width, x, scale.0) * share(index / width, y, scale.1);
                sum += (texel.truncate() * texel.w).extend(texel.w) * share;
            }
            smaller.push((sum.truncate() / sum.w.max(f32::MIN_POSITIVE)).extend(sum.w));
        }
        let mut alphas: Vec<f32> = smaller.iter().map(|texel| texel.w).collect();
        alphas.sort_by(|a, b| b.total_cmp(a));
        let last = (drawn * alphas.len() as f32).ceil() as usize - 1;
        let factor = if alphas[last] > 0.0 {
            0.67 / alphas[last]
        } else {
            1.0
        };
        rest.extend(smaller.iter().map(|texel| {
            let alpha = if has_holes {
                (texel.w * factor).min(1.0)
            } else {
                1.0
            };
            (*texel, alpha)
        }));
        (level, width, height) = (smaller, half.0, half.1);
        count += 1;
    }
    // Texels in which nothing is used have the mean color.
    let mean = rest.last().map_or(Vec4::ZERO, |(mean, _)| *mean);
    data.extend(rest.iter().flat_map(|(texel, alpha)| {
        let color = if texel.w > 0.0 || has_holes {
            texel
        } else {
            &mean
        };
        Srgba::from(LinearRgba::from_vec4(color.truncate().extend(*alpha))).to_u8_array()
    }));
    count
}

/// The palette index of a color in a row. The rows of the second half of the palette are stored in reverse.
fn in_row(row: u8, column: u8) -> u8 {
    16 * row + if row < 8 { column } else { 15 - column }
}

impl Picture {
    /// The color of the background, taken from the first pixel.
    fn background(&self) -> [u8; 4] {
        self.0[0]
    }

    /// The count of pixels that are not background.
    pub fn covered(&self) -> usize {
        let background = self.background();
        self.0.iter().filter(|pixel| **pixel != background).count()
    }

    /// The count of pixels that differ visibly in another image.
    pub fn different(&self, other: &Self) -> usize {
        let far = |(a, b): &(&[u8; 4], &[u8; 4])| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 8);
        self.0.iter().zip(&other.0).filter(far).count()
    }

    /// Asserts that the images are equal.
    ///
    /// One of a hundred pixels may differ, because rounding decides on edges and between texels.
    #[track_caller]
    pub fn assert_matches(&self, control: &Self, what: &str) {
        let covered = control.covered();
        assert!(covered > 4000, "{what}: {covered} pixels are covered");
        let different = self.different(control);
        if 100 * different > covered {
            let path = self.save_beside(control, what);
            panic!("{what}: {different} of {covered} pixels differ, see {path}");
        }
    }

    /// Asserts that at least one of twenty covered pixels differs.
    #[track_caller]
    pub fn assert_differs(&self, other: &Self, what: &str) {
        let different = self.different(other);
        assert!(
            20 * different > other.covered(),
            "{what}: only {different} pixels differ"
        );
    }

    /// Saves this image above a control in a PNG file. Returns the path.
    pub fn save_beside(&self, control: &Self, what: &str) -> String {
        let name: String = what
            .chars()
            .map(|c| if c.is_alphanumeric() { c } else { '_' })
            .collect();
        let path = std::env::temp_dir().join(format!("{name}.png"));
        let both = [&*self.0, &*control.0].concat().into_flattened();
        let image = raw_image(SIZE.x, both, TextureFormat::Rgba8UnormSrgb);
        image.try_into_dynamic().unwrap().save(&path).unwrap();
        path.display().to_string()
    }
}
