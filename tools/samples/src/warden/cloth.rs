//! Cloth: its cut, and its simulation while nodes move.
//!
//! The simulation is Verlet integration with distance constraints: each step continues the motion
//! of the previous one, then corrects violated constraints iteratively.

use super::clips::Clip;
use super::pose::{Pose, pose};
use super::rig::{ARMS, CAPE, HEAD, LEGS, NODES, PELVIS, TABARD, TORSO};
use crate::alamo::loft::skin;
use crate::alamo::shape::Solid;
use crate::math::{Transform, mix, sin};
use bevy::math::Vec3;

/// A rectangle of cloth whose first row is attached.
#[derive(Clone, Debug)]
pub struct Cloth {
    /// The node that carries it, which owns its vertices.
    pub node: usize,
    charts: [&'static str; 2],
    columns: usize,
    /// Its points in the modeling pose, row by row. Seen from inside, rows go down and columns go
    /// from right to left.
    rest: Vec<Vec3>,
}

/// Distance from the lining to the cloth.
const THICK: f32 = 0.07;

/// All cloths.
pub fn cloths() -> [Cloth; 2] {
    [cape(), tabard()]
}

fn cape() -> Cloth {
    const COLUMNS: usize = 8;
    const ROWS: usize = 8;
    // The depth of cuts and tears in the hem.
    const HEM: [f32; COLUMNS] = [0.88, 1.0, 0.87, 1.05, 0.9, 1.04, 0.88, 1.0];
    let point = |index: usize| {
        let (row, column) = (index / COLUMNS, index % COLUMNS);
        let side = column as f32 / (COLUMNS - 1) as f32 * 2.0 - 1.0;
        let down = row as f32 / (ROWS - 1) as f32;
        let long = if row == ROWS - 1 { HEM[column] } else { 1.0 };
        let down = down * mix(1.0, long, down);
        let folds = (0.05 + 0.13 * down) * if column % 2 == 0 { 1.0 } else { -1.0 };
        let x = side * mix(0.86, 1.4, down);
        let y = mix(0.62, 1.15, down) - side * side * mix(0.62, 0.7, down) + folds;
        Vec3::new(
            x,
            y,
            mix(5.62, 0.42, down) - 0.2 * side * side * (1.0 - down),
        )
    };
    Cloth {
        node: CAPE,
        charts: ["cape", "lining"],
        columns: COLUMNS,
        rest: (0..COLUMNS * ROWS).map(point).collect(),
    }
}

/// A strip in front of the legs.
fn tabard() -> Cloth {
    const COLUMNS: usize = 4;
    const ROWS: usize = 6;
    let point = |index: usize| {
        let (row, column) = (index / COLUMNS, index % COLUMNS);
        let side = column as f32 / (COLUMNS - 1) as f32 * 2.0 - 1.0;
        let down = row as f32 / (ROWS - 1) as f32;
        let tip = if row == ROWS - 1 {
            0.22 * (1.0 - side * side)
        } else {
            0.0
        };
        let x = -side * mix(0.4, 0.48, down);
        let y = 0.08 * side * side - mix(0.56, 0.68, down);
        Vec3::new(x, y, mix(3.98, 1.3, down) - tip)
    };
    Cloth {
        node: TABARD,
        charts: ["tabard", "tabard in"],
        columns: COLUMNS,
        rest: (0..COLUMNS * ROWS).map(point).collect(),
    }
}

impl Cloth {
    /// Its outside and its lining, in the modeling pose.
    pub fn solids(&self) -> [Solid; 2] {
        let lining = self.lining(&self.rest);
        let rows = |points: &[Vec3]| -> Vec<Vec<Vec3>> {
            points.chunks(self.columns).map(<[Vec3]>::to_vec).collect()
        };
        let mut inside = rows(&lining);
        for row in &mut inside {
            row.reverse();
        }
        [
            skin(self.charts[0], &rows(&self.rest), false).on_bone(self.node),
            skin(self.charts[1], &inside, false).on_bone(self.node),
        ]
    }

    /// The points of both sides, the outside first; `points` are those of the outside.
    pub fn both_sides(&self, points: &[Vec3]) -> Vec<Vec3> {
        [points, &self.lining(points)].concat()
    }

    /// The points of both sides in the modeling pose.
    pub fn modeled(&self) -> Vec<Vec3> {
        self.both_sides(&self.rest)
    }

