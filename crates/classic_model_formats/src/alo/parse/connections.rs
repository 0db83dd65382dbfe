//! Chunk 0x600: connections of meshes and lights to bones, proxies and dazzles. Chunk 0x1300: lights.

use super::super::file::{Bone, Dazzle, Light, Proxy};
use super::state::Parser;
use crate::chunk::{Chunk, MiniChunk};
use crate::chunk_parser::{Segment, vec_for_chunks};
use crate::read::{Cursor, ErrorKind, Format, ParseError, Quoted};
use std::borrow::Cow;

const COUNTS: u32 = 0x601;
const OBJECT: u32 = 0x602;
const PROXY: u32 = 0x603;
const DAZZLE: u32 = 0x604;
/// The only chunk in a dazzle.
const DAZZLE_DATA: u32 = 0;
const LIGHT_NAME: u32 = 0x1301;
const LIGHT_DATA: u32 = 0x1302;

/// Size of an object connection in the file, in bytes.
pub(super) const MIN_OBJECT_SIZE: u64 = 8 + 6 + 6;
/// Minimum size of a proxy in the file, in bytes: one with an empty name.
pub(super) const MIN_PROXY_SIZE: u64 = 8 + 2 + 6;
/// Minimum size of a dazzle in the file, in bytes: one with a bone, an empty name and an empty texture.
pub(super) const MIN_DAZZLE_SIZE: u64 = 8 + 8 + 6 + 2 + 2;
/// Minimum size of a light in the file, in bytes: one with an empty name.
pub(super) const MIN_LIGHT_SIZE: u64 = 8 + 8 + 8 + 36;

/// Values with the file offsets of their bone indices, for errors.
pub(super) struct WithBoneOffsets<T> {
    pub(super) values: Vec<T>,
    bone_offsets: Vec<u64>,
}

/// The index of a mesh or light in file order, the index of its bone, and the file offsets of both.
pub(super) struct ObjectConnection {
    pub(super) object: u32,
    pub(super) bone: u32,
    object_offset: u64,
    bone_offset: u64,
}

/// The contents of chunk 0x600.
pub(super) struct Connections<'a> {
    pub(super) objects: Vec<ObjectConnection>,
    pub(super) proxies: WithBoneOffsets<Proxy<'a>>,
    pub(super) dazzles: WithBoneOffsets<Dazzle<'a>>,
}

impl<T> WithBoneOffsets<T> {
    /// Empty lists with capacity for all chunks of type `id`, each of at least `min_size` bytes.
    fn with_capacity(body: &Cursor<'_>, min_size: u64, id: u32) -> Self {
        let values: Vec<T> = vec_for_chunks(body, min_size, |other| other == id);
        Self {
            bone_offsets: Vec::with_capacity(values.capacity()),
            values,
        }
    }

    fn push(&mut self, (value, bone_offset): (T, u64)) {
        self.values.push(value);
        self.bone_offsets.push(bone_offset);
    }

    fn iter(&self) -> impl Iterator<Item = (usize, &T, u64)> {
        let values = self.values.iter().zip(&self.bone_offsets).enumerate();
        values.map(|(index, (value, offset))| (index, value, *offset))
    }
}

