//! The [`AloParticles`] asset: a loaded particle system and its data; and the component that spawns it.

use crate::formats::alamo::particles::bounds::{emitter_bounds, greatest_speed};
use crate::formats::alamo::particles::emitter::{AloEmitter, Reach, Style};
use crate::formats::alamo::particles::evaluate::{
    MAX_ALIVE, ParticleSystem, PreparedEmitter, Schedule, SystemState,
};
use crate::formats::alamo::particles::plugins::{Drawing, PluginFile};
use crate::formats::alamo::particles::{Emitter, ParticleFile, SpawnEvent};
use bevy::math::bounding::{Aabb3d, BoundingVolume};
use bevy::prelude::*;
use classic_model_formats::read::Warning;
use std::borrow::Cow;
use std::sync::Arc;

/// A loaded particle system of an Alamo game.
///
/// Everything is in the file's space and units: Z up, times in seconds.
#[derive(Asset, TypePath, Clone, Debug)]
#[non_exhaustive]
pub struct AloParticles {
    /// The name, usually the file's stem; empty if the file has none.
    pub name: String,
    /// Whether particles finish their life after the system is stopped. Otherwise they vanish.
    pub leave_particles: bool,
    /// The emitters, in file order. Each has the index of the emitter that spawns it, and of those that it spawns.
    pub emitters: Vec<AloEmitter>,
    /// The rotation from the file's world to Bevy's: gravity, and the plane of flat particles, are in the file's world.
    /// The identity if the loader does not convert axes.
    pub world_rotation: Quat,
    /// A box that contains all particles at all times, in the system's space, in whichever way the system is rotated.
    ///
    /// It is valid while the system does not move, because particles that are not linked to the system stay behind. It
    /// does not include wind.
    pub bounds: Aabb3d,
    /// Problems in the file that did not prevent loading.
    pub warnings: Vec<Warning>,
    /// The file, if it is made of plug-ins: those of Universe at War.
    pub plugins: Option<Arc<PluginFile<'static>>>,
    system: ParticleSystem,
    draw_order: Vec<usize>,
}

impl AloParticles {
    /// Makes the asset of a parsed file, without textures.
    pub(crate) fn new(file: ParticleFile<'_>, world_rotation: Quat) -> Self {
        let system = ParticleSystem::new(&file);
        let emitters = file.emitters.into_iter();
        let emitters = emitters.map(|emitter| (owned(emitter), Style::Properties));
        Self {
            name: file.name.into_owned(),
            leave_particles: file.leave_particles,
            warnings: file.warnings,
            ..Self::of_emitters(emitters, system, world_rotation)
        }
    }

    /// Makes the asset of a parsed file that is made of plug-ins, without textures. Such files do not say that particles
    /// vanish.
    pub(crate) fn of_plugins(file: PluginFile<'_>, world_rotation: Quat) -> Self {
        let system = ParticleSystem::from_plugins(&file);
        let style = |drawing: Option<Drawing<'_>>| {
            drawing.map_or(Style::NotDrawn, |drawing| Style::Renderer(drawing.style))
        };
        let styles = file.emitters.iter().map(|it| style(it.drawing()));
        let emitters = file.to_emitters().into_iter().zip(styles);
        let particles = Self::of_emitters(emitters, system, world_rotation);
        Self {
            name: file.name.clone().into_owned(),
            leave_particles: true,
            warnings: file.warnings.clone(),
            plugins: Some(Arc::new(file.into_owned())),
            ..particles
        }
    }

    fn of_emitters(
        emitters: impl Iterator<Item = (Emitter<'static>, Style)>,
        system: ParticleSystem,
        world_rotation: Quat,
    ) -> Self {
        let emitters = emitters.map(|(emitter, style)| AloEmitter {
            reach: Reach::new(&emitter, style),
            max_alive: 0,
            texture: None,
            emitter,
            style,
        });
        let emitters: Vec<AloEmitter> = emitters.collect();
        let mut particles = Self {
            name: String::new(),
            leave_particles: false,
            draw_order: draw_order(&emitters),
            emitters,
            world_rotation,
            bounds: Aabb3d::new(Vec3A::ZERO, Vec3A::ZERO),
            warnings: Vec::new(),
            plugins: None,
            system,
        };
        particles.add_limits();
        particles
    }

    /// The system in the form in which it is evaluated.
    pub(crate) fn system(&self) -> &ParticleSystem {
        &self.system
    }

    /// Sets the bounds and the counts of living particles. Parents come before their children, so one pass is enough.
    fn add_limits(&mut self) {
        let origin = Aabb3d::new(Vec3A::ZERO, Vec3A::ZERO);
        let mut boxes = vec![origin; self.emitters.len()];
        let mut speeds = vec![0.0; self.emitters.len()];
        let mut union: Option<Aabb3d> = None;
        for index in self.draw_order.iter().rev() {
            let (Some(info), Some(prepared)) =
                (self.emitters.get(*index), self.system.emitter(*index))
            else {
                continue;
            };
            let parent = info.emitter.parent;
            let parent = parent.map(|parent| (parent.event, parent.emitter as usize));
            let spawner = parent.and_then(|(event, parent)| {
                let schedule = &self.system.emitter(parent)?.schedule;
                Some((
                    event,
                    self.emitters.get(parent)?,
                    schedule,
                    boxes.get(parent)?,
                    *speeds.get(parent)?,
                ))
            });
            let (around, inherited, max_alive) = match spawner {
                Some((event, spawner, schedule, around, speed)) => {
                    let alive =
                        children_alive(event, spawner.max_alive, schedule, &prepared.schedule);
                    (around, speed, alive)
                }
                None => (&origin, 0.0, prepared.schedule.max_alive().min(MAX_ALIVE)),
            };
            let bounds = emitter_bounds(info, prepared, around, inherited);
            let fastest = greatest_speed(info, prepared, around, inherited);
            if let Some(speed) = speeds.get_mut(*index) {
                *speed = fastest;
            }
            union = Some(union.map_or(bounds, |union| union.merge(&bounds)));
            if let Some(place) = boxes.get_mut(*index) {
                *place = bounds;
            }
            if let Some(info) = self.emitters.get_mut(*index) {
                info.max_alive = max_alive;
            }
        }
        self.bounds = union.unwrap_or(self.bounds);
    }

    /// The emitters in the form in which they are evaluated, in file order.
    pub fn prepared(&self) -> impl Iterator<Item = &PreparedEmitter> {
        self.system.emitters()
    }

    /// An emitter in the form in which it is evaluated.
    pub fn prepared_emitter(&self, emitter: usize) -> Option<&PreparedEmitter> {
        self.system.emitter(emitter)
    }

    /// The order in which emitters are drawn, each over the earlier ones: children before the emitter that spawns them,
    /// otherwise file order. As in the games.
    pub fn draw_order(&self) -> &[usize] {
        &self.draw_order
    }

    /// Whether the system goes on until it is stopped.
    pub fn is_endless(&self) -> bool {
        self.system.is_endless()
    }

    /// About how many particles live at once, at most [`MAX_ALIVE`]: the sum of [`AloEmitter::max_alive`].
    pub fn max_alive(&self) -> u64 {
        let counts = self.emitters.iter().map(|emitter| emitter.max_alive);
        counts.fold(0, u64::saturating_add).min(MAX_ALIVE)
    }

    /// All living particles at a time in seconds after the creation of a system with this seed: see
    /// [`ParticleSystem::state_without_mesh`]. Particles of emitters that emit from a mesh are born at the emitter, as those
    /// of a spawned system without a mesh.
    pub fn evaluate(&self, seed: u64, time: f64) -> SystemState {
        self.system.state_without_mesh(seed, time)
    }
}

