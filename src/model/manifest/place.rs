//! Finds values in the text of a manifest that is known to be well formed, to tell where they are.

/// One step towards a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step<'a> {
    /// Into a struct, to the value of a field.
    Field(&'a str),
    /// Into a list or a tuple.
    Element(usize),
    /// Into a map, to the value of a text.
    Key(&'a str),
}

/// The offset of a value, or of the innermost value around it that is there.
pub(super) fn place(text: &str, steps: &[Step<'_>]) -> usize {
    let mut reader = Reader { text, at: 0 };
    reader.skip_attributes();
    let mut found = reader.at;
    for step in steps {
        if reader.descend(*step).is_none() {
            break;
        }
        found = reader.at;
    }
    found
}

/// Where the word, text or sign begins that an offset is in. The text need not be well formed.
pub(super) fn word_start(text: &str, offset: usize) -> usize {
    let mut reader = Reader { text, at: 0 };
    loop {
        reader.skip_blank();
        let begin = reader.at;
        if begin >= offset || reader.peek().is_none() {
            return offset;
        }
        reader.skip_token();
        if reader.at > offset {
            return begin;
        }
    }
}

/// Where the last word, text or sign before an offset begins.
pub(super) fn word_before(text: &str, offset: usize) -> usize {
    let mut reader = Reader { text, at: 0 };
    let mut last = 0;
    loop {
        reader.skip_blank();
        let begin = reader.at;
        if begin >= offset || reader.peek().is_none() {
            return last;
        }
        reader.skip_token();
        last = begin;
    }
}

/// The steps to the value that begins at an offset; `None` if a key is there. What follows need not be well formed.
pub(super) fn steps_to(text: &str, offset: usize) -> Option<Vec<Step<'_>>> {
    let mut reader = Reader { text, at: 0 };
    reader.skip_attributes();
    let mut around: Vec<Around<'_>> = Vec::new();
    let mut before = "";
    loop {
        reader.skip_blank();
        let begin = reader.at;
        if begin >= offset || reader.peek().is_none() {
            return around.iter().filter_map(Around::step).collect();
        }
        reader.skip_token();
        let token = text.get(begin..reader.at)?;
        let last = around.last_mut();
        match (token, last) {
            ("(" | "[" | "{", _) => around.push(Around {
                open: if before == "Some" { "" } else { token },
                index: 0,
                key: None,
            }),
            (")" | "]" | "}", _) => drop(around.pop()),
            (",", Some(last)) => (last.index, last.key) = (last.index + 1, None),
            (":", Some(last)) => last.key = Some(before),
            _ => {}
        }
        before = token;
    }
}

/// A list, a struct or the like around a value.
struct Around<'a> {
    /// Its first sign; empty for that of `Some`.
    open: &'a str,
    index: usize,
    key: Option<&'a str>,
}

impl<'a> Around<'a> {
    /// The step into it, if it is one; `None` within if there is a key first.
    fn step(&self) -> Option<Option<Step<'a>>> {
        match (self.open, self.key) {
            ("", _) => None,
            ("{", key) => Some(key.map(|key| Step::Key(key.trim_matches('"')))),
            ("(", Some(key)) => Some(Some(Step::Field(key.trim_start_matches("r#")))),
            _ => Some(Some(Step::Element(self.index))),
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self, expected: char) -> Option<()> {
        (self.peek()? == expected).then(|| self.at += expected.len_utf8())
    }

    /// Goes on while letters are meant.
    fn skip_while(&mut self, is_meant: impl Fn(char) -> bool) {
        let rest = self.rest();
        let end = rest.find(|letter| !is_meant(letter));
        self.at += end.unwrap_or(rest.len());
    }

    /// Goes behind the next place of a text, or to the end.
    fn skip_past(&mut self, end: &str) {
        let rest = self.rest();
        let found = rest.find(end).map(|found| found + end.len());
        self.at += found.unwrap_or(rest.len());
    }

