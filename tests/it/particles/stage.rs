//! Particle systems on a [`Stage`], and control meshes of the particles that the evaluator computes. Bevy draws the
//! controls with `StandardMaterial`.

use crate::support::prelude::*;
use bevy_classic_models::alamo::particles::evaluate::Source;
use bevy_classic_models::alamo::particles::evaluate::random::{InstanceKey, ParticleNumber};
use std::f32::consts::{FRAC_PI_4, SQRT_2, TAU};

pub const SEED: u64 = 7;

/// An emitter of 4 × 4 tiles with a texture.
pub fn emitter(properties: Properties) -> Emitter<'static> {
    let mut emitter = classic_models_fixtures::particles::emitter(Properties {
        texture_elements: 16,
        ..properties
    });
    emitter.color_texture = "atlas.tga".into();
    emitter
}

/// The rotation of a scene: the file's Z is up.
pub fn upright() -> Transform {
    Transform::from_rotation(Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2))
}

impl Stage {
    pub fn particles(&mut self, file: &'static str) -> Handle<AloParticles> {
        let server = self.world().resource::<AssetServer>().clone();
        let handle: Handle<AloParticles> = server.load(format!("{file}#Particles"));
        self.headless.wait_until("the particles are loaded", |_| {
            server.is_loaded_with_dependencies(&handle)
        });
        handle
    }

    /// Spawns a system without a simulation. It has no particles.
    pub fn spawn_particles(&mut self, file: &'static str, transform: Transform) -> Entity {
        let particles = self.particles(file);
        self.spawn_system(&particles, transform)
    }

    /// The same with loaded particles. Runs no frame.
    pub fn spawn_system(
        &mut self,
        particles: &Handle<AloParticles>,
        transform: Transform,
    ) -> Entity {
        let assets = self.world().resource::<Assets<AloParticles>>();
        let records = ParticleRecords::new(particles.clone(), assets.get(particles).unwrap());
        self.world().spawn((records, transform)).id()
    }

    /// Replaces the particles by those of roots at a time in seconds. The system stands still.
    pub fn simulate(&mut self, system: Entity, seed: u64, time: f64) {
        self.world()
            .resource_scope(|world, assets: Mut<Assets<AloParticles>>| {
                let world_from_system = world.get::<Transform>(system).unwrap().compute_affine();
                let mut records = world.get_mut::<ParticleRecords>(system).unwrap();
                let particles = assets.get(&records.particles).unwrap();
                for ring in &mut records.emitters {
                    ring.clear();
                }
                add_births(&mut records, particles, world_from_system, seed, None, time);
                records.compute(particles, &world_from_system);
            });
    }

    /// The emitters of a system, and their particles at a time, as the evaluator computes them.
    pub fn evaluated(
        &mut self,
        system: Entity,
        seed: u64,
        time: f64,
    ) -> (Vec<Emitter<'static>>, Vec<Vec<LivingParticle>>) {
        let handle = self.world().get::<ParticleRecords>(system).unwrap();
        let handle = handle.particles.clone();
        let assets = self.world().resource::<Assets<AloParticles>>();
        let particles = assets.get(&handle).unwrap();
        let emitters = particles.emitters.iter().map(|it| it.emitter.clone());
        (emitters.collect(), particles.evaluate(seed, time).emitters)
    }
}

/// Adds the births of roots after a time, or all, up to another time, and sets the time.
pub fn add_births(
    records: &mut ParticleRecords,
    particles: &AloParticles,
    world_from_system: Affine3A,
    seed: u64,
    after: Option<f64>,
    time: f64,
) {
    for (index, prepared) in particles.prepared().enumerate() {
        let ring = &mut records.emitters[index];
        let space = RecordSpace::new(particles, prepared, world_from_system);
        let pose = space.pose(space.origin(), Vec3::ZERO, Vec3::ZERO, 0.0);
        ring.ground = pose.ground;
        ring.set_scale(particles, space.scale());
        let schedule = &prepared.schedule;
        let before = after.map_or(0, |after| schedule.rounds_until(schedule.clock(after)));
        let clock = schedule.clock(time);
        ring.time = clock as f32;
        let key = InstanceKey::of_root(seed, index as u32);
        for round in before..schedule.rounds_until(clock) {
            for particle in 0..schedule.born_in_round(round) {
                let number = ParticleNumber {
                    round,
                    index: particle,
                };
                let draws = Draws::new(key, number);
                let birth = schedule.round_time(round) as f32;
                let record = prepared.birth(draws, &pose, Source::Group, birth);
                ring.push(space.scaled(record), draws);
            }
        }
        ring.remove_dead(prepared);
    }
}

