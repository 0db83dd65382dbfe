//! Chunks 0x600 and 0x1300: what hangs on which bone, and lights.

use super::super::file::{Bone, Dazzle, Light, Proxy};
use super::state::{Parser, Segment};
use crate::alamo::chunk::{Chunk, MiniChunk};
use crate::read::{Cursor, ErrorKind, Format, ParseError};
use std::borrow::Cow;

const COUNTS: u32 = 0x601;
const OBJECT: u32 = 0x602;
const PROXY: u32 = 0x603;
const DAZZLE: u32 = 0x604;
/// The one chunk within a dazzle.
const DAZZLE_DATA: u32 = 0;
const LIGHT_NAME: u32 = 0x1301;
const LIGHT_DATA: u32 = 0x1302;

/// A value, and where in the file the index of its bone is.
pub(super) struct At<T> {
    pub(super) value: T,
    bone: u32,
    bone_offset: u64,
}

/// An object, by its number, and the bone that it hangs on.
pub(super) struct ObjectConnection {
    pub(super) object: u32,
    object_offset: u64,
    pub(super) bone: u32,
}

/// What chunk 0x600 holds.
pub(super) struct Connections<'a> {
    pub(super) objects: Vec<At<ObjectConnection>>,
    pub(super) proxies: Vec<At<Proxy<'a>>>,
    pub(super) dazzles: Vec<At<Dazzle<'a>>>,
}

/// Numbers of things, and where they stand.
#[derive(Default)]
struct Counts {
    objects: Option<(u64, u32)>,
    proxies: Option<(u64, u32)>,
    dazzles: Option<(u64, u32)>,
}

