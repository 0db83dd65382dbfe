//! Which clips are loops. The files do not say it, but their names do.

/// Beginnings or ends of the names of loops, such as `axrun` and `runb`.
const LOOPS: [&str; 14] = [
    "stand", "stnd", "idle", "walk", "run", "swim", "fly", "hover", "float", "prowl", "spin",
    "cruc", "flame", "burn",
];

/// Whether a clip of single frames with this name is a loop: `stand`, `walk` and `run` are, `death` and `attack` are not. The case
/// does not matter. Names that are not known are no loops.
///
/// Frame groups are always loops: the engines repeat them.
pub fn is_loop(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let has = |word: &&str| name.starts_with(word) || name.ends_with(word);
    // `runattack` is an attack.
    LOOPS.iter().any(has) && !name.contains("att")
}

#[cfg(test)]
mod tests {
    use super::is_loop;

    #[test]
    fn only_movements_and_postures_are_loops() {
        for name in [
            "stand", "Walk", "run", "axrun", "runb", "axstnd", "swim", "hover", "cruc_", "flame",
        ] {
            assert!(is_loop(name), "{name}");
        }
        for name in [
            "death",
            "deathb",
            "attack",
            "runattack",
            "axatt",
            "pain",
            "shoot",
            "frames",
            "frame",
            "drunk",
            "",
        ] {
            assert!(!is_loop(name), "{name}");
        }
    }
}
