//! The option `--turntable N DIR`: writes views of models from all sides, at equal angles.

use crate::view::camera::Orbit;
use crate::view::mesh_vertices::bounds as bounds_of;
use crate::view::model_bounds::WorldBounds;
use bevy::ecs::system::RunSystemOnce;
use bevy::prelude::*;
use clap::error::{Error, ErrorKind};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use classic_models_support::headless::Headless;
use classic_models_support::images::save;
use std::f32::consts::TAU;
use std::ffi::OsString;
use std::path::PathBuf;

/// The angles at which the models must fit, so that the camera has the same distance in all views.
const ANGLES: u16 = 24;

/// The share of the picture that is filled.
const SHARE: f32 = 0.9;

/// Frames until a view is drawn.
const FRAMES: usize = 2;

/// Writes the views as `000.png`, `001.png` and so on. The first is that of the camera.
///
/// # Errors
/// If an image cannot be written.
pub fn turn(headless: &mut Headless, turntable: &Turntable) -> Result<(), String> {
    let folder = &turntable.folder;
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let framed = headless.app.world_mut().run_system_once(frame_all_sides);
    framed.map_err(|error| error.to_string())?;
    for view in 0..turntable.count {
        for _ in 0..FRAMES {
            headless.step(0.0);
        }
        save(headless.capture(), &folder.join(format!("{view:03}.png")))?;
        let step = TAU / turntable.count as f32;
        let world = headless.app.world_mut();
        for mut orbit in world.query::<&mut Orbit>().iter_mut(world) {
            orbit.yaw += step;
        }
    }
    Ok(())
}

/// Moves the camera so that the models fit in the picture from all sides, and turns about the middle of the models.
fn frame_all_sides(bounds: WorldBounds, mut cameras: Query<(&mut Orbit, &Camera)>) {
    let corners = bounds.all_corners();
    let Some((low, high)) = bounds_of(&corners) else {
        return;
    };
    let center = (low + high) / 2.0;
    let turned = (0..ANGLES).flat_map(|angle| {
        let turn = Quat::from_rotation_y(f32::from(angle) / f32::from(ANGLES) * TAU);
        corners
            .iter()
            .map(move |corner| center + turn * (corner - center))
    });
    let points: Vec<Vec3> = turned.collect();
    for (mut orbit, camera) in &mut cameras {
        let Some(size) = camera.logical_viewport_size() else {
            continue;
        };
        orbit.frame(&points, size.x / size.y, SHARE);
        focus_on_axis(&mut orbit, center);
    }
}

/// Moves the focus along the line of sight to the vertical axis through `center`, so that the models do not sway.
fn focus_on_axis(orbit: &mut Orbit, center: Vec3) {
    let forward = orbit.rotation() * Vec3::NEG_Z;
    let (flat, to_center) = (forward.xz(), (center - orbit.focus).xz());
    // From straight above, the line is the axis.
    if flat.length_squared() > 1e-6 {
        let step = flat.dot(to_center) / flat.length_squared();
        orbit.focus += forward * step;
        orbit.distance += step;
    }
}

const USAGE: &str = "classic-models view [OPTIONS] [FILE]...";

/// The most views.
const MOST: u32 = 3600;

/// The count of views from all sides, and the folder of their images.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turntable {
    pub count: u32,
    pub folder: PathBuf,
}

/// The value of the option.
#[derive(Clone, Debug, Default)]
pub struct TurntableArg(pub Option<Turntable>);

impl Args for TurntableArg {
    fn augment_args(command: Command) -> Command {
        command.arg(
            Arg::new("turntable")
                .long("turntable")
                .num_args(2)
                .value_names(["N", "DIR"])
                .value_parser(clap::value_parser!(OsString))
                .conflicts_with("capture")
                .help("Write N views from all sides to 000.png, 001.png and so on in a folder, and exit")
                .long_help(
                    "Write N views from all sides to 000.png, 001.png and so on in a folder, and exit\n\n\
                    The first is that of --view. The camera has the same distance in all views.",
                ),
        )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for TurntableArg {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut values = matches
            .get_many::<OsString>("turntable")
            .into_iter()
            .flatten();
        let (Some(count), Some(folder)) = (values.next(), values.next()) else {
            return Ok(Self(None));
        };
        let number = count.to_str().and_then(|count| count.parse().ok());
        let number = number.filter(|count| (1..=MOST).contains(count));
        let count = number.ok_or_else(|| {
            let text = format!(
                "invalid value {count:?} for '--turntable <N> <DIR>': expected a number from 1 to {MOST}"
            );
            // The parser would print the usage of the root command.
            let mut command = Command::new("view").override_usage(USAGE);
            Error::raw(ErrorKind::ValueValidation, text).format(&mut command)
        })?;
        let folder = PathBuf::from(folder);
        Ok(Self(Some(Turntable { count, folder })))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Turntable, TurntableArg, focus_on_axis};
    use crate::view::args::View;
    use crate::view::camera::Orbit;
    use bevy::prelude::*;
    use clap::{Args, Command, FromArgMatches};
    use std::path::PathBuf;

    #[test]
    fn the_focus_moves_along_the_line_of_sight_to_the_axis() {
        for view in [View::Front, View::Iso, View::Top] {
            let mut orbit = Orbit::new(view);
            let center = Vec3::new(3.0, 4.0, 5.0);
            orbit.focus = center + orbit.rotation() * Vec3::Z * 7.0;
            let eye = orbit.transform().translation;
            focus_on_axis(&mut orbit, center);
            let after = orbit.transform().translation;
            assert!(after.distance(eye) < 1e-3, "{view:?}");
            assert!(orbit.focus.xz().distance(center.xz()) < 1e-3, "{view:?}");
        }
    }

    fn parse(values: &[&str]) -> Result<Option<Turntable>, clap::Error> {
        let command = TurntableArg::augment_args(Command::new("view")).arg(clap::arg!(--capture));
        let args = ["view"].iter().chain(values);
        let matches = command.try_get_matches_from(args)?;
        Ok(TurntableArg::from_arg_matches(&matches)?.0)
    }

    #[test]
    fn the_count_and_the_folder_are_read() {
        assert_eq!(parse(&[]).unwrap(), None);
        let folder = PathBuf::from("out");
        let turntable = Turntable { count: 8, folder };
        assert_eq!(
            parse(&["--turntable", "8", "out"]).unwrap(),
            Some(turntable)
        );
        for wrong in [
            &["--turntable", "0", "out"][..],
            &["--turntable", "x", "out"],
            &["--turntable", "8"],
            &["--turntable", "8", "out", "--capture"],
        ] {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
