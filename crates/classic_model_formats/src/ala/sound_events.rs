//! `SFXEvents*.xml` of Empire at War and Forces of Corruption: the sounds of events, by the names that
//! [`sfx_map`](super::sfx_map) has. Such a file is in `Data/XML`; `SFXEventFiles.xml` lists the files of a game in their order.
//!
//! An event has the values of its preset, unless it has its own. Presets are events too, in a file that comes first.

use crate::read::{ParseError, Quoted, Warning, WarningCollector};
use crate::xml_list::{XmlList, XmlPart, decode};
use core::ops::RangeInclusive;
use std::collections::BTreeMap;

/// The sounds of events, from any count of files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SoundEvents {
    /// By their names in upper case.
    events: BTreeMap<Box<str>, SoundEvent>,
    presets: BTreeMap<Box<str>, SoundEvent>,
}

/// What [`SoundEvents::add`] found beside events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddedFile {
    /// The files that an `SFXEventFiles.xml` lists, as it names them: from `Data/XML`.
    pub files: Vec<Box<str>>,
    /// Values that were left out.
    pub warnings: Vec<Warning>,
}

/// How an event sounds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SoundEvent {
    /// Its name, as in the file.
    pub name: Box<str>,
    /// The name of the preset from which it has its other values. It is the class of the sound, such as `Preset_HUD`.
    pub preset: Option<Box<str>>,
    /// The sounds, of which one is played at a time.
    pub samples: Samples,
    /// The sounds of which one is played before.
    pub pre_samples: Samples,
    /// The sounds of which one is played after.
    pub post_samples: Samples,
    /// Whether the samples are played in their order. Otherwise, one is chosen at random.
    pub is_sequential: bool,
    /// Whether it has a position in space. 2D otherwise.
    pub is_3d: bool,
    /// Whether the samples exist in each language. Names have that of English: `_ENG`.
    pub is_localized: bool,
    /// The linear volume, from 0 to 1. A value in the range is chosen at random.
    pub volume: RangeInclusive<f32>,
    /// The factor on the speed, and so on the pitch. 0 or more. A value in the range is chosen at random.
    pub pitch: RangeInclusive<f32>,
    /// Seconds before the sound. A value in the range is chosen at random.
    pub delay: RangeInclusive<f32>,
    /// The probability that the event has a sound, from 0 to 1.
    pub probability: f32,
    /// How often the sound is played in a row. `None`: until it is stopped.
    pub play_count: Option<u32>,
    /// How many sounds of this event are played at the same time at most. At least 1.
    pub max_instances: u32,
    /// The priority in the file. 10 by default.
    pub priority: u32,
    /// Whether it ends the sound that the same object plays.
    pub replaces_previous: bool,
    /// The distance up to which a 3D sound has its full volume, in units of the game's models. 0 by default.
    pub saturation_distance: f32,
    /// Seconds of the fade with which a repeated sound begins.
    pub fade_in: f32,
    /// Seconds of the fade with which a repeated sound ends.
    pub fade_out: f32,
    /// The name of the event that is played after this one.
    pub chained: Option<Box<str>>,
}

/// The file names of sounds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Samples(Box<str>);

impl Samples {
    /// The names in the order of the file, with `/` between folders. Those with folders are paths from the game's folder.
    /// Others are in `Data/Audio/SFX`, or in the archives of that folder.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        // Real files have both separators.
        let names = self.0.split([' ', '\t', '\r', '\n', ',']);
        names.filter(|name| !name.is_empty())
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }
}

