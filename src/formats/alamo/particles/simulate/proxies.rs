//! Creates and stops the particle systems that a model's proxies name.
//!
//! A system is created when its proxy is shown for the first time. Each time that the proxy becomes shown, the system
//! restarts. When the proxy becomes hidden, by a damage stage, a clip or the game, the system stops as its file says.
//! Its particles may live on, so it is visible although its proxy is hidden, but not if the whole model is.

use crate::formats::alamo::asset::Alo;
use crate::formats::alamo::components::{AloInstance, AloProxy};
use crate::formats::alamo::particles::asset::AloParticleSystem;
use crate::formats::alamo::particles::simulate::control::ParticleEmission;
use crate::formats::alamo::particles::simulate::mesh::{EmissionMeshes, EmissionSurface};
use crate::load::reloads::is_asset_loading;
use bevy::camera::visibility::RenderLayers;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

/// On a proxy: the particle system that it names.
#[derive(Component)]
pub(crate) struct ProxyParticles {
    /// Keeps the file loaded, with its settings.
    file: Handle<Alo>,
    /// The root of the model.
    root: Entity,
    /// The root of the outermost model, if that of this proxy is named by a proxy.
    outermost: Entity,
    seed: u64,
    system: ProxySystem,
}

/// On the particle system of a proxy.
#[derive(Component)]
pub(crate) struct OfProxy {
    /// The seed without a [`ParticleSeed`](crate::alamo::ParticleSeed).
    pub(crate) seed: u64,
}

/// The state of the system of a proxy.
enum ProxySystem {
    /// The file is loading, or the proxy was not shown yet.
    Pending,
    /// It was spawned.
    Spawned { entity: Entity, is_shown: bool },
    /// The file is no particle system.
    None,
}

impl ProxyParticles {
    /// The system of a proxy of the model of `root`. `seed` differs between proxies.
    pub(crate) fn new(file: Handle<Alo>, root: Entity, outermost: Entity, seed: u64) -> Self {
        Self {
            file,
            root,
            outermost,
            seed,
            system: ProxySystem::Pending,
        }
    }
}

/// Whether the particle system of a proxy is loading.
pub(crate) fn is_proxy_loading(world: &World, entity: EntityRef<'_>) -> bool {
    let (Some(proxy), Some(server)) = (
        entity.get::<ProxyParticles>(),
        world.get_resource::<AssetServer>(),
    ) else {
        return false;
    };
    is_asset_loading(server, &proxy.file)
}

/// Whether the entities between a proxy and its root are shown.
#[derive(SystemParam)]
pub(crate) struct ShownProxies<'w, 's> {
    entities:
        Query<'w, 's, (Option<&'static Visibility>, Option<&'static ChildOf>), Without<OfProxy>>,
}

impl ShownProxies<'_, '_> {
    fn is_shown(&self, proxy: Entity, root: Entity) -> bool {
        let mut entity = proxy;
        while entity != root {
            let Ok((visibility, parent)) = self.entities.get(entity) else {
                return false;
            };
            match visibility {
                Some(Visibility::Hidden) => return false,
                Some(Visibility::Visible) => return true,
                Some(Visibility::Inherited) | None => {}
            }
            let Some(parent) = parent else {
                return true;
            };
            entity = parent.parent();
        }
        true
    }
}

/// Spawns the systems of proxies that are shown for the first time.
pub(crate) fn spawn_proxy_systems(
    mut commands: Commands,
    files: Res<Assets<Alo>>,
    meshes: Res<Assets<Mesh>>,
    mut emission_meshes: ResMut<EmissionMeshes>,
    shown: ShownProxies,
    instances: Query<&AloInstance>,
    mut proxies: Query<(Entity, &AloProxy, &mut ProxyParticles)>,
) {
    for (entity, proxy, mut state) in &mut proxies {
        let state = state.bypass_change_detection();
        if !matches!(state.system, ProxySystem::Pending) {
            continue;
        }
        let Some(file) = files.get(&state.file) else {
            continue;
        };
        let Some(particles) = &file.particles else {
            state.system = ProxySystem::None;
            continue;
        };
        if !shown.is_shown(entity, state.outermost) {
            continue;
        }
        let system = commands.spawn_empty().id();
        state.system = ProxySystem::Spawned {
            entity: system,
            is_shown: true,
        };
        let components = (
            Name::new(proxy.name.clone()),
            AloParticleSystem(particles.clone()),
            ParticleEmission::Playing,
            OfProxy { seed: state.seed },
        );
        let surface = instances.get(state.root).ok().and_then(|instance| {
            let bone = instance.model().proxies.get(proxy.index)?.proxy.bone;
            let bone = usize::try_from(bone).ok()?;
            let (mesh, parent) = emission_meshes.of_proxy(instance.model(), bone, &meshes)?;
            let bone = *instance.bones().get(parent)?;
            Some(EmissionSurface::new(mesh, bone))
        });
        commands.queue(move |world: &mut World| {
            // An observer of an earlier command may have despawned the model.
            if world.get_entity(entity).is_err() {
                world.try_despawn(system).ok();
                return;
            }
            if let Some(surface) = surface {
                world.entity_mut(system).insert(surface);
            }
            world
                .entity_mut(system)
                .insert((components, ChildOf(entity)));
        });
    }
}

/// The components of a proxy's system that follow the model.
type SystemOfProxy = (
    &'static mut ParticleEmission,
    &'static mut Visibility,
    Option<&'static RenderLayers>,
);

/// Starts and stops the systems of proxies that became shown or hidden. They have the `RenderLayers` of the model's root.
pub(crate) fn update_proxies(
    mut proxies: Query<(Entity, &mut ProxyParticles)>,
    shown: ShownProxies,
    roots: Query<(&InheritedVisibility, Option<&RenderLayers>)>,
    mut systems: Query<SystemOfProxy, With<OfProxy>>,
    mut commands: Commands,
) {
    for (proxy, mut state) in &mut proxies {
        let state = state.bypass_change_detection();
        let ProxySystem::Spawned { entity, is_shown } = &mut state.system else {
            continue;
        };
        let (Ok((mut emission, mut visibility, layers)), Ok((root, root_layers))) =
            (systems.get_mut(*entity), roots.get(state.outermost))
        else {
            continue;
        };
        let is_now_shown = shown.is_shown(proxy, state.outermost);
        if core::mem::replace(is_shown, is_now_shown) != is_now_shown {
            *emission = if is_now_shown {
                ParticleEmission::Playing
            } else {
                ParticleEmission::Stopped
            };
        }
        visibility.set_if_neq(if !is_now_shown && root.get() {
            Visibility::Visible
        } else {
            Visibility::Inherited
        });
        if layers != root_layers {
            match root_layers {
                Some(layers) => commands.entity(*entity).try_insert(layers.clone()),
                None => commands.entity(*entity).try_remove::<RenderLayers>(),
            };
        }
    }
}