    fn skip_blank(&mut self) {
        loop {
            self.skip_while(char::is_whitespace);
            if self.rest().starts_with("//") {
                self.skip_past("\n");
            } else if self.rest().starts_with("/*") {
                self.skip_block_comment();
            } else {
                return;
            }
        }
    }

    /// Such comments may be within each other.
    fn skip_block_comment(&mut self) {
        let mut depth = 0_usize;
        while let Some(letter) = self.peek() {
            if self.rest().starts_with("/*") {
                depth += 1;
                self.at += 2;
            } else if self.rest().starts_with("*/") {
                depth -= 1;
                self.at += 2;
            } else {
                self.at += letter.len_utf8();
            }
            if depth == 0 {
                return;
            }
        }
    }

    /// `#![enable(implicit_some)]`
    fn skip_attributes(&mut self) {
        self.skip_blank();
        while self.rest().starts_with("#!") {
            self.skip_past("]");
            self.skip_blank();
        }
    }

    fn skip_word(&mut self) {
        let is_text = |rest: &str| {
            let raw = rest.trim_start_matches('b').strip_prefix('r');
            let raw = raw.map(|raw| raw.trim_start_matches('#'));
            raw.is_some_and(|raw| raw.starts_with('"')) || rest.starts_with("b\"")
        };
        if !is_text(self.rest()) {
            self.skip_while(|letter| letter.is_alphanumeric() || "_#.+-".contains(letter));
        }
    }

    /// A text, which the reader is at; what it says if that is as it is written.
    fn text(&mut self) -> Option<&str> {
        self.skip_while(|letter| letter == 'b');
        if self.peek()? == 'r' {
            return self.raw_text();
        }
        self.take('"')?;
        let start = self.at;
        loop {
            self.skip_while(|letter| letter != '"' && letter != '\\');
            match self.peek()? {
                '"' => break,
                _ => {
                    self.at += 1;
                    self.at += self.peek()?.len_utf8();
                }
            }
        }
        let end = self.at;
        self.at += 1;
        self.text.get(start..end)
    }

    fn raw_text(&mut self) -> Option<&str> {
        self.take('r')?;
        let before = self.at;
        self.skip_while(|letter| letter == '#');
        let end = format!("\"{}", "#".repeat(self.at - before));
        self.take('"')?;
        let start = self.at;
        self.skip_past(&end);
        self.text.get(start..self.at.checked_sub(end.len())?)
    }

    /// Goes behind the value that the reader is at.
    fn skip_value(&mut self) {
        let mut depth = 0_usize;
        loop {
            self.skip_blank();
            let Some(letter) = self.peek() else {
                return;
            };
            match letter {
                ',' | ')' | ']' | '}' if depth == 0 => return,
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                _ => {}
            }
            self.skip_token();
        }
    }

    /// Goes behind a word, a text, a letter in quotes, or a sign.
    fn skip_token(&mut self) {
        let Some(letter) = self.peek() else {
            return;
        };
        if letter == '\'' {
            return self.skip_letter();
        }
        let before = self.at;
        self.skip_word();
        if self.at == before {
            let _ = self.text();
        }
        if self.at == before {
            self.at += letter.len_utf8();
        }
    }

    /// `'x'` or `'\''`
    fn skip_letter(&mut self) {
        self.at += 1;
        if self.peek() == Some('\\') {
            self.at += 1;
        }
        self.at += self.peek().map_or(0, char::len_utf8);
        self.skip_past("'");
    }

    /// Goes to a value within the one that the reader is at.
    fn descend(&mut self, step: Step<'_>) -> Option<()> {
        // The name of a struct, or `Some`.
        self.skip_word();
        self.skip_blank();
        let open = self.peek()?;
        "([{".contains(open).then_some(())?;
        self.at += 1;
        for index in 0.. {
            self.skip_blank();
            if ")]}".contains(self.peek()?) {
                break;
            }
            let is_meant = match step {
                Step::Element(meant) => index == meant,
                Step::Field(name) => self.key(name, false)?,
                Step::Key(name) => self.key(name, true)?,
            };
            if is_meant {
                return Some(());
            }
            self.skip_value();
            self.skip_blank();
            let _ = self.take(',');
        }
        None
    }