impl SoundEvents {
    /// Adds the events of a file, `SFXEvents*.xml` or `SFXEventFiles.xml`. A later event replaces an earlier one of the same
    /// name, and a preset is found if it was added before.
    ///
    /// # Errors
    /// The file is not well-formed XML. The events before the flaw are added.
    pub fn add(&mut self, bytes: &[u8]) -> Result<AddedFile, ParseError> {
        let text = decode(bytes);
        let mut list = XmlList::new(&text);
        let mut files = Vec::new();
        let mut warnings = WarningCollector::default();
        let mut event = Open::default();
        while let Some(part) = list.next_part()? {
            let offset = list.offset();
            match part {
                XmlPart::Begin { name, .. } => {
                    event = Open::new(name.unwrap_or_default());
                }
                XmlPart::Field { tag, text } if !text.is_empty() => {
                    if let Err(flaw) = self.set(&mut event, &tag, &text) {
                        warnings.warn(flaw, offset, || {
                            let name = Quoted(&event.event.name);
                            format!("{name}: {flaw}: {}; it is left out", Quoted(&text))
                        });
                    }
                }
                XmlPart::Field { .. } => {}
                XmlPart::End { tag, text } => {
                    if tag.eq_ignore_ascii_case("File") && !text.is_empty() {
                        files.push(text.into());
                    }
                    self.insert(core::mem::take(&mut event));
                }
            }
        }
        let warnings = warnings.into_warnings().into_iter();
        let warnings = warnings.map(|warning| Warning {
            position: Some(list.position(warning.offset)),
            ..warning
        });
        let warnings = warnings.collect();
        Ok(AddedFile { files, warnings })
    }

    /// The event of a name, in any case.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&SoundEvent> {
        self.events.get(&*key(name))
    }

    /// All events, by name.
    pub fn iter(&self) -> impl Iterator<Item = &SoundEvent> {
        self.events.values()
    }

    /// Adds an event that has sounds, or a preset.
    fn insert(&mut self, Open { mut event, preset }: Open) {
        for range in [&mut event.volume, &mut event.pitch, &mut event.delay] {
            if range.start() > range.end() {
                *range = *range.end()..=*range.start();
            }
        }
        let key = key(&event.name).into();
        if preset {
            self.presets.insert(key, event);
        } else if ![&event.samples, &event.pre_samples, &event.post_samples]
            .iter()
            .all(|samples| samples.is_empty())
        {
            self.events.insert(key, event);
        }
    }

    /// Sets the value of a field. Those that are unknown are ignored.
    fn set(&self, open: &mut Open, tag: &str, text: &str) -> Result<(), &'static str> {
        let event = &mut open.event;
        let percent = || Ok::<f32, &str>(number(text)? / 100.0);
        let samples = || Samples(text.replace('\\', "/").into());
        match key(tag).as_str() {
            "USE_PRESET" => {
                let preset = self.presets.get(&*key(text));
                let preset = preset.ok_or("a preset is unknown")?.clone();
                let own = core::mem::replace(event, preset);
                event.name = own.name;
                event.preset = Some(text.into());
                event.samples = own.samples;
                event.pre_samples = own.pre_samples;
                event.post_samples = own.post_samples;
            }
            "IS_PRESET" => open.preset = flag(text)?,
            "SAMPLES" => event.samples = samples(),
            "PRE_SAMPLES" => event.pre_samples = samples(),
            "POST_SAMPLES" => event.post_samples = samples(),
            "PLAY_SEQUENTIALLY" => event.is_sequential = flag(text)?,
            "IS_3D" => event.is_3d = flag(text)?,
            "LOCALIZE" => event.is_localized = flag(text)?,
            "KILLS_PREVIOUS_OBJECT_SFX" => event.replaces_previous = flag(text)?,
            "MIN_VOLUME" => event.volume = percent()?.min(1.0)..=*event.volume.end(),
            "MAX_VOLUME" => event.volume = *event.volume.start()..=percent()?.min(1.0),
            "MIN_PITCH" => event.pitch = percent()?..=*event.pitch.end(),
            "MAX_PITCH" => event.pitch = *event.pitch.start()..=percent()?,
            "MIN_PREDELAY" => event.delay = number(text)? / 1000.0..=*event.delay.end(),
            "MAX_PREDELAY" => event.delay = *event.delay.start()..=number(text)? / 1000.0,
            "PROBABILITY" => event.probability = percent()?.min(1.0),
            "PLAY_COUNT" if text.starts_with('-') => event.play_count = None,
            "PLAY_COUNT" => event.play_count = Some(number(text)? as u32),
            "MAX_INSTANCES" => event.max_instances = (number(text)? as u32).max(1),
            "PRIORITY" => event.priority = number(text)? as u32,
            "VOLUME_SATURATION_DISTANCE" => event.saturation_distance = number(text)?,
            "LOOP_FADE_IN_SECONDS" => event.fade_in = number(text)?,
            "LOOP_FADE_OUT_SECONDS" => event.fade_out = number(text)?,
            "CHAINED_SFXEVENT" => event.chained = Some(text.into()),
            _ => {}
        }
        Ok(())
    }
}

