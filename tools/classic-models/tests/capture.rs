//! Images that the subcommand `view` writes of particle systems.

use std::path::Path;
use std::process::Command;

/// The bytes of the image of a sample.
#[track_caller]
fn image(sample: &str, options: &[&str]) -> Vec<u8> {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/models");
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("out.png");
    let mut program = Command::new(env!("CARGO_BIN_EXE_classic-models"));
    program
        .arg("view")
        .arg(models.join(sample))
        .args(["--size", "160x90", "--capture"])
        .arg(&image)
        .args(options);
    let output = program.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{options:?}: {error}");
    std::fs::read(image).unwrap()
}

#[test]
fn images_of_particle_systems_show_the_time_since_the_start() {
    let times = ["0", "0.2", "0.21", "0.8", "4"];
    let images = times.map(|time| image("p_explosion.alo", &["--time", time]));
    for (index, image) in images.iter().enumerate() {
        assert!(!images[..index].contains(image), "--time {}", times[index]);
    }
    for (time, first) in times.iter().zip(&images).skip(3) {
        let again = image("p_explosion.alo", &["--time", time]);
        assert!(again == *first, "--time {time} differs in the second run");
    }
    // Without --time, the image is of the start.
    assert!(image("p_explosion.alo", &[]) == images[0]);
}

#[test]
fn images_of_models_have_the_particles_of_their_proxies() {
    let at = |clip: &[&str], time| {
        let options = [&["--damage-stage", "1", "--time", time], clip].concat();
        image("walker.alo", &options)
    };
    let clip = ["--clip", "MOVE"];
    assert!(
        at(&clip, "0.9") == at(&clip, "0.9"),
        "the second run differs"
    );
    // The pose is the same.
    assert!(
        at(&["--rest"], "0") != at(&["--rest"], "0.9"),
        "particles at both times"
    );
}
