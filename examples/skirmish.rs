//! A small battle: `cargo run --example skirmish`.
//!
//! You should see a loading screen, and then a blue team on the left and a red team on the right, which walk towards
//! each other and shoot. Each has two big walkers and a hooded warden, which fire while they walk, and three small
//! sentries, which stop to fire. The warden carries a crystal. The van in the middle stops shots. The text at the bottom
//! has the counts of both teams, and at last the winner, whose units stand still. Sizes, clips, strides, events and masks
//! of the units are in their manifests.
//!
//! R restarts, Space pauses, and the left and right arrow keys turn the camera.
//!
//! `--capture FILE --time SECONDS` saves an image of that moment without a window.

use bevy::color::palettes::tailwind::{BLUE_600, CYAN_300, ORANGE_400, RED_600};
use bevy::prelude::*;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::Mdl;
use bevy_classic_models::query::ModelRayCastSettings;
use classic_models_support::studio::{Caption, LoadingScreen, StudioPlugin};
use classic_models_support::{dice::Dice, example::ExamplePlugins};

// Of each team: blue and red.
const TEAM_COLORS: [Srgba; 2] = [BLUE_600, RED_600];
const SHOT_COLORS: [Srgba; 2] = [CYAN_300, ORANGE_400];
const PALETTE_ROWS: [u8; 2] = [13, 4];
const SKINS: [&str; 2] = ["frost", "fire"];

// Of each kind of unit: walkers, sentries and wardens. Lengths are in meters, speeds in meters per second.
const HEALTH: [f32; 3] = [100.0, 40.0, 60.0];
const HEIGHT: [f32; 3] = [4.0, 2.2, 2.4];
const RANGE: [f32; 3] = [14.0, 11.0, 9.0];
const SPEED: [f32; 3] = [1.6, 1.4, 1.5];
/// The positions along Z at which the units of a team start.
const ROWS: [&[f32]; 3] = [&[4.0, -3.0], &[1.0, -0.8, -6.0], &[-8.0]];

const VAN_POSITION: Vec3 = Vec3::new(0.0, 0.0, 0.5);
// Seconds between two attacks of a unit, and the health that each shot takes.
const RELOAD: f32 = 3.0;
const DAMAGE: f32 = 7.0;
// The speed of shots in meters per second, and that of turning units in radians per second.
const SHOT_SPEED: f32 = 25.0;
const TURN: f32 = 1.2;

/// The models of the three kinds of units, of the van and of the crystal. The handles keep them loaded.
#[derive(Resource)]
struct Models([UntypedHandle; 5]);

#[derive(Component, Default)]
#[require(FollowVelocity, Visibility::Hidden)]
struct Unit {
    kind: usize,
    team: usize,
    damage: f32,
    /// Seconds until it can attack.
    reload: f32,
    /// The middle of the nearest enemy.
    target: Option<Vec3>,
    shots: u32,
}

/// A shot of a team.
#[derive(Component)]
struct Shot(usize, Ray3d);

fn main() -> AppExit {
    let studio = StudioPlugin {
        eye: Vec3::new(0.0, 10.0, -19.0),
        target: Vec3::Y,
        keys: "R: restart",
        ..default()
    };
    let battle = (fight, fly, sink, count_units).chain();
    App::new()
        .add_plugins((ExamplePlugins::from_env(), ClassicModelsPlugins, studio))
        .add_observer(show_unit)
        .add_observer(fire)
        .add_systems(Startup, load)
        .add_systems(Update, (show_progress, restart, battle))
        .run()
}

/// A manifest loads everything that it names.
fn load(mut commands: Commands, assets: Res<AssetServer>, mut gizmos: ResMut<GizmoConfigStore>) {
    let unit = |name| {
        let manifest = format!("models/skirmish_{name}.model.ron");
        assets.load::<ModelManifest>(manifest).untyped()
    };
    let [walker, sentry, warden, van] = ["walker", "sentry", "warden", "courier"].map(unit);
    let crystal = assets.load::<Mdl>("models/crystal.mdl").untyped();
    commands.insert_resource(Models([walker, sentry, warden, van, crystal]));
    commands.spawn((LoadingScreen, Text::default()));
    gizmos.config_mut::<DefaultGizmoConfigGroup>().0.line.width = 5.0;
}

fn show_progress(
    mut commands: Commands,
    models: Res<Models>,
    assets: Res<AssetServer>,
    mut screen: Single<(Entity, &mut Text), With<LoadingScreen>>,
) {
    // Files that are broken or missing do not stop the battle.
    let done =
        |model: &&UntypedHandle| !assets.recursive_dependency_load_state(*model).is_loading();
    let count = models.0.iter().filter(done).count();
    screen.1.0 = format!("\n\n\nLoading: {} %", 100 * count / models.0.len());
    if count == models.0.len() {
        commands.entity(screen.0).despawn();
        commands.run_system_cached(spawn_battle);
    }
}