/// An event that is being read.
struct Open {
    event: SoundEvent,
    /// Whether it is a preset.
    preset: bool,
}

impl Default for Open {
    fn default() -> Self {
        Self::new(String::new())
    }
}

impl Open {
    /// With the defaults of the viewer of GlyphXTools.
    fn new(name: String) -> Self {
        let event = SoundEvent {
            name: name.into(),
            preset: None,
            samples: Samples::default(),
            pre_samples: Samples::default(),
            post_samples: Samples::default(),
            is_sequential: false,
            is_3d: false,
            is_localized: false,
            volume: 1.0..=1.0,
            pitch: 1.0..=1.0,
            delay: 0.0..=0.0,
            probability: 1.0,
            play_count: Some(1),
            max_instances: 1,
            priority: 10,
            replaces_previous: false,
            saturation_distance: 0.0,
            fade_in: 0.0,
            fade_out: 0.0,
            chained: None,
        };
        Self {
            event,
            preset: false,
        }
    }
}

/// The key of a name.
fn key(name: &str) -> String {
    name.to_ascii_uppercase()
}

fn flag(text: &str) -> Result<bool, &'static str> {
    let is = |words: [&str; 3]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    match text {
        _ if is(["Yes", "True", "1"]) => Ok(true),
        _ if is(["No", "False", "0"]) => Ok(false),
        _ => Err("a value is neither Yes nor No"),
    }
}

