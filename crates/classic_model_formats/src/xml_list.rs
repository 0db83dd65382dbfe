//! The XML lists of the Alamo games, such as `MegaFiles.xml` and `SFXEvents*.xml`: elements below the root, whose text or
//! whose fields, the elements in them, have the values.
//!
//! An [`XmlList`] reads one part after the other, so what is before a flaw can be used. It needs little memory, and time in
//! proportion to the text, which libraries that build a tree of nodes do not promise.

use crate::read::{ErrorKind, Format, ParseError, Quoted, TextPosition};
use std::borrow::Cow;

/// The maximum count of nested elements. Those of the games are 3 deep.
const MAX_DEPTH: usize = 32;

/// A part of a list. Tags are as in the file, and texts have no white space around them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum XmlPart {
    /// An element below the root begins.
    Begin {
        /// The name of the element.
        tag: String,
        /// Its attribute `Name`, in any case.
        name: Option<String>,
    },
    /// A field of the element that began last.
    Field {
        /// The name of the field.
        tag: String,
        /// The text directly in it.
        text: String,
    },
    /// The element ends.
    End {
        /// The name of the element.
        tag: String,
        /// The text directly in it.
        text: String,
    },
}

/// Reads the parts of a list.
#[derive(Clone, Debug)]
pub struct XmlList<'a> {
    text: &'a str,
    /// The offset of what is read next.
    at: usize,
    /// The offset of what was read last.
    start: usize,
    /// The offset of the element of the last part.
    element: usize,
    /// The names of the open elements and the offsets of their tags, the root first.
    open: Vec<(&'a str, usize)>,
    has_root: bool,
    /// Whether the last tag was that of an empty element, which ends next.
    is_empty: bool,
    /// The text directly in the open element below the root, and in its open field.
    texts: [String; 2],
}