impl Parser {
    pub(super) fn connections<'a>(
        &mut self,
        container: &Chunk<'a>,
    ) -> Result<Connections<'a>, ParseError> {
        let body = &container.body;
        let mut counts = None;
        let mut found = Connections {
            objects: Vec::new(),
            proxies: Vec::new(),
            dazzles: Vec::new(),
        };
        for chunk in container.children() {
            let chunk = chunk.map_err(|error| self.within(error))?;
            match chunk.id {
                COUNTS => {
                    let read = self.data(&chunk, |parser, _| parser.counts(&chunk))?;
                    self.once(&mut counts, read, &chunk, "counts")?;
                }
                OBJECT => {
                    let object = self.data(&chunk, |parser, _| parser.object(&chunk))?;
                    found.objects.push(object);
                }
                PROXY => {
                    let proxy = self.data(&chunk, |parser, _| parser.proxy(&chunk))?;
                    found.proxies.push(proxy);
                }
                DAZZLE => {
                    let segment = Segment::element(DAZZLE, "dazzle", found.dazzles.len());
                    let dazzle = self.enter(&chunk, segment, |parser| parser.dazzle(&chunk))?;
                    found.dazzles.push(dazzle);
                }
                _ => self.skip(&chunk)?,
            }
        }
        let counts: Counts = self.require(counts, body, "counts (0x601)")?;
        let none = (body.offset(), 0);
        for (elements, found, (offset, announced)) in [
            (
                "object connections",
                found.objects.len(),
                counts.objects.unwrap_or(none),
            ),
            (
                "proxies",
                found.proxies.len(),
                counts.proxies.unwrap_or(none),
            ),
            (
                "dazzles",
                found.dazzles.len(),
                counts.dazzles.unwrap_or(none),
            ),
        ] {
            self.check_announced(body, offset, elements, found, announced)?;
        }
        Ok(found)
    }

    fn counts(&mut self, chunk: &Chunk<'_>) -> Result<Counts, ParseError> {
        let mut counts = Counts::default();
        for mini in chunk.minis() {
            let mini = mini.map_err(|error| self.within(error))?;
            let count = Some(mini.offset);
            match mini.id {
                1 => counts.objects = count.zip(Some(self.mini_u32(&mini)?)),
                4 => counts.proxies = count.zip(Some(self.mini_u32(&mini)?)),
                9 => counts.dazzles = count.zip(Some(self.mini_u32(&mini)?)),
                _ => self.skip_mini(&mini),
            }
        }
        Ok(counts)
    }

    fn object(&mut self, chunk: &Chunk<'_>) -> Result<At<ObjectConnection>, ParseError> {
        let (mut object, mut bone) = (None, None);
        for mini in chunk.minis() {
            let mini = mini.map_err(|error| self.within(error))?;
            match mini.id {
                2 => object = Some(self.index(&mini)?),
                3 => bone = Some(self.index(&mini)?),
                _ => self.skip_mini(&mini),
            }
        }
        let (object, object_offset) =
            self.require(object, &chunk.body, "its object (mini-chunk 2)")?;
        let (bone, bone_offset) = self.require(bone, &chunk.body, "its bone (mini-chunk 3)")?;
        Ok(At {
            value: ObjectConnection {
                object,
                object_offset,
                bone,
            },
            bone,
            bone_offset,
        })
    }

    fn proxy<'a>(&mut self, chunk: &Chunk<'a>) -> Result<At<Proxy<'a>>, ParseError> {
        let (mut name, mut bone) = (None, None);
        let (mut hidden, mut alt_decrease_stay_hidden) = (None, None);
        for mini in chunk.minis() {
            let mini = mini.map_err(|error| self.within(error))?;
            match mini.id {
                5 => name = Some(self.string(&mut mini.body.clone())),
                6 => bone = Some(self.index(&mini)?),
                7 => hidden = Some(self.mini_u32(&mini)? != 0),
                8 => alt_decrease_stay_hidden = Some(self.mini_u32(&mini)? != 0),
                _ => self.skip_mini(&mini),
            }
        }
        let (bone, bone_offset) = self.require(bone, &chunk.body, "its bone (mini-chunk 6)")?;
        Ok(At {
            value: Proxy {
                name: self.require(name, &chunk.body, "its name (mini-chunk 5)")?,
                bone,
                hidden,
                alt_decrease_stay_hidden,
            },
            bone,
            bone_offset,
        })
    }

    /// A dazzle is a container of one chunk, whose mini-chunks are the dazzle.
    fn dazzle<'a>(&mut self, container: &Chunk<'a>) -> Result<At<Dazzle<'a>>, ParseError> {
        let mut dazzle = None;
        for chunk in container.children() {
            let chunk = chunk.map_err(|error| self.within(error))?;
            match chunk.id {
                DAZZLE_DATA => {
                    let read = self.data(&chunk, |parser, _| parser.dazzle_data(&chunk))?;
                    self.once(&mut dazzle, read, &chunk, "records")?;
                }
                _ => self.skip(&chunk)?,
            }
        }
        self.require(dazzle, &container.body, "its data (chunk 0)")
    }

    fn dazzle_data<'a>(&mut self, chunk: &Chunk<'a>) -> Result<At<Dazzle<'a>>, ParseError> {
        let mut dazzle = Dazzle {
            color: [1.0; 3],
            position: [0.0; 3],
            radius: 1.0,
            slot_x: 0,
            slot_y: 0,
            num_slots: 1,
            texture: Cow::Borrowed(""),
            frequency: 0.0,
            phase: 0.0,
            night_only: false,
            bone: 0,
            name: Cow::Borrowed(""),
            is_hidden: false,
            bias: None,
        };
        let (mut bone, mut name, mut texture) = (None, None, None);
        for mini in chunk.minis() {
            let mini = mini.map_err(|error| self.within(error))?;
            match mini.id {
                0 => dazzle.color = self.mini_floats(&mini)?,
                1 => dazzle.position = self.mini_floats(&mini)?,
                2 => [dazzle.radius] = self.mini_floats(&mini)?,
                3 => dazzle.slot_x = self.mini_u32(&mini)?,
                4 => dazzle.slot_y = self.mini_u32(&mini)?,
                5 => texture = Some(self.texture(&mini.body)),
                6 => dazzle.num_slots = self.mini_u32(&mini)?,
                7 => [dazzle.frequency] = self.mini_floats(&mini)?,
                8 => [dazzle.phase] = self.mini_floats(&mini)?,
                9 => dazzle.night_only = self.mini_u32(&mini)? != 0,
                10 => bone = Some(self.index(&mini)?),
                11 => name = Some(self.string(&mut mini.body.clone())),
                12 => dazzle.is_hidden = self.mini_u32(&mini)? != 0,
                13 => dazzle.bias = Some(self.mini_floats::<1>(&mini)?[0]),
                _ => self.skip_mini(&mini),
            }
        }
        let body = &chunk.body;
        let (bone, bone_offset) = self.require(bone, body, "its bone (mini-chunk 10)")?;
        dazzle.bone = bone;
        dazzle.name = self.require(name, body, "its name (mini-chunk 11)")?;
        dazzle.texture = self.require(texture, body, "its texture (mini-chunk 5)")?;
        Ok(At {
            value: dazzle,
            bone,
            bone_offset,
        })
    }

    /// An index, and where it stands.
    fn index(&self, mini: &MiniChunk<'_>) -> Result<(u32, u64), ParseError> {
        Ok((self.mini_u32(mini)?, mini.body.offset()))
    }

    pub(super) fn light<'a>(&mut self, container: &Chunk<'a>) -> Result<Light<'a>, ParseError> {
        let (mut name, mut data) = (None, None);
        for chunk in container.children() {
            let chunk = chunk.map_err(|error| self.within(error))?;
            match chunk.id {
                LIGHT_NAME => {
                    let text = self.data(&chunk, |parser, body| Ok(parser.string(body)))?;
                    self.name_element(&text);
                    self.once(&mut name, text, &chunk, "names")?;
                }
                LIGHT_DATA => {
                    let read = self.data(&chunk, |parser, body| parser.light_data(body))?;
                    self.once(&mut data, read, &chunk, "records")?;
                }
                _ => self.skip(&chunk)?,
            }
        }
        let data: Light<'_> = self.require(data, &container.body, "its record (0x1302)")?;
        Ok(Light {
            name: self.require(name, &container.body, "its name (0x1301)")?,
            ..data
        })
    }

    /// A light that has no name yet.
    fn light_data(&mut self, body: &mut Cursor<'_>) -> Result<Light<'static>, ParseError> {
        const LENGTH: u64 = 36;
        if body.remaining() != LENGTH {
            let kind = ErrorKind::WrongLength {
                found: body.remaining(),
                expected: LENGTH,
            };
            return Err(body.error(body.offset(), self.at(""), kind));
        }
        let offset = body.offset();
        let kind = body.u32(self.at("type"))?;
        if kind > 2 {
            let message = format!("light type {kind} is unknown: it shines to all sides");
            self.warn("light type", offset, message);
        }
        let color = self.floats(body)?;
        let [
            intensity,
            far_attenuation_end,
            far_attenuation_start,
            hotspot,
            falloff,
        ] = self.floats(body)?;
        Ok(Light {
            name: Cow::Borrowed(""),
            bone: None,
            kind,
            color,
            intensity,
            far_attenuation_end,
            far_attenuation_start,
            hotspot,
            falloff,
        })
    }
}