/// A number, at least 0.
fn number(text: &str) -> Result<f32, &'static str> {
    let number: Option<f32> = text.parse().ok();
    let number = number.filter(|number| number.is_finite());
    Ok(number.ok_or("a value is not a number")?.max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRESETS: &str = "<SFXEvents><SFXEvent Name=\"Preset_GUN\"><Is_Preset> Yes </Is_Preset>\
        <Is_3D>Yes</Is_3D><Is_2D>No</Is_2D><Priority>3</Priority><Max_Instances>2</Max_Instances>\
        <Min_Volume>85</Min_Volume><Max_Volume>85</Max_Volume><Probability>40</Probability>\
        <Play_Count>-1</Play_Count><Loop_Fade_In_Seconds>0.5</Loop_Fade_In_Seconds>\
        <Loop_Fade_Out_Seconds>1.0</Loop_Fade_Out_Seconds>\
        <Volume_Saturation_Distance>300.0</Volume_Saturation_Distance></SFXEvent></SFXEvents>";

    const EVENTS: &str = "<?xml version=\"1.0\"?>\n<SFXEvents>\n<SFXEvent Name=\"Unit_Fire\">\n\
        <Use_Preset> preset_gun </Use_Preset>\n\
        <Samples> A_1.wav, A_2.wav\n\t\tData\\Audio\\A_3.wav </Samples>\n\
        <Min_Pitch>110</Min_Pitch><Max_Pitch>90</Max_Pitch><Max_Volume>450</Max_Volume>\n\
        <Play_Sequentially></Play_Sequentially><Localize>Yes</Localize><Text_ID>TEXT_A</Text_ID>\n\
        </SFXEvent>\n<SFXEvent Name=\"Unit_Greet\"><Post_Samples>B.wav</Post_Samples>\
        <Min_Predelay>1000</Min_Predelay><Max_Predelay>4000</Max_Predelay>\
        <Kills_Previous_Object_SFX>Yes</Kills_Previous_Object_SFX><Play_Sequentially>Yes</Play_Sequentially>\
        <Chained_SFXEvent>Unit_Fire</Chained_SFXEvent></SFXEvent>\n\
        <SFXEvent Name=\"Silent\"><Priority>1</Priority></SFXEvent></SFXEvents>";

    fn events(files: &[&str]) -> SoundEvents {
        let mut events = SoundEvents::default();
        for file in files {
            assert_eq!(events.add(file.as_bytes()), Ok(AddedFile::default()));
        }
        events
    }

    #[test]
    fn events_have_the_values_of_their_preset_unless_they_have_their_own() {
        let events = events(&[PRESETS, EVENTS]);
        let names: Vec<&str> = events.iter().map(|event| &*event.name).collect();
        assert_eq!(names, ["Unit_Fire", "Unit_Greet"]);
        let mut fire = Open::new("Unit_Fire".into()).event;
        fire.preset = Some("preset_gun".into());
        fire.samples = Samples("A_1.wav, A_2.wav\n\t\tData/Audio/A_3.wav".into());
        fire.is_3d = true;
        fire.is_localized = true;
        fire.volume = 0.85..=1.0;
        fire.pitch = 0.9..=1.1;
        fire.probability = 0.4;
        fire.play_count = None;
        fire.max_instances = 2;
        fire.priority = 3;
        fire.saturation_distance = 300.0;
        fire.fade_in = 0.5;
        fire.fade_out = 1.0;
        assert_eq!(events.get("UNIT_fire"), Some(&fire));
        let samples: Vec<&str> = fire.samples.iter().collect();
        assert_eq!(samples, ["A_1.wav", "A_2.wav", "Data/Audio/A_3.wav"]);

        let mut greet = Open::new("Unit_Greet".into()).event;
        greet.post_samples = Samples("B.wav".into());
        greet.is_sequential = true;
        greet.delay = 1.0..=4.0;
        greet.replaces_previous = true;
        greet.chained = Some("Unit_Fire".into());
        assert_eq!(events.get("Unit_Greet"), Some(&greet));
        assert_eq!(events.get("Preset_GUN"), None);
    }

    #[test]
    fn later_events_replace_earlier_ones() {
        let other = "<x><y name='UNIT_FIRE'><Samples>C.wav</Samples></y></x>";
        let events = events(&[PRESETS, EVENTS, other]);
        let samples = &events.get("Unit_Fire").unwrap().samples;
        assert_eq!(samples.iter().collect::<Vec<_>>(), ["C.wav"]);
        assert_eq!(events.iter().count(), 2);
    }

    #[test]
    fn lists_name_files() {
        let list =
            b"<SFXEvent_Files>\n<!-- <File>x</File> -->\n<File>SFX\\A.xml</File><File/></SFXEvent_Files>";
        let added = SoundEvents::default().add(list).unwrap();
        assert_eq!(added.files, ["SFX\\A.xml".into()]);
        assert_eq!(added.warnings, []);
    }

    #[test]
    fn wrong_values_are_warnings_and_malformed_files_errors() {
        let text = "<a>\n<b Name=\"One\"><Samples>1</Samples>\n<Min_Volume>loud</Min_Volume>\n\
            <Max_Pitch>NaN</Max_Pitch><Is_3D>maybe</Is_3D><Use_Preset>P</Use_Preset></b>\n\
            <b Name=\"Two\"><Samples>2</Samples></b>\n</c>";
        let mut events = SoundEvents::default();
        let error = events.add(text.as_bytes()).unwrap_err().to_string();
        let expected = "6:1: XML: list is malformed: the end tag is \"c\", expected </a>";
        assert_eq!(error, expected);
        assert_eq!(events.iter().count(), 2);

        let text = text.replace("</c>", "</a>");
        let added = SoundEvents::default().add(text.as_bytes()).unwrap();
        let warnings: Vec<String> = added.warnings.iter().map(ToString::to_string).collect();
        let expected = [
            "3:1: \"One\": a value is not a number: \"loud\"; it is left out (and 1 more like it)",
            "4:27: \"One\": a value is neither Yes nor No: \"maybe\"; it is left out",
            "4:47: \"One\": a preset is unknown: \"P\"; it is left out",
        ];
        assert_eq!(warnings, expected);
        for length in 0..text.len() {
            let mut events = SoundEvents::default();
            let _ = events.add(&text.as_bytes()[..length]);
            assert!(events.iter().count() <= 2);
        }
    }
}