    /// Goes behind a key and its colon; whether it is the one that is meant.
    fn key(&mut self, name: &str, is_text: bool) -> Option<bool> {
        let is_meant = if is_text {
            self.text()? == name
        } else {
            let before = self.at;
            self.skip_word();
            let word = self.text.get(before..self.at)?;
            word.trim_start_matches("r#") == name
        };
        self.skip_blank();
        self.take(':')?;
        self.skip_blank();
        Some(is_meant)
    }
}

#[cfg(test)]
mod tests {
    use super::Step::{Element, Field, Key};
    use super::*;

    const TEXT: &str = r##"#![enable(implicit_some)]
// model: "no"
Manifest /* ( */ (
    notes: ["scale: 3, (", r#"a "quoted" ("#, b"\"", 'x', '\'', '(' ],
    r#scale: 2.0,
    clips: [(name: "a)"), (name: "b", frames: (1, 2),),],
    skins: {"red": "r.dtx", "b\"l": "b", "gr\\en": Some("g.dtx")},
    last: [],
)"##;

    fn rest(steps: &[Step<'_>]) -> &'static str {
        &TEXT[place(TEXT, steps)..]
    }

    #[test]
    fn values_are_found_by_their_steps() {
        assert!(rest(&[Field("scale")]).starts_with("2.0"));
        let clip = [Field("clips"), Element(1)];
        assert!(rest(&clip).starts_with("(name: \"b\""));
        let second = [Field("clips"), Element(1), Field("frames"), Element(1)];
        assert!(rest(&second).starts_with("2)"));
        assert!(rest(&[Field("skins"), Key("red")]).starts_with("\"r.dtx\""));
        assert!(rest(&[Field("last")]).starts_with("[]"));
    }

    #[test]
    fn words_are_whole() {
        let text = "(a: \"b c\", /* d */ -12)";
        let start = |part: &str| word_start(text, text.find(part).unwrap());
        assert_eq!(start("c\""), 4);
        assert_eq!(start("2)"), 19);
        assert_eq!(start(", /"), 9);
        assert_eq!(start("d *"), 14);
        assert_eq!(word_start(text, 99), 99);
        assert_eq!(word_before(text, 9), 4);
        assert_eq!(word_before(text, 0), 0);
        assert_eq!(word_start("\"a", 1), 0);
        assert_eq!(word_start("", 0), 0);
    }

    #[test]
    fn places_have_steps() {
        for steps in [
            vec![],
            vec![Field("scale")],
            vec![Field("clips"), Element(1)],
            vec![Field("clips"), Element(1), Field("name")],
            vec![Field("clips"), Element(1), Field("frames"), Element(1)],
            vec![Field("skins"), Key("red")],
            vec![Field("last")],
        ] {
            assert_eq!(steps_to(TEXT, place(TEXT, &steps)), Some(steps));
        }
        let at = |part: &str| steps_to(TEXT, TEXT.find(part).unwrap());
        assert_eq!(at("\"g.dtx"), Some(vec![Field("skins"), Key("gr\\\\en")]));
        assert_eq!(at("\"red\""), None);
        assert_eq!(steps_to("))],:x", 5), Some(vec![]));
        assert_eq!(steps_to("", 5), Some(vec![]));
    }

    #[test]
    fn what_is_not_there_is_where_it_would_be() {
        assert!(rest(&[]).starts_with("Manifest"));
        assert!(rest(&[Field("model")]).starts_with("Manifest"));
        assert!(rest(&[Field("clips"), Element(7)]).starts_with("[(name"));
        assert!(rest(&[Field("skins"), Key("blue")]).starts_with("{\"red\""));
        assert_eq!(place("", &[Field("a")]), 0);
    }
}
