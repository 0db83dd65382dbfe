//! The tracks of an emitter, chunk 0x1: for each track a head (0x0) and its inner keys (0x1).

use super::state::Parser;
use crate::chunk::{Chunk, MiniChunk};
use crate::chunk_parser::{Mini, Segment};
use crate::particles::file::{COLOR_TRACKS, Interpolation, Key, Track, Tracks};
use crate::read::{Cursor, ErrorKind, ParseError};
use zerocopy::little_endian::{F32, U32};
use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned};

const HEAD: u32 = 0;
const KEYS: u32 = 1;
/// Size of a key's mini-chunk in bytes, header included.
const KEY_SIZE: u64 = 2 + 8;
const TRACKS: usize = 7;

/// A track without its inner keys.
#[derive(Clone, Copy)]
struct Head {
    first: f32,
    last: f32,
    interpolation: Interpolation,
}

/// The mini-chunks of a head in all real files. `T` is a byte for colors.
///
/// Reading them at once is an optimization: one by one, mini-chunks take most of the parsing time.
#[derive(FromBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
struct UsualHead<T> {
    first: Mini<T>,
    last: Mini<T>,
    interpolation: Mini<U32>,
}

/// Reads a head that has the mini-chunks of all real files in their order.
///
/// `None` if the mini-chunks differ or need an error or a warning: then [`Parser::head`] reads them.
fn usual_head<T>(chunk: &Chunk<'_>, value: impl Fn(&T) -> f32) -> Option<Head>
where
    T: FromBytes + KnownLayout + Immutable + Unaligned,
{
    let mut body = chunk.body.clone();
    let head: &UsualHead<T> = body.record("").ok()?;
    let is_usual = head.first.is(2) && head.last.is(3) && head.interpolation.is(4);
    if !is_usual || body.remaining() != 0 {
        return None;
    }
    let (first, last) = (value(&head.first.value), value(&head.last.value));
    let interpolation = Interpolation::from_stored(head.interpolation.value.get())?;
    (first.is_finite() && last.is_finite()).then_some(Head {
        first,
        last,
        interpolation,
    })
}

impl Parser {
    pub(super) fn tracks(&mut self, container: &Chunk<'_>) -> Result<Tracks, ParseError> {
        let body = &container.body;
        let is_known = |id| matches!(id, HEAD | KEYS);
        let mut found = 0;
        for chunk in container.children() {
            let chunk = chunk.map_err(|error| self.within(error))?;
            found += usize::from(is_known(chunk.id));
        }
        let expected = 2 * TRACKS as u32;
        self.check_declared_count(body, body.offset(), "track chunks", found, expected)?;
        let mut tracks = Vec::with_capacity(TRACKS);
        let mut head = None;
        for chunk in container.children() {
            let chunk = chunk.map_err(|error| self.within(error))?;
            let is_color = tracks.len() < COLOR_TRACKS;
            if !is_known(chunk.id) {
                self.skip(&chunk)?;
            } else if let Some(head) = head.take() {
                self.check_order(&chunk, KEYS)?;
                let segment = Segment::element(KEYS, "keys of track", tracks.len());
                let keys = self.data_at(&chunk, segment, |parser, _| {
                    parser.keys(&chunk, head, is_color)
                })?;
                tracks.push(Track {
                    interpolation: head.interpolation,
                    keys,
                });
            } else {
                self.check_order(&chunk, HEAD)?;
                let segment = Segment::element(HEAD, "track", tracks.len());
                let read = |parser: &mut Self, _: &mut Cursor<'_>| parser.head(&chunk, is_color);
                head = Some(self.data_at(&chunk, segment, read)?);
            }
        }
        let tracks: Option<[Track; TRACKS]> = tracks.try_into().ok();
        let [red, green, blue, alpha, scale, index, rotation_speed] =
            self.require(tracks, body, "its 7 tracks")?;
        Ok(Tracks {
            red,
            green,
            blue,
            alpha,
            scale,
            index,
            rotation_speed,
        })
    }

    /// Heads and keys alternate.
    fn check_order(&self, chunk: &Chunk<'_>, expected: u32) -> Result<(), ParseError> {
        if chunk.id == expected {
            return Ok(());
        }
        let what = match expected {
            HEAD => "a head (0x0) before its keys (0x1)",
            _ => "keys (0x1) after its head (0x0)",
        };
        let kind = ErrorKind::Missing { what };
        Err(chunk.body.error(chunk.offset, self.at(""), kind))
    }

    fn head(&mut self, chunk: &Chunk<'_>, is_color: bool) -> Result<Head, ParseError> {
        let usual = if is_color {
            usual_head(chunk, |byte: &u8| (*byte).into())
        } else {
            usual_head(chunk, |number: &F32| number.get())
        };
        if let Some(head) = usual {
            return Ok(head);
        }
        let (mut first, mut last, mut interpolation) = (None, None, None);
        for mini in chunk.minis() {
            let mini = mini.map_err(|error| self.within(error))?;
            match mini.id {
                2 => {
                    let value = self.head_value(&mini, is_color)?;
                    self.replace(&mut first, value, &mini);
                }
                3 => {
                    let value = self.head_value(&mini, is_color)?;
                    self.replace(&mut last, value, &mini);
                }
                4 => {
                    let value = self.interpolation(&mini)?;
                    self.replace(&mut interpolation, value, &mini);
                }
                _ => self.skip_mini(&mini),
            }
        }
        let body = &chunk.body;
        Ok(Head {
            first: self.require(first, body, "its first value (mini-chunk 2)")?,
            last: self.require(last, body, "its last value (mini-chunk 3)")?,
            interpolation: self.require(interpolation, body, "its interpolation (mini-chunk 4)")?,
        })
    }

    /// The value at birth or death: a byte for colors.
    fn head_value(&self, mini: &MiniChunk<'_>, is_color: bool) -> Result<f32, ParseError> {
        if is_color {
            let mut body = self.fixed_mini(mini, 1)?;
            let value: &u8 = body.record(self.at("value"))?;
            Ok((*value).into())
        } else {
            let mut body = self.fixed_mini(mini, 4)?;
            self.finite(&mut body, "value")
        }
    }

    fn interpolation(&mut self, mini: &MiniChunk<'_>) -> Result<Interpolation, ParseError> {
        let mut body = self.fixed_mini(mini, 4)?;
        let offset = body.offset();
        let stored = body.u32(self.at("interpolation"))?;
        Ok(Interpolation::from_stored(stored).unwrap_or_else(|| {
            self.warn("interpolation", offset, |parser| {
                let path = parser.at("interpolation");
                format!("{path} {stored} is unknown: linear interpolation is used")
            });
            Interpolation::Linear
        }))
    }

    /// The keys of a track, with those of its head at both ends.
    fn keys(
        &mut self,
        chunk: &Chunk<'_>,
        head: Head,
        is_color: bool,
    ) -> Result<Vec<Key>, ParseError> {
        let inner = chunk.body.remaining() / KEY_SIZE;
        let mut keys = Vec::with_capacity(usize::try_from(inner).unwrap_or_default() + 2);
        let mut earlier = 0.0;
        keys.push(Key {
            time: 0.0,
            value: head.first,
        });
        for mini in chunk.minis() {
            let mini = mini.map_err(|error| self.within(error))?;
            if mini.id == 5 {
                let key = self.key(&mini, is_color, earlier)?;
                earlier = key.time;
                keys.push(key);
            } else {
                self.skip_mini(&mini);
            }
        }
        keys.push(Key {
            time: 1.0,
            value: head.last,
        });
        Ok(keys)
    }

    fn key(
        &mut self,
        mini: &MiniChunk<'_>,
        is_color: bool,
        earlier: f32,
    ) -> Result<Key, ParseError> {
        let mut body = self.fixed_mini(mini, 8)?;
        let offset = body.offset();
        let value = if is_color {
            let value = body.u32(self.at("value"))?;
            if value > 255 {
                self.warn("color of a key", offset, |parser| {
                    let path = parser.at("color");
                    format!("{path} {value} is greater than 255: 255 is used")
                });
            }
            value.min(255) as f32
        } else {
            self.finite(&mut body, "value")?
        };
        let offset = body.offset();
        let time = self.finite(&mut body, "time")?;
        if !(earlier..=1.0).contains(&time) {
            return Err(body.error(offset, self.at("time"), ErrorKind::UnorderedTime));
        }
        Ok(Key { time, value })
    }
}