/// A particle as a quad in Bevy's world.
pub struct Quad {
    /// Top left, bottom left, bottom right, top right.
    pub corners: [Vec3; 4],
    pub uvs: [[f32; 2]; 4],
    /// Not decoded from sRGB.
    pub color: [f32; 4],
}

/// The quad of a particle of a system at the origin, seen by a camera with this rotation.
pub fn quad(emitter: &Emitter<'_>, particle: &LivingParticle, camera: Quat) -> Quad {
    quad_in(upright(), emitter, particle, camera)
}

/// The quad of a particle of a system with this transform. The velocity is in the file's units.
pub fn quad_in(
    system: Transform,
    emitter: &Emitter<'_>,
    particle: &LivingParticle,
    camera: Quat,
) -> Quad {
    let properties = &emitter.properties;
    let up = upright().rotation;
    let center = system.transform_point(particle.motion.position.into());
    let velocity = system.rotation * Vec3::from(particle.motion.velocity);
    let (right, above) = if properties.flat {
        (up * Vec3::X, up * Vec3::Y)
    } else {
        (camera * Vec3::X, camera * Vec3::Y)
    };
    let half = 0.5 * particle.appearance.size * system.scale.x;
    let mut angle = TAU * particle.appearance.turns.fract();
    let mut tail = SQRT_2;
    if properties.has_tail {
        let (x, y) = (velocity.dot(right), velocity.dot(above));
        angle = 0.0;
        if x != 0.0 || y != 0.0 {
            angle = y.atan2(x) + FRAC_PI_4;
            let mut length = properties.tail_size * x.hypot(y) / velocity.length();
            if properties.emitter_speed != 0.0 {
                length *= velocity.length() / 1000.0;
            }
            tail = length.max(SQRT_2);
        }
    }
    // Directions of the corners from the center.
    let corners = [3.0, 5.0, 7.0, 1.0].map(|eighth: f32| {
        let distance = if eighth == 3.0 { tail } else { SQRT_2 };
        let (sin, cos) = (eighth * FRAC_PI_4 + angle).sin_cos();
        center + half * distance * (right * cos + above * sin)
    });
    let tiles = properties.tiles_per_side();
    let tile = particle.appearance.tile;
    let (column, row) = ((tile % tiles) as f32, (tile / tiles) as f32);
    let side = tiles as f32;
    let uvs = [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 0.0)]
        .map(|(x, y)| [(column + x) / side, (row + y) / side]);
    Quad {
        corners,
        uvs,
        color: particle.appearance.color,
    }
}

/// A mesh of quads, drawn in this order.
pub fn control_mesh(quads: &[Quad], alpha: impl Fn(f32) -> f32) -> Mesh {
    let positions: Vec<[f32; 3]> = quads
        .iter()
        .flat_map(|quad| quad.corners.map(Into::into))
        .collect();
    let uvs: Vec<[f32; 2]> = quads.iter().flat_map(|quad| quad.uvs).collect();
    let colors: Vec<[f32; 4]> = quads
        .iter()
        .flat_map(|quad| {
            let [r, g, b, a] = quad.color;
            let linear = Color::srgb(r, g, b).to_linear();
            [[linear.red, linear.green, linear.blue, alpha(a)]; 4]
        })
        .collect();
    let indices =
        (0..quads.len() as u32).flat_map(|quad| [0, 1, 2, 0, 2, 3].map(|corner| 4 * quad + corner));
    Mesh::new(
        PrimitiveTopology::TriangleList,
        RenderAssetUsages::default(),
    )
    .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
    .with_inserted_attribute(Mesh::ATTRIBUTE_UV_0, uvs)
    .with_inserted_attribute(Mesh::ATTRIBUTE_COLOR, colors)
    .with_inserted_indices(Indices::U32(indices.collect()))
}

/// A material that draws a control with this texture.
pub fn control_material(texture: Handle<Image>, alpha_mode: AlphaMode) -> StandardMaterial {
    StandardMaterial {
        base_color_texture: Some(texture),
        unlit: true,
        alpha_mode,
        cull_mode: None,
        double_sided: true,
        fog_enabled: false,
        ..default()
    }
}

/// Saves an image above its control if the environment variable `PARTICLE_IMAGES` is set, for visual checks.
pub fn keep(picture: &Picture, control: &Picture, name: &str) {
    if std::env::var_os("PARTICLE_IMAGES").is_some() {
        println!("{}", picture.save_beside(control, name));
    }
}
