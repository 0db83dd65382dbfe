//! What is done to the files, one after the other, and what is to come of it.

use crate::edits::{abc_meta, half, other_palette, recoloured, repainted, taller, without_meshes};
use crate::folder::{Folder, WALKER, WARDEN};
use crate::looks::{
    Look, courier_meshes, sentry_colours, sentry_height, walker_clip, walker_orders,
    walker_texture, warden_outfit, warden_size, warden_skin,
};
use std::io::Result;

/// One of them.
pub struct Step {
    /// What it does.
    pub caption: &'static str,
    /// The file that it edits.
    pub file: &'static str,
    pub edit: fn(&Folder, &str) -> Result<()>,
    /// What is looked at.
    pub look: Look,
    pub expect: Expect,
}

/// What is to come of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// The model changes.
    Change,
    /// An error about the file, and no change.
    Error,
    /// No change, and no error.
    Nothing,
}

const TEXTURE: &str = "textures/walker.dds";
const COURIER: &str = "models/courier.lgw";

/// All of them.
pub const STEPS: [Step; 14] = [
    Step {
        caption: "Writes another texture for the walker beside the old one, and renames it over that",
        file: TEXTURE,
        edit: |folder, file| folder.rename_over(file, recoloured(folder.read(file)?)),
        look: walker_texture,
        expect: Expect::Change,
    },
    Step {
        caption: "Saves another picture over the warden's skin",
        file: "skins/warden.dtx",
        edit: |folder, file| folder.write(file, repainted(folder.read(file)?)),
        look: warden_skin,
        expect: Expect::Change,
    },
    Step {
        caption: "Saves the sentry half as tall again",
        file: "models/sentry.mdl",
        edit: |folder, file| folder.write(file, taller(folder.read(file)?)),
        look: sentry_height,
        expect: Expect::Change,
    },
    Step {
        caption: "Edits the sentry's palette",
        file: "models/palette.lmp",
        edit: |folder, file| folder.rename_over(file, other_palette(folder.read(file)?)),
        look: sentry_colours,
        expect: Expect::Change,
    },
    Step {
        caption: "Saves half of the courier's file: an error, and nothing changes",
        file: COURIER,
        edit: |folder, file| folder.write(file, half(&folder.read(file)?)),
        look: courier_meshes,
        expect: Expect::Error,
    },
    Step {
        caption: "Saves the courier's whole file, but without its load",
        file: COURIER,
        edit: |folder, file| {
            let text = folder.original(file)?;
            let load = ["Tarpaulin", "Net", "Crates"];
            folder.write(file, without_meshes(&String::from_utf8_lossy(&text), &load))
        },
        look: courier_meshes,
        expect: Expect::Change,
    },
    Step {
        caption: "Puts another animation in the place of the one that the walker plays",
        file: "models/walker_MOVE_00.ala",
        edit: |folder, file| {
            folder.rename_over(file, folder.original("models/walker_ATTACK_00.ala")?)
        },
        look: walker_clip,
        expect: Expect::Change,
    },
    Step {
        caption: "Writes a .meta file for the warden, with another scale",
        file: "models/warden.abc.meta",
        edit: |folder, file| folder.write(file, abc_meta(1.2)),
        look: warden_size,
        expect: Expect::Change,
    },
    Step {
        caption: "Deletes the walker's texture: nothing changes",
        file: TEXTURE,
        edit: Folder::delete,
        look: walker_texture,
        expect: Expect::Nothing,
    },
    Step {
        caption: "Puts back the texture that the walker wore at first",
        file: TEXTURE,
        edit: |folder, file| folder.rename_over(file, folder.original(file)?),
        look: walker_texture,
        expect: Expect::Change,
    },
    Step {
        caption: "Edits the walker's manifest: another clip, another team's colour",
        file: "models/walker.model.ron",
        edit: |folder, file| {
            let text = WALKER.replace("MOVE_00", "DIE_00");
            folder.write(file, text.replace("#a33620", "#2050c0"))
        },
        look: walker_orders,
        expect: Expect::Change,
    },
    Step {
        caption: "Edits the warden's manifest: another skin, and a crystal in its hand",
        file: "models/warden.model.ron",
        edit: |folder, file| folder.rename_over(file, equipped()),
        look: warden_outfit,
        expect: Expect::Change,
    },
    Step {
        caption: "Saves a manifest with an unknown field: an error with its place, and nothing changes",
        file: "models/warden.model.ron",
        edit: |folder, file| folder.write(file, equipped().replace("skin:", "hat:")),
        look: warden_outfit,
        expect: Expect::Error,
    },
    Step {
        caption: "Saves the warden's manifest as it was at first",
        file: "models/warden.model.ron",
        edit: |folder, file| folder.write(file, WARDEN),
        look: warden_outfit,
        expect: Expect::Change,
    },
];

/// The warden's manifest with another skin and something to hold.
fn equipped() -> String {
    let more = r#"skin: "frost",
    attachments: [
        (bone: "L_Hand", model: "crystal.mdl", translation: (0, -28, 0), scale: 0.8, play: "hover"),
    ],"#;
    WARDEN.replace(r#"skin: "usual","#, more)
}