/// What a restart despawns.
type InBattle = Or<(With<ClassicModel>, With<Shot>)>;

fn restart(mut commands: Commands, keys: Res<ButtonInput<KeyCode>>, old: Query<Entity, InBattle>) {
    if keys.just_pressed(KeyCode::KeyR) && !old.is_empty() {
        old.iter()
            .for_each(|old| commands.entity(old).try_despawn());
        commands.run_system_cached(spawn_battle);
    }
}

/// The blue team starts at +X, which is on the left.
fn spawn_battle(mut commands: Commands, models: Res<Models>) {
    let [units @ .., van, crystal] = models.0.clone().map(ClassicModel::new);
    for (kind, model) in units.iter().enumerate() {
        for (z, team) in ROWS[kind].iter().flat_map(|z| [(z, 0), (z, 1)]) {
            let side = [Vec3::X, Vec3::NEG_X][team];
            let transform = Transform::from_translation(11.0 * side + z * Vec3::Z);
            let new = Unit::default();
            let mut root = commands.spawn(Unit { kind, team, ..new });
            root.insert((model.clone(), transform.looking_to(-side, Vec3::Y)));
            let [shirt, pants] = [PALETTE_ROWS[team]; 2];
            // Each format has colors of its own. Quake models have no layers.
            match kind {
                0 => root.insert((ClipLayers::default(), TeamColor(TEAM_COLORS[team].into()))),
                1 => root.insert(PlayerColors { shirt, pants }),
                _ => root.insert((ClipLayers::default(), ModelSkin::from(SKINS[team]))),
            };
            let (to, bone) = (root.id(), "L_Hand".into());
            if kind == 2 {
                let transform = Transform::from_xyz(0.0, -28.0, 0.0);
                let carried = (AttachedToBone { to, bone }, transform);
                commands.spawn((carried, crystal.clone(), PlayClip::looping("hover")));
            }
        }
    }
    let place = Transform::from_translation(VAN_POSITION);
    commands.spawn((van, place.looking_to(Vec3::new(-1.0, 0.0, -0.5), Vec3::Y)));
}

/// Shows each unit in the frame in which it is complete.
fn show_unit(ready: On<ModelReady>, mut units: Query<&mut Visibility, With<Unit>>) {
    if let Ok(mut visibility) = units.get_mut(ready.entity) {
        *visibility = Visibility::Inherited;
    }
}

type Fighter = (
    &'static mut Unit,
    &'static mut Transform,
    &'static mut PlayClip,
    &'static Playback,
    Option<&'static mut ClipLayers>,
);

/// Moves units and starts their attacks. `FollowVelocity` moves their feet, and the events of `fire` start shots.
fn fight(time: Res<Time>, mut units: Query<Fighter>) {
    let seconds = time.delta_secs();
    let mut all = vec![(2, 5.0, VAN_POSITION)];
    for (unit, transform, ..) in &units {
        all.push((unit.team, HEIGHT[unit.kind], transform.translation));
    }
    // The order of queries depends on loads, and sums depend on the order.
    all.sort_by_key(|unit| unit.2.to_array().map(f32::to_bits));
    for (mut unit, mut transform, mut play, playback, layers) in &mut units {
        let (kind, position) = (unit.kind, transform.translation);
        unit.reload -= seconds;
        let distance = |place: Vec3| place.distance(position);
        let enemies = all.iter().filter(|(team, ..)| *team == 1 - unit.team);
        let nearest = enemies.min_by(|a, b| distance(a.2).total_cmp(&distance(b.2)));
        unit.target = nearest.map(|(_, height, enemy)| enemy + 0.6 * height * Vec3::Y);
        if play.clip == "fire" && !playback.finished {
            continue;
        }
        let (mut velocity, mut attacks) = (Vec3::ZERO, false);
        if let Some((.., enemy)) = nearest {
            let ahead = transform.looking_at(*enemy, Vec3::Y).rotation;
            transform.rotation = transform.rotation.rotate_towards(ahead, TURN * seconds);
            let far = distance(*enemy) / RANGE[kind];
            let is_ahead = transform.rotation.angle_between(ahead) < 0.2;
            attacks = is_ahead && far < 1.0 && unit.reload < 0.0;
            velocity = transform.forward() * if far > 0.6 { SPEED[kind] } else { 0.0 };
        }
        for (_, height, obstacle) in &all {
            let overlap = 0.4 * (height + HEIGHT[kind]) - distance(*obstacle);
            velocity += 2.0 * overlap.max(0.0) * (position - obstacle).normalize_or_zero();
        }
        transform.translation += velocity * seconds;
        let is_moving = velocity.length() > 0.1;
        let mut clip = if is_moving { "walk" } else { "idle" };
        if attacks {
            unit.reload = RELOAD;
            let upper_body = ClipLayer::one_shot("fire").with_mask("upper");
            match layers {
                Some(mut layers) => _ = layers.push(upper_body.with_fades(0.1, 0.2)),
                None => clip = "fire",
            }
        }
        if play.clip != clip {
            *play = PlayClip::from_manifest(clip).with_fade(0.2);
        }
    }
}

