//! The guns.

use super::skeleton::{MUZZLE, Rig};
use crate::alamo::profile::Profile;
use crate::alamo::shape::{FORWARD, Finish, SIDEWAYS, Solid, Station, block, prism};
use crate::math::Transform;

/// The left gun, and the right one.
pub fn guns(rig: &Rig) -> [Vec<Solid>; 2] {
    let bone = rig.index("Gun_L");
    let transform = rig.transform("Gun_L");
    let ahead = transform * Transform::from_xyz(0.0, 0.0, 0.0).rotated(FORWARD);
    let pod = Profile::rectangle(0.42, 0.5, 0.13);
    let small = pod.stretched(0.72, 0.66);
    let stations = [
        Station::new(-1.5, &small.inset(0.08)),
        Station::new(-1.42, &small).soft(),
        Station::new(-0.95, &pod),
        Station::new(0.85, &pod),
        Station::new(1.3, &pod.stretched(0.8, 0.72)),
        Station::new(1.38, &pod.stretched(0.8, 0.72).inset(0.08)).soft(),
    ];
    let round = |radius: f32| Profile::circle(10, radius);
    let barrel = [
        (1.2, 0.3, false),
        (1.85, 0.3, false),
        (1.92, 0.24, true),
        (1.93, 0.15, false),
        (3.35, 0.13, false),
        (3.36, 0.22, false),
        (3.42, 0.25, true),
        (MUZZLE - 0.06, 0.25, false),
        (MUZZLE, 0.2, true),
    ]
    .map(|(along, radius, soft)| {
        let station = Station::new(along, &round(radius));
        if soft { station.soft() } else { station }
    });
    let hole = [
        Station::new(MUZZLE + 0.005, &round(0.13)),
        Station::new(MUZZLE + 0.006, &round(0.12)),
    ];
    let second = [
        Station::new(1.2, &Profile::circle(8, 0.1)),
        Station::new(2.7, &Profile::circle(8, 0.09)),
        Station::new(2.71, &Profile::circle(8, 0.13)),
        Station::new(3.0, &Profile::circle(8, 0.13)),
    ];
    let magazine = block(
        ["magazine", "", "magazine end"],
        Finish::Frame,
        [-0.95, 0.45],
        &Profile::rectangle(0.3, 0.28, 0.06),
        0.06,
    );
    let fin = block(
        ["gun plate", "", "gun plate side"],
        Finish::Plate,
        [0.38, 0.52],
        &Profile::polygon(
            &[
                [-0.75, -0.36],
                [0.8, -0.36],
                [1.05, 0.05],
                [0.75, 0.4],
                [-0.45, 0.4],
            ],
            0.06,
        ),
        0.05,
    );
    let left: Vec<_> = vec![
        prism(["pod", "pod end", "pod end"], Finish::Hull, &stations).transformed(&ahead),
        prism(["barrel", "", "barrel end"], Finish::Frame, &barrel).transformed(&ahead),
        prism(["bore", "", "bore"], Finish::Bore, &hole).transformed(&ahead),
        prism(["second barrel", "", "bore"], Finish::Steel, &second)
            .transformed(&(ahead * Transform::from_xyz(0.0, -0.34, 0.0))),
        magazine.transformed(&(ahead * Transform::from_xyz(0.0, -0.62, 0.0))),
        fin.transformed(&(transform * Transform::from_xyz(0.0, 0.0, 0.0).rotated(SIDEWAYS))),
    ]
    .into_iter()
    .map(|solid| solid.on_bone(bone))
    .collect();
    let right = left
        .iter()
        .map(|solid| solid.clone().mirrored(|bone| rig.other_side(bone)))
        .collect();
    [left, right]
}
