//! Clips by name, as command lines name them.

/// The index of a clip by its name in any case, otherwise by its name without the number at its end: `MOVE` finds `MOVE_00`.
pub fn clip_named<'a>(names: impl Iterator<Item = &'a str> + Clone, name: &str) -> Option<usize> {
    let mut whole = names.clone();
    let whole = whole.position(|other| other.eq_ignore_ascii_case(name));
    whole.or_else(|| names.clone().position(|other| is_of_type(other, name)))
}

/// Whether a clip's name is a type and a number, such as `MOVE_00`.
pub fn is_of_type(name: &str, kind: &str) -> bool {
    name.split_at_checked(kind.len())
        .is_some_and(|(start, number)| {
            let is_number = |byte: u8| byte == b'_' || byte.is_ascii_digit();
            start.eq_ignore_ascii_case(kind) && number.bytes().all(is_number)
        })
}