    /// The lining meets the outside along the border.
    fn lining(&self, points: &[Vec3]) -> Vec<Vec3> {
        let rows = points.len() / self.columns;
        let point = |index: usize| {
            let (row, column) = (index / self.columns, index % self.columns);
            if row == 0 || row == rows - 1 || column == 0 || column == self.columns - 1 {
                return points[index];
            }
            let across = points[index + 1] - points[index - 1];
            let down = points[index + self.columns] - points[index - self.columns];
            points[index] - across.cross(down).normalize_or_zero() * THICK
        };
        (0..points.len()).map(point).collect()
    }

    /// Distance constraints: pairs of points, their distance, and their stiffness.
    fn springs(&self) -> Vec<(usize, usize, f32, f32)> {
        let rows = self.rest.len() / self.columns;
        let mut springs = Vec::new();
        for row in 0..rows {
            for column in 0..self.columns {
                let links: [(usize, isize, f32); 6] = [
                    (1, 0, 1.0),
                    (0, 1, 1.0),
                    (1, 1, 0.5),
                    (1, -1, 0.5),
                    (2, 0, 0.08),
                    (0, 2, 0.12),
                ];
                for (down, across, stiff) in links {
                    let Some(other) = column.checked_add_signed(across) else {
                        continue;
                    };
                    if row + down >= rows || other >= self.columns {
                        continue;
                    }
                    let (a, b) = (
                        row * self.columns + column,
                        (row + down) * self.columns + other,
                    );
                    springs.push((a, b, self.rest[a].distance(self.rest[b]), stiff));
                }
            }
        }
        springs
    }

    /// Simulates the points at each keyframe of a clip. The simulation starts with the points
    /// `initial`, or in the modeling pose with a warm-up. The last keyframe of a looping clip blends
    /// into its first.
    pub fn simulate(&self, clip: &Clip, initial: Option<&[Vec3]>) -> Vec<Vec<Vec3>> {
        const WARM_UP: u16 = 4;
        let mut simulation = Simulation::new(self, clip, initial);
        if initial.is_none() {
            for _ in 0..WARM_UP * clip.last {
                simulation.keyframe();
            }
        }
        let mut keyframes = vec![simulation.points.clone()];
        for _ in 0..clip.last {
            simulation.keyframe();
            keyframes.push(simulation.points.clone());
        }
        if clip.loops {
            close_loop(&mut keyframes);
        }
        keyframes
    }
}

/// Blends the last keyframe into the first.
fn close_loop(keyframes: &mut [Vec<Vec3>]) {
    let last = keyframes.len() - 1;
    let gap: Vec<Vec3> = (0..keyframes[0].len())
        .map(|point| keyframes[0][point] - keyframes[last][point])
        .collect();
    for (index, keyframe) in keyframes.iter_mut().enumerate() {
        let t = index as f32 / last as f32;
        for (point, gap) in keyframe.iter_mut().zip(&gap) {
            *point += *gap * (t * t);
        }
    }
    keyframes[last] = keyframes[0].clone();
}

/// Simulation steps per second.
const STEPS: u32 = 240;
const GRAVITY: f32 = 26.0;

struct Simulation<'a> {
    cloth: &'a Cloth,
    clip: &'a Clip,
    springs: Vec<(usize, usize, f32, f32)>,
    points: Vec<Vec3>,
    before: Vec<Vec3>,
    step: u32,
}

impl<'a> Simulation<'a> {
    fn new(cloth: &'a Cloth, clip: &'a Clip, initial: Option<&[Vec3]>) -> Self {
        let transform = carried(cloth.node, &pose(&(clip.stance)(0.0)));
        let modeled = || cloth.rest.iter().map(|at| transform.point(*at)).collect();
        let points: Vec<Vec3> = initial.map_or_else(modeled, <[Vec3]>::to_vec);
        Self {
            cloth,
            clip,
            springs: cloth.springs(),
            before: points.clone(),
            points,
            step: 0,
        }
    }

    /// Advances to the next keyframe.
    fn keyframe(&mut self) {
        let steps = self.clip.step * STEPS / 1000;
        let first = self.step;
        while self.step < first + steps {
            self.step += 1;
            let all = u32::from(self.clip.last) * steps;
            // The last moment of a loop equals the first.
            let now = if self.clip.loops {
                self.step % all
            } else {
                self.step
            };
            self.advance(now as f32 / STEPS as f32);
        }
    }