impl Connections<'_> {
    /// Whether everything named is there.
    pub(super) fn check(&self, bones: &[Bone<'_>], objects: usize) -> Result<(), ParseError> {
        for (number, connection) in self.objects.iter().enumerate() {
            if connection.value.object as usize >= objects {
                let context = format!("0x600 / 0x602 object connection {number}");
                let index = connection.value.object;
                let offset = connection.value.object_offset;
                return Err(out_of_range(offset, context, "object", index, objects));
            }
            connection.check_bone(bones.len(), || {
                format!("0x600 / 0x602 object connection {number}")
            })?;
        }
        for (number, proxy) in self.proxies.iter().enumerate() {
            let place = || format!("0x600 / 0x603 proxy {number} {:?}", proxy.value.name);
            proxy.check_bone(bones.len(), place)?;
        }
        for (number, dazzle) in self.dazzles.iter().enumerate() {
            let place = || format!("0x600 / 0x604 dazzle {number} {:?}", dazzle.value.name);
            dazzle.check_bone(bones.len(), place)?;
        }
        Ok(())
    }
}

impl<T> At<T> {
    fn check_bone(&self, bones: usize, place: impl FnOnce() -> String) -> Result<(), ParseError> {
        if (self.bone as usize) < bones {
            return Ok(());
        }
        Err(out_of_range(
            self.bone_offset,
            place(),
            "bone",
            self.bone,
            bones,
        ))
    }
}

fn out_of_range(
    offset: u64,
    context: String,
    element: &'static str,
    index: u32,
    count: usize,
) -> ParseError {
    ParseError {
        format: Format::Alo,
        offset,
        context,
        kind: ErrorKind::IndexOutOfRange {
            element,
            index: index.into(),
            count: count as u64,
        },
    }
}
