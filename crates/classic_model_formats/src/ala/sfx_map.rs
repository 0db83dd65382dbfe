//! `AnimationSFXMaps.txt` of Empire at War and Forces of Corruption: the sounds and surface effects of animations. It is in
//! `Data/XML`, but it is not XML.
//!
//! Each line is one event: `SOUND` or `SURFACE`, the animation's file name without its extension, a time, and the name of the
//! event, separated by white space. Surface effects, which depend on the ground, such as footprints, also name a bone.

use crate::read::{Quoted, TextPosition, Warning, WarningCollector};

/// The unit of times: a 3000th of a second.
///
/// The turns of `rep_atot` in Project Proteus, a public mod of Forces of Corruption, take 2 s and have events up to 5748. The viewer
/// of GlyphXTools divides by the same number.
pub const TICKS_PER_SECOND: f32 = 3000.0;

/// The events of animations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SfxMap {
    /// In the order of the file.
    pub events: Vec<SfxEvent>,
    /// The lines that are no events, which are left out.
    pub warnings: Vec<Warning>,
}

/// A sound or a surface effect at a time of an animation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SfxEvent {
    /// What happens.
    pub kind: SfxKind,
    /// The file name of the animation without its extension, in any case.
    pub animation: Box<str>,
    /// Seconds from the start of the animation. Not negative.
    pub seconds: f32,
    /// The name in `SFXEvents*.xml`, or that of the surface effect in `SurfaceFX.xml`.
    pub name: Box<str>,
    /// The bone at which a surface effect happens. A sound has none.
    pub bone: Option<Box<str>>,
}

/// What happens at an [`SfxEvent`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SfxKind {
    /// A sound.
    Sound,
    /// A sound, particles or a decal that depends on the ground.
    Surface,
}

/// Parses the table. Lines that are no events are warnings.
#[must_use]
pub fn parse(bytes: &[u8]) -> SfxMap {
    let mut events = Vec::new();
    let mut warnings = WarningCollector::default();
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut offset = (bytes.len() - text.len()) as u64;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let text = String::from_utf8_lossy(line);
        match event(&text) {
            Ok(event) => events.extend(event),
            Err(flaw) => warnings.warn(flaw, offset, || {
                format!("{flaw}; the line is left out: {}", Quoted(text.trim()))
            }),
        }
        offset += line.len() as u64;
    }
    let warnings = warnings.into_warnings().into_iter();
    let warnings = warnings.map(|warning| Warning {
        position: Some(TextPosition::new(bytes, warning.offset, true)),
        ..warning
    });
    SfxMap {
        events,
        warnings: warnings.collect(),
    }
}

/// The event of a line. `None` if it is empty.
fn event(line: &str) -> Result<Option<SfxEvent>, &'static str> {
    let mut words = line.split_ascii_whitespace();
    let Some(kind) = words.next() else {
        return Ok(None);
    };
    let kind = match kind {
        kind if kind.eq_ignore_ascii_case("SOUND") => SfxKind::Sound,
        kind if kind.eq_ignore_ascii_case("SURFACE") => SfxKind::Surface,
        _ => return Err("a line begins neither with SOUND nor with SURFACE"),
    };
    let (Some(animation), Some(ticks), Some(name)) = (words.next(), words.next(), words.next())
    else {
        return Err("a line has no animation, time and name");
    };
    let ticks = ticks
        .parse()
        .ok()
        .filter(|ticks: &f32| ticks.is_finite() && *ticks >= 0.0);
    let Some(ticks) = ticks else {
        return Err("a time is not a number, or below 0");
    };
    let bone = words.next().filter(|_| kind == SfxKind::Surface);
    if kind == SfxKind::Surface && bone.is_none() {
        return Err("a surface effect has no bone");
    }
    Ok(Some(SfxEvent {
        kind,
        animation: animation.into(),
        seconds: ticks / TICKS_PER_SECOND,
        name: name.into(),
        bone: bone.map(Box::from),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_events() {
        let text = b"SURFACE\twalker_move_00\t1500\tFOOT_PLANT\tB_Foot_L\r\n\r\n\
            sound walker_die_00 0 Fall\n  Surface\twalker_die_00\t5748.0\tGround_Slam\tRoot\t\n";
        let map = parse(text);
        assert_eq!(map.warnings, []);
        let events = map.events.iter().map(|event| {
            let bone = event.bone.as_deref();
            (
                event.kind,
                &*event.animation,
                event.seconds,
                &*event.name,
                bone,
            )
        });
        let events: Vec<_> = events.collect();
        let expected = [
            (
                SfxKind::Surface,
                "walker_move_00",
                0.5,
                "FOOT_PLANT",
                Some("B_Foot_L"),
            ),
            (SfxKind::Sound, "walker_die_00", 0.0, "Fall", None),
            (
                SfxKind::Surface,
                "walker_die_00",
                1.916,
                "Ground_Slam",
                Some("Root"),
            ),
        ];
        assert_eq!(events, expected);
    }

    #[test]
    fn other_lines_are_warnings_with_their_position() {
        let text = b"\xEF\xBB\xBFSOUND a 10 Ok\n<xml>\nSOUND a\nSOUND a -1 Low\nSOUND a NaN Low\nSOUND a 1e99 High\n\xFF\xFE\nSURFACE a 1 Step\nSOUND b 3 Ok";
        let map = parse(text);
        let animations: Vec<&str> = map.events.iter().map(|event| &*event.animation).collect();
        assert_eq!(animations, ["a", "b"]);
        let warnings: Vec<String> = map.warnings.iter().map(ToString::to_string).collect();
        let expected = [
            "2:1: a line begins neither with SOUND nor with SURFACE; the line is left out: \"<xml>\" (and 1 more like it)",
            "3:1: a line has no animation, time and name; the line is left out: \"SOUND a\"",
            "4:1: a time is not a number, or below 0; the line is left out: \"SOUND a -1 Low\" (and 2 more like it)",
            "8:1: a surface effect has no bone; the line is left out: \"SURFACE a 1 Step\"",
        ];
        assert_eq!(warnings, expected);
        for length in 0..text.len() {
            assert!(parse(&text[..length]).events.len() <= 2);
        }
    }
}
