//! The checksum by which the games find files.

/// The remainders of all bytes for the reflected polynomial `EDB88320`.
const REMAINDERS: [u32; 256] = remainders();

const fn remainders() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut value = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            value = value >> 1 ^ if value & 1 == 1 { 0xEDB8_8320 } else { 0 };
            bit += 1;
        }
        table[byte] = value;
        byte += 1;
    }
    table
}

/// The CRC-32 of a name: the common one, of zlib and PNG.
pub fn checksum(name: &[u8]) -> u32 {
    upper_checksum(name, |byte| byte)
}

/// The CRC-32 of a name in upper case.
pub(super) fn checksum_of_stored_name(name: &[u8]) -> u32 {
    upper_checksum(name, |byte| byte.to_ascii_uppercase())
}

/// The CRC-32 of the path that the games search for. `None` if the path is too long for them.
pub(super) fn checksum_of_path(path: &str) -> Option<u32> {
    let path = path.strip_prefix('.').unwrap_or(path);
    let path = path.strip_prefix(['/', '\\']).unwrap_or(path);
    let bytes: Vec<u8> = path.chars().map(stored_byte).collect();
    (bytes.len() <= MAX_PATH).then(|| checksum(&bytes))
}

/// The longest path that the games find, in bytes.
pub(super) const MAX_PATH: usize = 259;

fn stored_byte(letter: char) -> u8 {
    match u8::try_from(letter) {
        Ok(b'/') => b'\\',
        Ok(byte) if byte.is_ascii() => byte.to_ascii_uppercase(),
        _ => b'?',
    }
}

fn upper_checksum(bytes: &[u8], map: impl Fn(u8) -> u8) -> u32 {
    let step = |value: u32, byte: &u8| {
        let low = (value & 0xFF) as u8 ^ map(*byte);
        value >> 8 ^ REMAINDERS[usize::from(low)]
    };
    !bytes.iter().fold(u32::MAX, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_is_the_common_crc_32() {
        assert_eq!(checksum(b"123456789"), 0xCBF4_3926);
        assert_eq!(checksum(b""), 0);
        assert_eq!(checksum_of_stored_name(b"a\xFCz"), checksum(b"A\xFCZ"));
    }

    #[test]
    fn paths_are_normalized_as_the_games_do() {
        let expected = Some(checksum(b"DATA\\X.TGA"));
        for path in [
            "DATA\\X.TGA",
            "data/x.tga",
            "\\data/x.tga",
            ".\\data/x.tga",
            "./Data/x.Tga",
            ".data/x.tga",
        ] {
            assert_eq!(checksum_of_path(path), expected, "{path}");
        }
        assert_ne!(checksum_of_path("\\\\data/x.tga"), expected);
        assert_eq!(checksum_of_path("über"), Some(checksum(b"?BER")));
        assert!(checksum_of_path(&"x".repeat(259)).is_some());
        assert_eq!(checksum_of_path(&"x".repeat(260)), None);
    }
}