/// About how many particles of a spawned emitter live at once. `parents` is that of the emitter that spawns it.
fn children_alive(event: SpawnEvent, parents: u64, parent: &Schedule, own: &Schedule) -> u64 {
    // Of instances whose particles died within a life of the child.
    let dead = own.lifetime() / parent.lifetime();
    let parents = parents as f64;
    let (instances, per_instance) = match event {
        SpawnEvent::Life => (parents * (1.0 + dead), own.max_alive()),
        SpawnEvent::Death => {
            let per_round = own.max_alive().min(own.per_round().into());
            (parents * dead.max(1.0), per_round)
        }
    };
    // The conversion saturates, and NaN becomes 0.
    let alive = (instances.ceil() * per_instance.min(MAX_ALIVE) as f64) as u64;
    alive.min(MAX_ALIVE)
}

/// The draw order: see [`AloParticles::draw_order`]. Each emitter has at most one parent.
fn draw_order(emitters: &[AloEmitter]) -> Vec<usize> {
    let mut order = Vec::with_capacity(emitters.len());
    let mut stack = Vec::new();
    let mut children = vec![Vec::new(); emitters.len()];
    for (index, info) in emitters.iter().enumerate() {
        match info.emitter.parent {
            None => stack.push(index),
            Some(parent) => {
                if let Some(children) = children.get_mut(parent.emitter as usize) {
                    children.push(index);
                }
            }
        }
    }
    // The last of the stack is visited first, and the result is reversed at the end.
    while let Some(index) = stack.pop() {
        // Emitters of a cycle of links are not in the stack, so the order has each emitter at most once.
        order.push(index);
        if let Some(children) = children.get_mut(index) {
            stack.append(children);
        }
    }
    order.reverse();
    order
}

fn owned(emitter: Emitter<'_>) -> Emitter<'static> {
    let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
    Emitter {
        name: owned(emitter.name),
        color_texture: owned(emitter.color_texture),
        secondary_texture: emitter.secondary_texture.map(owned),
        properties: emitter.properties,
        property_order: emitter.property_order,
        velocity: emitter.velocity,
        lifetime: emitter.lifetime,
        position: emitter.position,
        tracks: emitter.tracks,
        spawn_on_death: emitter.spawn_on_death,
        spawn_during_life: emitter.spawn_during_life,
        parent: emitter.parent,
        link_group: emitter.link_group,
    }
}

/// A particle system, at the origin of its entity.
///
/// The entity's space is the file's, with Z up. The scene of an `.alo` file has this component on its root, which
/// converts the axes.
///
/// It sets the entity's `Aabb`. So insert it on a child of an entity with a mesh, not on that entity: the box of the
/// particles would cull the mesh.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
#[require(Transform, Visibility)]
pub struct AloParticleSystem(pub Handle<AloParticles>);
