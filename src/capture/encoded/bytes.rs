//! Bytes as numbers, as hexadecimal digits, as base64, packed by gzip or zlib.

use std::borrow::Cow;
use std::io::Read;

use crate::base64;

/// The longest text that is unpacked, in bytes.
const LIMIT: u64 = 256 << 20;

/// What base64 makes of the beginning of a message, an array, an event stream (also of a comment, a mark or an empty line), of HTTP,
/// of gzip and of zlib.
const BASE64: [&str; 24] = [
    "ey", "ewo", "ewk", "W3", "Wy", "ZX", "ZG", "aW", "cm", "Cn", "H4sI", "In", "UE9TV", "R0VU", "SFRUU", "Oi", "Og",
    "Om", "On", "77u/", "DQo", "Cg", "Cm", "eJ",
];

/// The same in hexadecimal digits, for what begins with a brace or a bracket, an event or data, and for gzip.
const HEX: [&str; 9] = ["7b22", "7b0a", "7b20", "7b0d", "5b7b", "5b0a", "6576656e743a", "646174613a", "1f8b08"];

/// How much of a text is looked at to tell whether it is made of digits.
const HEAD: usize = 64;

/// True for a text that looks like bytes: of base64 or digits that start as a message, an event stream or what packs them does, or
/// numbers as Node prints them.
pub(crate) fn looks_packed(text: &str) -> bool {
    text.len() >= 16
        && (is_base64(text) || is_hex(text) || text.starts_with("<Buffer ") || text.starts_with("Uint8Array("))
}

fn is_base64(text: &str) -> bool {
    let alphabet = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_' | b'=');
    BASE64.iter().any(|start| text.starts_with(start)) && text.as_bytes().iter().take(HEAD).all(alphabet)
}

fn is_hex(text: &str) -> bool {
    let digits = digits(text);
    if !digits.starts_with(['7', '5', '6', '1']) {
        return false;
    }
    let mut head = digits.bytes().filter(|byte| !byte.is_ascii_whitespace()).take(HEAD);
    let start: String = digits.chars().filter(|c| !c.is_whitespace()).take(12).collect::<String>().to_ascii_lowercase();
    HEX.iter().any(|sign| start.starts_with(sign)) && head.all(|byte| byte.is_ascii_hexdigit())
}

/// Hexadecimal digits without what is written before them.
fn digits(text: &str) -> &str {
    ["0x", "0X", "\\x", "\\\\x"].iter().find_map(|sign| text.strip_prefix(sign)).unwrap_or(text)
}

/// True for an object that Node makes of bytes: `{"type":"Buffer","data":[...]}`, or each under its place, `{"0":123,...}`.
pub(super) fn is_buffer(bytes: &[u8]) -> bool {
    let compact = |sign: &[u8]| bytes.starts_with(sign);
    // The beginning of its first name tells it of nearly all messages.
    let first = bytes.iter().take(HEAD).position(u8::is_ascii_alphanumeric);
    let may_be = first.is_some_and(|at| [&b"ty"[..], b"0\""].iter().any(|name| bytes[at..].starts_with(name)));
    may_be && (compact(b"{\"type\":\"Buffer\"") || compact(b"{\"0\":") || is_loose_buffer(bytes))
}

/// The same with blanks in it.
#[cold]
fn is_loose_buffer(bytes: &[u8]) -> bool {
    let head: Vec<u8> = bytes.iter().take(HEAD).copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    head.starts_with(b"{\"type\":\"Buffer\"") || head.starts_with(b"{\"0\":")
}

/// The text of bytes in any of these notations.
pub(super) fn plain(text: &str) -> Option<String> {
    let bytes = match text.as_bytes().first()? {
        b'{' | b'[' => return numbers_of(text),
        b'U' if text.starts_with("Uint8Array(") => return numbers_of(&text[text.find('[')?..]),
        b'<' => hex(text.strip_prefix("<Buffer ")?.strip_suffix('>')?)?,
        _ if is_hex(text) => hex(digits(text))?,
        _ => base64::decode(&without_blanks(text))?,
    };
    Some(unpacked(bytes))
}

fn without_blanks(text: &str) -> Cow<'_, str> {
    match text.contains(|c: char| c.is_ascii_whitespace()) {
        true => Cow::Owned(text.split_ascii_whitespace().collect()),
        false => Cow::Borrowed(text),
    }
}

/// Bytes out of digits, two for each.
fn hex(text: &str) -> Option<Vec<u8>> {
    let text = without_blanks(text);
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?, 16).ok())
        .collect()
}

/// The text with which bytes begin, in a notation that may break off.
pub(super) fn beginning(text: &str) -> String {
    let is_digit = |c: char| c.is_ascii_hexdigit() || c.is_ascii_whitespace();
    let run = |text: &str, is: &dyn Fn(char) -> bool| text.find(|c| !is(c)).map_or(text.len(), |end| end);
    let bytes = match text.strip_prefix("<Buffer ") {
        Some(rest) => hex(&even(&rest[..run(rest, &is_digit)])),
        None if is_hex(text) => hex(&even(&digits(text)[..run(digits(text), &is_digit)])),
        None if text.contains('[') => {
            let list = text[text.find('[').map_or(0, |at| at + 1)..].split([',', ' ']).map(str::trim);
            Some(list.filter(|number| !number.is_empty()).map_while(|number| number.parse().ok()).collect())
        }
        None => base64::decode(&text[..run(text, &|c: char| c.is_ascii_alphanumeric() || "+/-_".contains(c)) / 4 * 4]),
    };
    unpacked(bytes.unwrap_or_default())
}

/// Digits without blanks, and without the first of a pair that has no second.
fn even(text: &str) -> String {
    let mut digits: String = text.split_ascii_whitespace().collect();
    digits.truncate(digits.len() / 2 * 2);
    digits
}

/// The text of bytes that stand as numbers in a list, or in an object that Node makes of them.
pub(crate) fn numbers_of(text: &str) -> Option<String> {
    let places = text.starts_with('{') && !text.contains('[');
    let list = if places { &text[1..] } else { &text[text.find('[')? + 1..] };
    let list = list.get(..list.find(['}', ']'])?)?;
    let numbers = list.split(|c: char| c == ',' || c.is_ascii_whitespace()).filter(|number| !number.is_empty());
    let number = |number: &str| {
        let number = if places { number.split_once(':')?.1 } else { number };
        // Those of Java have a sign.
        number.parse::<u8>().ok().or_else(|| number.parse::<i8>().ok().map(|signed| signed.cast_unsigned()))
    };
    let bytes: Vec<u8> = numbers.map(number).collect::<Option<_>>()?;
    (bytes.len() > 1).then(|| unpacked(bytes))
}

/// Bytes as text, unpacked where they are still compressed.
pub(crate) fn unpacked(bytes: Vec<u8>) -> String {
    let mut plain = Vec::new();
    // What can be unpacked of a damaged body is kept.
    let bytes = match bytes.first_chunk() {
        Some([0x1f, 0x8b]) => {
            let _ = flate2::read::MultiGzDecoder::new(&bytes[..]).take(LIMIT).read_to_end(&mut plain);
            plain
        }
        Some([0x78, 0x01 | 0x5e | 0x9c | 0xda]) => {
            let _ = flate2::read::ZlibDecoder::new(&bytes[..]).take(LIMIT).read_to_end(&mut plain);
            plain
        }
        _ => bytes,
    };
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