    fn advance(&mut self, time: f32) {
        let pose = pose(&(self.clip.stance)(time));
        let transform = carried(self.cloth.node, &pose);
        let capsules = capsules(&pose);
        let step = 1.0 / STEPS as f32;
        let phase = time / self.clip.seconds();
        let gust = 0.5 + 0.5 * sin(phase) + 0.35 * sin(3.0 * phase + 0.2);
        for index in 0..self.points.len() {
            let at = self.points[index];
            let speed = (at - self.before[index]) / step;
            let sway = sin(2.0 * phase + at.x * 0.12) * 0.5;
            let wind = Vec3::new(sway, self.clip.speed * mix(0.8, 1.2, gust), 0.0);
            let force = Vec3::NEG_Z * GRAVITY + (wind - speed) * 1.9;
            self.before[index] = at;
            self.points[index] = at + speed * step + force * (step * step);
        }
        for _ in 0..8 {
            for &(a, b, length, stiff) in &self.springs {
                let between = self.points[b] - self.points[a];
                let now = between.length().max(1e-4);
                let by = between * (0.5 * stiff * (1.0 - length / now));
                self.points[a] += by;
                self.points[b] -= by;
            }
            for (point, rest) in self
                .points
                .iter_mut()
                .zip(&self.cloth.rest)
                .take(self.cloth.columns)
            {
                *point = transform.point(*rest);
            }
            for point in self.points.iter_mut().skip(self.cloth.columns) {
                *point = capsules
                    .iter()
                    .fold(*point, |point, capsule| capsule.out(point));
                point.z = point.z.max(0.06);
            }
        }
        // Friction slows points in contact.
        for (point, before) in self.points.iter().zip(&mut self.before) {
            if point.z < 0.1 {
                *before = before.lerp(*point, 0.3);
            }
        }
    }
}

/// From the modeling pose to the current transform of the node.
fn carried(node: usize, pose: &Pose) -> Transform {
    let joint = NODES[node].joint;
    pose[node] * Transform::from_xyz(-joint.x, -joint.y, -joint.z)
}

/// A capsule that cloth collides with.
struct Capsule {
    from: Vec3,
    to: Vec3,
    radius: f32,
}

impl Capsule {
    /// The nearest point outside.
    fn out(&self, point: Vec3) -> Vec3 {
        let axis = self.to - self.from;
        let along = (point - self.from).dot(axis) / axis.length_squared().max(1e-6);
        let nearest = self.from + axis * along.clamp(0.0, 1.0);
        let out = point - nearest;
        let distance = out.length();
        if distance >= self.radius {
            return point;
        }
        nearest + out.normalize_or(Vec3::Y) * self.radius
    }
}

fn capsules(pose: &Pose) -> Vec<Capsule> {
    let on = |node: usize, x: f32, y: f32, z: f32| {
        pose[node].point(Vec3::new(x, y, z) - NODES[node].joint)
    };
    let rod = |from: Vec3, to: Vec3, radius: f32| Capsule { from, to, radius };
    let mut capsules = vec![
        rod(on(TORSO, -0.4, 0.0, 5.1), on(TORSO, 0.4, 0.0, 5.1), 0.62),
        rod(on(TORSO, -0.16, 0.0, 4.4), on(TORSO, 0.16, 0.0, 4.4), 0.52),
        rod(on(PELVIS, -0.2, 0.0, 3.8), on(PELVIS, 0.2, 0.0, 3.8), 0.54),
        rod(on(PELVIS, -0.2, 0.0, 3.5), on(PELVIS, 0.2, 0.0, 3.5), 0.6),
        rod(on(HEAD, 0.0, 0.05, 6.2), on(HEAD, 0.0, 0.05, 6.3), 0.68),
    ];
    for limb in LEGS {
        let [hip, knee, ankle] =
            [limb.upper, limb.lower, limb.end].map(|node| pose[node].translation);
        capsules.push(rod(hip, knee, 0.38));
        capsules.push(rod(knee, ankle, 0.33));
    }
    for limb in ARMS {
        let [shoulder, elbow] = [limb.upper, limb.lower].map(|node| pose[node].translation);
        capsules.push(rod(shoulder, shoulder.lerp(elbow, 0.3), 0.64));
        capsules.push(rod(shoulder, elbow, 0.32));
    }
    capsules
}

/// The points of both sides of a cloth, in the space of its node.
pub fn in_nodes(cloth: &Cloth, points: &[Vec3], pose: &Pose) -> Vec<Vec3> {
    let transform = pose[cloth.node];
    let back = transform.rotation.transpose();
    cloth
        .both_sides(points)
        .iter()
        .map(|at| back * (*at - transform.translation))
        .collect()
}