impl<'a> XmlList<'a> {
    /// A reader of a [decoded](decode) text.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            start: 0,
            element: 0,
            open: Vec::new(),
            has_root: false,
            is_empty: false,
            texts: Default::default(),
        }
    }

    /// The byte offset in the text at which the element of the last part begins.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.element as u64
    }

    /// The position of a byte offset in the text. Takes time in proportion to the offset.
    #[must_use]
    pub fn position(&self, offset: u64) -> TextPosition {
        TextPosition::new(self.text.as_bytes(), offset, true)
    }

    /// The next part. `None` at the end.
    ///
    /// # Errors
    /// [`ErrorKind::Malformed`], with the position: the text is not well-formed, has no element, or has a document type, or
    /// entities other than those of XML. [`ErrorKind::TooDeep`]. Don't read on.
    pub fn next_part(&mut self) -> Result<Option<XmlPart>, ParseError> {
        loop {
            self.start = self.at;
            let rest = self.rest(self.at);
            let part = if core::mem::take(&mut self.is_empty) {
                self.end()
            } else if rest.is_empty() {
                return match self.open.last() {
                    Some((name, _)) => Err(self.malformed(format!("<{name}> is not closed"))),
                    None if self.has_root => Ok(None),
                    None => {
                        self.start = 0;
                        Err(self.malformed("there is no element"))
                    }
                };
            } else if rest.starts_with("<!--") {
                self.until("-->", "a comment")?;
                None
            } else if rest.starts_with("<?") {
                self.until("?>", "an instruction")?;
                None
            } else if let Some(text) = rest.strip_prefix("<![CDATA[") {
                let length = self.until("]]>", "a CDATA section")?.len();
                let text = text.get(..length.saturating_sub("<![CDATA[".len()));
                self.push(text.unwrap_or_default());
                None
            } else if rest.starts_with("<!") {
                return Err(self.malformed("document types are not supported"));
            } else if rest.starts_with("</") {
                let tag = self.until(">", "a tag")?;
                let name = tag.get(2..).unwrap_or_default().trim();
                match self.open.last() {
                    Some((open, _)) if *open == name => {}
                    open => {
                        let expected = open.map(|(open, _)| format!(", expected </{open}>"));
                        let expected = expected.unwrap_or_default();
                        let reason = format!("the end tag is {}{expected}", Quoted(name));
                        return Err(self.malformed(reason));
                    }
                }
                self.end()
            } else if let Some(tag) = rest.strip_prefix('<') {
                self.begin(tag)?
            } else {
                let length = rest.find('<').unwrap_or(rest.len());
                self.at += length;
                let text = rest.get(..length).unwrap_or_default();
                let text = self.unescaped(text, self.start)?;
                self.push(&text);
                None
            };
            if part.is_some() {
                return Ok(part);
            }
        }
    }

    /// Reads a start tag. `rest` is the text after `<`.
    fn begin(&mut self, rest: &'a str) -> Result<Option<XmlPart>, ParseError> {
        let mut quote = None;
        let end = rest.bytes().position(|byte| {
            match (quote, byte) {
                (None, b'\'' | b'"') => quote = Some(byte),
                (Some(open), _) if open == byte => quote = None,
                _ => {}
            }
            quote.is_none() && byte == b'>'
        });
        let tag = end.and_then(|end| rest.get(..end));
        let tag = tag.ok_or_else(|| self.malformed("a tag is not closed"))?;
        self.at += tag.len() + "<>".len();
        let content = tag.strip_suffix('/').unwrap_or(tag);
        let name = content.split_ascii_whitespace().next();
        let name = name.filter(|name| content.starts_with(name));
        let name = name.ok_or_else(|| self.malformed("a tag has no name"))?;
        if self.open.len() >= MAX_DEPTH {
            return Err(self.error(self.start, ErrorKind::TooDeep { limit: MAX_DEPTH }));
        }
        self.has_root = true;
        self.is_empty = content.len() < tag.len();
        self.open.push((name, self.start));
        self.element = self.start;
        if let Some(text) = self.text_of_last() {
            text.clear();
        }
        if self.open.len() != 2 {
            return Ok(None);
        }
        Ok(Some(XmlPart::Begin {
            tag: name.to_owned(),
            name: self.name(content.get(name.len()..).unwrap_or_default())?,
        }))
    }

    /// The attribute `Name` among the attributes of a tag.
    fn name(&self, mut attributes: &str) -> Result<Option<String>, ParseError> {
        let mut name = None;
        while !attributes.trim_start().is_empty() {
            let attribute = attributes.split_once('=').and_then(|(key, rest)| {
                let rest = rest.trim_start();
                let quote = rest.chars().next().filter(|quote| "'\"".contains(*quote))?;
                let (value, rest) = rest.get(1..)?.split_once(quote)?;
                Some((key.trim(), value, rest))
            });
            let (key, value, rest) =
                attribute.ok_or_else(|| self.malformed("an attribute has no value in quotes"))?;
            if key.eq_ignore_ascii_case("name") {
                name = Some(self.unescaped(value, self.start)?.trim().to_owned());
            }
            attributes = rest;
        }
        Ok(name)
    }

    /// Ends the innermost open element.
    fn end(&mut self) -> Option<XmlPart> {
        let text = self.text_of_last().map(|text| text.trim().to_owned());
        let (tag, start) = self.open.pop()?;
        self.element = start;
        let (tag, text) = (tag.to_owned(), text?);
        Some(match self.open.len() {
            1 => XmlPart::End { tag, text },
            _ => XmlPart::Field { tag, text },
        })
    }

    /// The text directly in the innermost open element, unless nobody needs it.
    fn text_of_last(&mut self) -> Option<&mut String> {
        self.texts.get_mut(self.open.len().checked_sub(2)?)
    }

    fn push(&mut self, text: &str) {
        if let Some(texts) = self.text_of_last() {
            texts.push_str(text);
        }
    }

    fn rest(&self, from: usize) -> &'a str {
        self.text.get(from..).unwrap_or_default()
    }

    /// Reads up to an end mark. Returns the text before it.
    fn until(&mut self, end: &str, what: &str) -> Result<&'a str, ParseError> {
        let rest = self.rest(self.at);
        let Some((before, _)) = rest.split_once(end) else {
            return Err(self.malformed(format!("{what} is not closed")));
        };
        self.at += before.len() + end.len();
        Ok(before)
    }

    /// Text without references to characters and entities. It begins at `offset`.
    fn unescaped<'t>(&self, text: &'t str, offset: usize) -> Result<Cow<'t, str>, ParseError> {
        let Some((start, mut rest)) = text.split_once('&') else {
            return Ok(text.into());
        };
        let mut unescaped = start.to_owned();
        loop {
            let (reference, after) = rest.split_once(';').unwrap_or((rest, ""));
            let character = match reference {
                "amp" => Some('&'),
                "apos" => Some('\''),
                "gt" => Some('>'),
                "lt" => Some('<'),
                "quot" => Some('"'),
                _ => {
                    let code = reference.strip_prefix('#').and_then(|code| {
                        let hexadecimal = code.strip_prefix('x');
                        let hexadecimal = hexadecimal.map(|code| u32::from_str_radix(code, 16));
                        hexadecimal.unwrap_or_else(|| code.parse()).ok()
                    });
                    code.and_then(char::from_u32)
                }
            };
            let Some(character) = character else {
                let at = offset + text.len() - rest.len() - 1;
                let reason = format!(
                    "{} is no entity of XML; write &amp; for &",
                    Quoted(reference)
                );
                return Err(self.error(at, ErrorKind::Malformed { reason }));
            };
            unescaped.push(character);
            let Some((before, next)) = after.split_once('&') else {
                unescaped.push_str(after);
                return Ok(unescaped.into());
            };
            unescaped.push_str(before);
            rest = next;
        }
    }

    /// An error about what was read last.
    fn malformed(&self, reason: impl Into<String>) -> ParseError {
        let reason = reason.into();
        self.error(self.start, ErrorKind::Malformed { reason })
    }

    fn error(&self, offset: usize, kind: ErrorKind) -> ParseError {
        let offset = offset as u64;
        ParseError {
            format: Format::Xml,
            offset,
            position: Some(self.position(offset)),
            context: "list".to_owned(),
            kind,
        }
    }
}

