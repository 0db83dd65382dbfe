//! The checksum by which the games find files.

/// The remainders of all bytes for the reflected polynomial `EDB88320`: table n is for bytes that n others follow. Eight bytes
/// at a time take a quarter of the time of single ones ("slicing by 8").
static REMAINDERS: [[u32; 256]; 8] = remainders();

const fn remainders() -> [[u32; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut value = byte as u32;
        let mut table = 0;
        while table < 8 {
            let mut bit = 0;
            while bit < 8 {
                value = value >> 1 ^ if value & 1 == 1 { 0xEDB8_8320 } else { 0 };
                bit += 1;
            }
            tables[table][byte] = value;
            table += 1;
        }
        byte += 1;
    }
    tables
}

/// The CRC-32 of a name: the common one, of zlib and PNG.
pub fn checksum(name: &[u8]) -> u32 {
    mapped_checksum(name, |bytes| bytes)
}

/// The CRC-32 of a name in upper case.
pub(super) fn checksum_of_stored_name(name: &[u8]) -> u32 {
    mapped_checksum(name, upper_case)
}

/// Converts the eight bytes of a word to upper case at once, if they are ASCII letters.
fn upper_case(bytes: u64) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * EACH;
    // The sums set the highest bit of a byte from `a` on, and from the one after `z` on.
    let low = bytes & !HIGH;
    let from_a = low + (0x80 - u64::from(b'a')) * EACH;
    let after_z = low + (0x7F - u64::from(b'z')) * EACH;
    let is_lower = from_a & !after_z & !bytes & HIGH;
    bytes ^ is_lower >> 2
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

/// The CRC-32 of bytes, of which `map` converts eight at a time.
fn mapped_checksum(bytes: &[u8], map: impl Fn(u64) -> u64) -> u32 {
    let [t0, t1, t2, t3, t4, t5, t6, t7] = &REMAINDERS;
    let (blocks, rest) = bytes.as_chunks::<8>();
    let mut value = u32::MAX;
    for block in blocks {
        let word = map(u64::from_le_bytes(*block)) ^ u64::from(value);
        let [a, b, c, d, e, f, g, h] = word.to_le_bytes().map(usize::from);
        value = t7[a] ^ t6[b] ^ t5[c] ^ t4[d] ^ t3[e] ^ t2[f] ^ t1[g] ^ t0[h];
    }
    let step = |value: u32, byte: &u8| {
        let low = (value & 0xFF) as u8 ^ map((*byte).into()) as u8;
        value >> 8 ^ t0[usize::from(low)]
    };
    !rest.iter().fold(value, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_is_the_common_crc_32() {
        assert_eq!(checksum(b"123456789"), 0xCBF4_3926);
        assert_eq!(checksum(b""), 0);
        assert_eq!(
            checksum(b"The quick brown fox jumps over the lazy dog"),
            0x414F_A339
        );
        assert_eq!(checksum_of_stored_name(b"a\xFCz"), checksum(b"A\xFCZ"));
    }

    #[test]
    fn words_are_converted_like_bytes() {
        for byte in 0..=255_u8 {
            for other in [0, b'a', b'z', 0x7F, 0xFF] {
                let bytes = [byte, other, byte, byte, other, other, byte, other];
                let expected = bytes.map(|byte| byte.to_ascii_uppercase());
                assert_eq!(
                    upper_case(u64::from_le_bytes(bytes)).to_le_bytes(),
                    expected
                );
            }
        }
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