/// The declared counts of chunk 0x601, each with its file offset.
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
            objects: vec_for_chunks(body, MIN_OBJECT_SIZE, |id| id == OBJECT),
            proxies: WithBoneOffsets::with_capacity(body, MIN_PROXY_SIZE, PROXY),
            dazzles: WithBoneOffsets::with_capacity(body, MIN_DAZZLE_SIZE, DAZZLE),
        };
        for chunk in container.children() {
            let chunk = chunk.map_err(|error| self.within(error))?;
            match chunk.id {
                COUNTS => {
                    let read = self.data(&chunk, |parser, _| parser.counts(&chunk))?;
                    self.once(&mut counts, read, &chunk, "counts")?;
                }
                OBJECT => {
                    let segment =
                        Segment::element(OBJECT, "object connection", found.objects.len());
                    let object =
                        self.data_at(&chunk, segment, |parser, _| parser.object(&chunk))?;
                    found.objects.push(object);
                }
                PROXY => {
                    let index = found.proxies.values.len();
                    let segment = Segment::element(PROXY, "proxy", index);
                    let proxy = self.data_at(&chunk, segment, |parser, _| parser.proxy(&chunk))?;
                    found.proxies.push(proxy);
                }
                DAZZLE => {
                    let segment = Segment::element(DAZZLE, "dazzle", found.dazzles.values.len());
                    let dazzle = self.enter(&chunk, segment, |parser| parser.dazzle(&chunk))?;
                    found.dazzles.push(dazzle);
                }
                _ => self.skip(&chunk)?,
            }
        }
        let counts: Counts = self.require(counts, body, "counts (0x601)")?;
        let none = (body.offset(), 0);
        for (elements, found, (offset, declared)) in [
            (
                "object connections",
                found.objects.len(),
                counts.objects.unwrap_or(none),
            ),
            (
                "proxies",
                found.proxies.values.len(),
                counts.proxies.unwrap_or(none),
            ),
            (
                "dazzles",
                found.dazzles.values.len(),
                counts.dazzles.unwrap_or(none),
            ),
        ] {
            self.check_declared_count(body, offset, elements, found, declared)?;
        }
        Ok(found)
    }

    fn counts(&mut self, chunk: &Chunk<'_>) -> Result<Counts, ParseError> {
        let mut counts = Counts::default();
        for mini in chunk.minis() {
            let mini = mini.map_err(|error| self.within(error))?;
            let offset = Some(mini.body.offset());
            match mini.id {
                1 => counts.objects = offset.zip(Some(self.mini_u32(&mini)?)),
                4 => counts.proxies = offset.zip(Some(self.mini_u32(&mini)?)),
                9 => counts.dazzles = offset.zip(Some(self.mini_u32(&mini)?)),
                _ => self.skip_mini(&mini),
            }
        }
        Ok(counts)
    }

    fn object(&mut self, chunk: &Chunk<'_>) -> Result<ObjectConnection, ParseError> {
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
            self.require(object, &chunk.body, "its object index (mini-chunk 2)")?;
        let (bone, bone_offset) =
            self.require(bone, &chunk.body, "its bone index (mini-chunk 3)")?;
        Ok(ObjectConnection {
            object,
            bone,
            object_offset,
            bone_offset,
        })
    }

    /// A proxy, and the file offset of its bone index.
    fn proxy<'a>(&mut self, chunk: &Chunk<'a>) -> Result<(Proxy<'a>, u64), ParseError> {
        let (mut name, mut bone) = (None, None);
        let (mut hidden, mut alt_decrease_stay_hidden) = (None, None);
        for mini in chunk.minis() {
            let mini = mini.map_err(|error| self.within(error))?;
            match mini.id {
                5 => {
                    let text = self.string(&mut mini.body.clone());
                    self.name_element(&text);
                    name = Some(text);
                }
                6 => bone = Some(self.index(&mini)?),
                7 => hidden = Some(self.mini_u32(&mini)? != 0),
                8 => alt_decrease_stay_hidden = Some(self.mini_u32(&mini)? != 0),
                _ => self.skip_mini(&mini),
            }
        }
        let (bone, bone_offset) =
            self.require(bone, &chunk.body, "its bone index (mini-chunk 6)")?;
        let proxy = Proxy {
            name: self.require(name, &chunk.body, "its name (mini-chunk 5)")?,
            bone,
            hidden,
            alt_decrease_stay_hidden,
        };
        Ok((proxy, bone_offset))
    }

    /// A dazzle, and the file offset of its bone index. Its fields are mini-chunks of the only chunk in `container`.
    fn dazzle<'a>(&mut self, container: &Chunk<'a>) -> Result<(Dazzle<'a>, u64), ParseError> {
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

    /// The fields of a dazzle, and the file offset of its bone index.
    fn dazzle_data<'a>(&mut self, chunk: &Chunk<'a>) -> Result<(Dazzle<'a>, u64), ParseError> {
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
        let (bone, bone_offset) = self.require(bone, body, "its bone index (mini-chunk 10)")?;
        dazzle.bone = bone;
        dazzle.name = self.require(name, body, "its name (mini-chunk 11)")?;
        dazzle.texture = self.require(texture, body, "its texture (mini-chunk 5)")?;
        Ok((dazzle, bone_offset))
    }

    /// An index, and its file offset.
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

    /// A light with an empty name.
    fn light_data(&mut self, body: &mut Cursor<'_>) -> Result<Light<'static>, ParseError> {
        /// In bytes.
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
            self.warn("light type", offset, |parser| {
                let path = parser.at("");
                format!("light type of {path} is {kind}, but must be from 0 to 2: 0 is used")
            });
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
    /// Checks that all objects and bones that connections refer to exist.
    pub(super) fn check(&self, bones: &[Bone<'_>], object_count: usize) -> Result<(), ParseError> {
        for (index, connection) in self.objects.iter().enumerate() {
            let context = || format!("0x600 / 0x602 object connection {index}");
            let (object, offset) = (connection.object, connection.object_offset);
            check_index("object", object, object_count, offset, context)?;
            let (bone, offset) = (connection.bone, connection.bone_offset);
            check_index("bone", bone, bones.len(), offset, context)?;
        }
        for (index, proxy, offset) in self.proxies.iter() {
            let context = || format!("0x600 / 0x603 proxy {index} {}", Quoted(&proxy.name));
            check_index("bone", proxy.bone, bones.len(), offset, context)?;
        }
        for (index, dazzle, offset) in self.dazzles.iter() {
            let context = || format!("0x600 / 0x604 dazzle {index} {}", Quoted(&dazzle.name));
            check_index("bone", dazzle.bone, bones.len(), offset, context)?;
        }
        Ok(())
    }
}

fn check_index(
    element: &'static str,
    index: u32,
    count: usize,
    offset: u64,
    context: impl FnOnce() -> String,
) -> Result<(), ParseError> {
    if (index as usize) < count {
        return Ok(());
    }
    Err(ParseError {
        format: Format::Alo,
        offset,
        position: None,
        context: context(),
        kind: ErrorKind::IndexOutOfRange {
            element,
            index: index.into(),
            count: count as u64,
        },
    })
}
