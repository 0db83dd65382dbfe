//! Cloth: how it is cut, and how it falls and swings while nodes move under it.
//!
//! Points that keep their distances, as in games since: each step moves them on by what they moved last,
//! and then puts right what is wrong, again and again.

use super::clips::Clip;
use super::pose::{Pose, pose};
use super::rig::{ARMS, CAPE, HEAD, LEGS, NODES, PELVIS, TABARD, TORSO};
use crate::alamo::loft::skin;
use crate::alamo::shape::Solid;
use crate::maths::{Place, mix, sin};
use bevy::math::Vec3;

/// A rectangle of cloth that hangs on its first row.
#[derive(Clone, Debug)]
pub struct Cloth {
    /// The node that carries it, and that its vertices are of.
    pub node: usize,
    charts: [&'static str; 2],
    columns: usize,
    /// Where its points are while it is shaped, row by row; it is seen from outside with the rows going
    /// down and the columns from right to left of who looks from inside.
    rest: Vec<Vec3>,
}

/// How far the lining is from the cloth.
const THICK: f32 = 0.07;

/// All cloth.
pub fn cloths() -> [Cloth; 2] {
    [cape(), tabard()]
}

fn cape() -> Cloth {
    const COLUMNS: usize = 8;
    const ROWS: usize = 8;
    // How far down the hem is cut and torn.
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

/// A strip before the legs.
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
    /// Its outside and its lining, where it is shaped.
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
            skin(self.charts[0], &rows(&self.rest), false).on(self.node),
            skin(self.charts[1], &inside, false).on(self.node),
        ]
    }

    /// All points of both sides, first those of the outside, for points of the outside.
    pub fn both_sides(&self, points: &[Vec3]) -> Vec<Vec3> {
        [points, &self.lining(points)].concat()
    }

    /// All points of both sides where it is shaped.
    pub fn shaped(&self) -> Vec<Vec3> {
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

    /// Pairs of points, how far they are from each other, and how stiffly they stay so.
    fn springs(&self) -> Vec<(usize, usize, f32, f32)> {
        let rows = self.rest.len() / self.columns;
        let mut springs = Vec::new();
        for row in 0..rows {
            for column in 0..self.columns {
                let ways: [(usize, isize, f32); 6] = [
                    (1, 0, 1.0),
                    (0, 1, 1.0),
                    (1, 1, 0.5),
                    (1, -1, 0.5),
                    (2, 0, 0.08),
                    (0, 2, 0.12),
                ];
                for (down, across, stiff) in ways {
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

    /// Where its points are at each keyframe of a clip. `begin` is where they are before, if that is
    /// known: then the clip goes over into that again, unless it ends otherwise.
    pub fn hang(&self, clip: &Clip, begin: Option<&[Vec3]>) -> Vec<Vec<Vec3>> {
        const WARM_UP: u16 = 4;
        let mut moving = Moving::new(self, clip, begin);
        if begin.is_none() {
            for _ in 0..WARM_UP * clip.last {
                moving.keyframe();
            }
        }
        let mut keyframes = vec![moving.points.clone()];
        for _ in 0..clip.last {
            moving.keyframe();
            keyframes.push(moving.points.clone());
        }
        if clip.loops {
            close(&mut keyframes);
        }
        keyframes
    }
}

/// Makes the last keyframe the first, little by little.
fn close(keyframes: &mut [Vec<Vec3>]) {
    let last = keyframes.len() - 1;
    let gap: Vec<Vec3> = (0..keyframes[0].len())
        .map(|point| keyframes[0][point] - keyframes[last][point])
        .collect();
    for (index, keyframe) in keyframes.iter_mut().enumerate() {
        let way = index as f32 / last as f32;
        for (point, gap) in keyframe.iter_mut().zip(&gap) {
            *point += *gap * (way * way);
        }
    }
    keyframes[last] = keyframes[0].clone();
}

/// Parts of a second that cloth moves by.
const STEPS: u32 = 240;
const GRAVITY: f32 = 26.0;

struct Moving<'a> {
    cloth: &'a Cloth,
    clip: &'a Clip,
    springs: Vec<(usize, usize, f32, f32)>,
    points: Vec<Vec3>,
    before: Vec<Vec3>,
    step: u32,
}

impl<'a> Moving<'a> {
    fn new(cloth: &'a Cloth, clip: &'a Clip, begin: Option<&[Vec3]>) -> Self {
        let place = carried(cloth.node, &pose(&(clip.stance)(0.0)));
        let shaped = || cloth.rest.iter().map(|at| place.point(*at)).collect();
        let points: Vec<Vec3> = begin.map_or_else(shaped, <[Vec3]>::to_vec);
        Self {
            cloth,
            clip,
            springs: cloth.springs(),
            before: points.clone(),
            points,
            step: 0,
        }
    }

    /// On to the next keyframe.
    fn keyframe(&mut self) {
        let steps = self.clip.step * STEPS / 1000;
        let first = self.step;
        while self.step < first + steps {
            self.step += 1;
            let all = u32::from(self.clip.last) * steps;
            // The last moment of a loop is its first.
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
        let place = carried(self.cloth.node, &pose);
        let bodies = bodies(&pose);
        let step = 1.0 / STEPS as f32;
        let way = time / self.clip.seconds();
        let gust = 0.5 + 0.5 * sin(way) + 0.35 * sin(3.0 * way + 0.2);
        for index in 0..self.points.len() {
            let at = self.points[index];
            let speed = (at - self.before[index]) / step;
            let sway = sin(2.0 * way + at.x * 0.12) * 0.5;
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
                *point = place.point(*rest);
            }
            for point in self.points.iter_mut().skip(self.cloth.columns) {
                *point = bodies.iter().fold(*point, |point, body| body.out(point));
                point.z = point.z.max(0.06);
            }
        }
        // What rubs on something is slow.
        for (point, before) in self.points.iter().zip(&mut self.before) {
            if point.z < 0.1 {
                *before = before.lerp(*point, 0.3);
            }
        }
    }
}

/// From where cloth is shaped to where its node carries it.
fn carried(node: usize, pose: &Pose) -> Place {
    let joint = NODES[node].joint;
    pose[node] * Place::at(-joint.x, -joint.y, -joint.z)
}

/// A rod that cloth does not go through.
struct Body {
    from: Vec3,
    to: Vec3,
    radius: f32,
}

impl Body {
    /// The nearest place outside.
    fn out(&self, point: Vec3) -> Vec3 {
        let way = self.to - self.from;
        let along = (point - self.from).dot(way) / way.length_squared().max(1e-6);
        let nearest = self.from + way * along.clamp(0.0, 1.0);
        let out = point - nearest;
        let distance = out.length();
        if distance >= self.radius {
            return point;
        }
        nearest + out.normalize_or(Vec3::Y) * self.radius
    }
}

fn bodies(pose: &Pose) -> Vec<Body> {
    let on = |node: usize, x: f32, y: f32, z: f32| {
        pose[node].point(Vec3::new(x, y, z) - NODES[node].joint)
    };
    let rod = |from: Vec3, to: Vec3, radius: f32| Body { from, to, radius };
    let mut bodies = vec![
        rod(on(TORSO, -0.4, 0.0, 5.1), on(TORSO, 0.4, 0.0, 5.1), 0.62),
        rod(on(TORSO, -0.16, 0.0, 4.4), on(TORSO, 0.16, 0.0, 4.4), 0.52),
        rod(on(PELVIS, -0.2, 0.0, 3.8), on(PELVIS, 0.2, 0.0, 3.8), 0.54),
        rod(on(PELVIS, -0.2, 0.0, 3.5), on(PELVIS, 0.2, 0.0, 3.5), 0.6),
        rod(on(HEAD, 0.0, 0.05, 6.2), on(HEAD, 0.0, 0.05, 6.3), 0.68),
    ];
    for limb in LEGS {
        let [hip, knee, ankle] = [limb.upper, limb.lower, limb.end].map(|node| pose[node].at);
        bodies.push(rod(hip, knee, 0.38));
        bodies.push(rod(knee, ankle, 0.33));
    }
    for limb in ARMS {
        let [shoulder, elbow] = [limb.upper, limb.lower].map(|node| pose[node].at);
        bodies.push(rod(shoulder, shoulder.lerp(elbow, 0.3), 0.64));
        bodies.push(rod(shoulder, elbow, 0.32));
    }
    bodies
}

/// Keyframes of all cloth in a clip, of both sides, in the spaces of their nodes.
pub fn in_nodes(cloth: &Cloth, points: &[Vec3], pose: &Pose) -> Vec<Vec3> {
    let place = pose[cloth.node];
    let back = place.turn.transpose();
    cloth
        .both_sides(points)
        .iter()
        .map(|at| back * (*at - place.at))
        .collect()
}