/// Text in UTF-8 without its byte order mark. Other text is read as Latin-1, in which every byte is a character.
#[must_use]
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match core::str::from_utf8(bytes) {
        Ok(text) => text.trim_start_matches('\u{feff}').into(),
        Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parts as text, and the error.
    fn read(text: &str) -> (String, Option<String>) {
        let mut list = XmlList::new(text);
        let mut parts = String::new();
        loop {
            match list.next_part() {
                Ok(Some(part)) => {
                    parts += &match part {
                        XmlPart::Begin { tag, name } => format!("{tag} {name:?}: "),
                        XmlPart::Field { tag, text } => format!("{tag}={text:?} "),
                        XmlPart::End { tag, text } => format!("{text:?} /{tag}; "),
                    };
                }
                Ok(None) => return (parts, None),
                Err(error) => return (parts, Some(error.to_string())),
            }
        }
    }

    #[test]
    fn elements_have_fields_or_text() {
        let text = "<?xml version='1.0' encoding='ASCII'?>\n<!-- a -- b --><List>not read\
            <File> a<!-- <File>x</File> -->&amp;<deep>x</deep>&#98; </File>\n\
            <Event id='1' NAME=' &lt;One&gt; '><Samples>\r\n a <![CDATA[<b>]]> c<deep>x</deep></Samples><Empty/> t</Event ></List>";
        let expected = "File None: deep=\"x\" \"a&b\" /File; \
            Event Some(\"<One>\"): Samples=\"a <b> c\" Empty=\"\" \"t\" /Event; ";
        assert_eq!(read(text), (expected.to_owned(), None));
        assert_eq!(read("<x/>"), (String::new(), None));
    }

    #[test]
    fn parts_before_a_flaw_are_read() {
        for (flaw, position, reason) in [
            ("</b></l>", "2:1", "the end tag is \"b\", expected </l>"),
            (
                "<b>&bad;</b></l>",
                "2:4",
                "\"bad\" is no entity of XML; write &amp; for &",
            ),
            ("<b>&#x110000;</b></l>", "2:4", "\"#x110000\" is no entity"),
            ("<b>a & b</b></l>", "2:6", "\" b\" is no entity"),
            ("<b Name='&bad;'/></l>", "2:1", "\"bad\" is no entity"),
            (
                "<b Name=x></b></l>",
                "2:1",
                "an attribute has no value in quotes",
            ),
            (
                "<b Name></b></l>",
                "2:1",
                "an attribute has no value in quotes",
            ),
            ("<b Name='x></b></l>", "2:1", "a tag is not closed"),
            ("<></></l>", "2:1", "a tag has no name"),
            (
                "<!DOCTYPE y></l>",
                "2:1",
                "document types are not supported",
            ),
            ("", "2:1", "<l> is not closed"),
            ("<b", "2:1", "a tag is not closed"),
            ("</l", "2:1", "a tag is not closed"),
            ("<!-- </l>", "2:1", "a comment is not closed"),
            ("<![CDATA[ </l>", "2:1", "a CDATA section is not closed"),
            ("<? </l>", "2:1", "an instruction is not closed"),
            ("</l></l>", "2:5", "the end tag is \"l\""),
        ] {
            let (parts, error) = read(&format!("<l><a>1</a>\n{flaw}"));
            assert!(parts.starts_with("a None: \"1\" /a; "), "{flaw}: {parts}");
            let error = error.expect(flaw);
            let start = format!("{position}: XML: list is malformed: {reason}");
            assert!(error.starts_with(&start), "{flaw}: {error}");
        }
        let (_, error) = read(&"<a>".repeat(33));
        let expected = "1:97: XML: list is nested more than 32 deep";
        assert_eq!(error.as_deref(), Some(expected));
        for text in ["", "MZ\0\u{1}", "<!-- -->"] {
            let (_, error) = read(text);
            let expected = "1:1: XML: list is malformed: there is no element";
            assert_eq!(error.as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn text_is_utf_8_or_latin_1() {
        assert_eq!(decode("\u{feff}<ä>".as_bytes()), "<ä>");
        assert_eq!(decode(b"<\xE4>"), "<ä>");
    }
}
