//! The keys and the mouse, for `--help` and for the window that F1 opens.

/// A heading, and keys with their effects.
type KeyGroup = (&'static str, &'static [(&'static str, &'static str)]);

/// All keys, for the help.
pub const GROUPS: [KeyGroup; 6] = [
    (
        "Files and panels",
        &[
            ("Up, Down, PgUp, PgDn", "previous, next model or file"),
            ("/", "searches the files"),
            (";", "searches the clips"),
            ("'", "searches parts, bones, materials and textures"),
            ("Enter, Esc", "opens the first match; ends typing"),
            ("Tab, Shift+Tab", "next, previous widget"),
            ("F1 or ?", "shows or hides the keys"),
            (
                "F2, F3, F4",
                "shows or hides the lists, the details, the log",
            ),
        ],
    ),
    (
        "View",
        &[
            ("left drag", "orbits the models"),
            ("right or middle drag", "pans"),
            ("wheel", "zooms"),
            ("click", "frames the part under the mouse"),
            ("F, A", "frames the model, all models"),
            ("1 2 3 4", "front, side, top, iso"),
            ("Y 8 9", "next lights; darker, brighter"),
        ],
    ),
    (
        "Output",
        &[
            ("K", "writes a manifest of the model"),
            ("F12", "writes an image of the window"),
        ],
    ),
    (
        "Playback",
        &[
            ("Space, J", "plays or pauses; plays backward"),
            ("Left, Right", "previous, next clip"),
            (", .", "one frame back, on"),
            ("- +", "slower, faster"),
            ("L", "loops or plays once"),
            ("R", "rest pose, no clip"),
            ("I", "interpolation on or off (.mdl)"),
            ("Home", "restarts particle systems"),
            ("End", "ends the births of particles"),
        ],
    ),
    (
        "Appearance",
        &[
            ("S", "next skin"),
            ("C", "player colors"),
            ("T", "team color"),
            ("[ ]", "finer, coarser level of detail"),
            ("D", "damage stage"),
            ("M", "night"),
        ],
    ),
    (
        "Overlays",
        &[
            ("W B N G Z", "wireframe, bounds, normals, grid, floor"),
            ("O P H", "bones, proxies, lights"),
            ("E", "collision box (.abc)"),
            ("X", "collision trees: off, each level, all levels"),
        ],
    ),
];

/// The description of all keys for `--help`.
pub fn help() -> String {
    let mut text = "Keys and mouse:\n".to_owned();
    for (heading, keys) in GROUPS {
        text += &format!("  {heading}\n");
        for (keys, effect) in keys {
            text += &format!("    {keys:<22}{effect}\n");
        }
    }
    text
}