/// The events in the manifests are `fire`, or `fire` and the bone of the muzzle. Quake models have no bones.
fn fire(
    event: On<ModelEvent>,
    mut commands: Commands,
    mut units: Query<(&mut Unit, &GlobalTransform)>,
    models: ModelQuery,
) {
    if let Some(bone) = event.name.strip_prefix("fire")
        && let Ok((mut unit, root)) = units.get_mut(event.entity)
        && let Some(target) = unit.target
    {
        let bone = models.bone_transform(event.entity, bone.trim_start());
        let front = || root.transform_point(Vec3::new(0.0, 1.4, -1.0));
        let muzzle = bone.map_or_else(front, |bone| bone.translation());
        unit.shots += 1;
        let mut dice = Dice::new(unit.shots + 100 * (3 * unit.team + unit.kind) as u32);
        let spread = Vec3::from([(); 3].map(|()| dice.between(-0.6, 0.6)));
        if let Ok(direction) = Dir3::new(target + spread - muzzle) {
            commands.spawn(Shot(unit.team, Ray3d::new(muzzle, direction)));
        }
    }
}

/// Moves the shots. They hit everything except units of their own team.
fn fly(
    mut commands: Commands,
    (time, mut gizmos): (Res<Time>, Gizmos),
    mut rays: ModelRayCast,
    mut shots: Query<(Entity, &mut Shot)>,
    mut units: Query<&mut Unit>,
    parents: Query<&ChildOf>,
    carried: Query<(Entity, &AttachedToBone)>,
) -> Result {
    let step = SHOT_SPEED * time.delta_secs();
    for (entity, mut shot) in &mut shots {
        let Shot(team, ray) = &mut *shot;
        // A part of the crystal is below the warden, too.
        let unit_of = |part| parents.iter_ancestors(part).find(|of| units.contains(*of));
        let team_of = |part| Some(units.get(unit_of(part)?).ok()?.team);
        let is_foe = |part| team_of(part) != Some(*team);
        let settings = ModelRayCastSettings::default().with_filter(&is_foe);
        let settings = settings.with_max_distance(step);
        let hit = rays.cast_ray(*ray, &settings).first().copied();
        let hit_unit = hit.and_then(|hit| unit_of(hit.part));
        ray.origin = ray.get_point(step);
        gizmos.line(ray.origin, ray.get_point(-0.8), SHOT_COLORS[*team]);
        if hit.is_some() || ray.origin.y < 0.0 || ray.origin.length() > 60.0 {
            commands.entity(entity).despawn();
        }
        let Some(root) = hit_unit else { continue };
        let mut unit = units.get_mut(root)?;
        unit.damage += DAMAGE;
        if unit.damage >= HEALTH[unit.kind] {
            commands.entity(root).remove::<(Unit, ClipLayers)>();
            let fall = PlayClip::from_manifest("die").with_fade(0.2);
            commands.entity(root).insert(fall);
            for (crystal, _) in carried.iter().filter(|(_, carried)| carried.to == root) {
                commands.entity(crystal).remove::<AttachedToBone>();
            }
        } else if unit.damage >= 0.5 * HEALTH[unit.kind] && unit.kind == 0 {
            commands.entity(root).insert(DamageStage(1));
        }
    }
    Ok(())
}

/// Units that have fallen.
fn sink(
    mut commands: Commands,
    time: Res<Time>,
    mut fallen: Query<(Entity, &Playback, &mut Transform), Without<Unit>>,
) {
    let all = fallen.iter_mut();
    for (entity, _, mut transform) in all.filter(|(_, playback, _)| playback.finished) {
        transform.translation.y -= 0.4 * time.delta_secs();
        if transform.translation.y < -2.0 {
            commands.entity(entity).despawn();
        }
    }
}

fn count_units(units: Query<&Unit>, mut caption: Single<&mut Text, With<Caption>>) {
    let [blue, red] = [0, 1].map(|team| units.iter().filter(|unit| unit.team == team).count());
    let result = match (blue, red) {
        (1.., 0) => "Blue wins",
        (0, 1..) => "Red wins",
        _ => "",
    };
    caption.0 = format!("Blue: {blue} units   Red: {red} units   {result}");
}
