//! Bodies that were recorded in their content encoding: gzip is undone, all else stays closed.

use std::io::Read;

use crate::wire::SseReader;

/// The longest body that is unpacked, in bytes.
const LIMIT: u64 = 256 << 20;

/// The text of a body, where its encoding can be undone.
pub(super) fn unpacked(bytes: &[u8], encoding: &str) -> Option<String> {
    if !matches!(encoding.trim().to_ascii_lowercase().as_str(), "gzip" | "x-gzip") {
        return None;
    }
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(bytes).take(LIMIT).read_to_string(&mut text).ok()?;
    Some(text)
}

/// The messages in it: the whole body, or the data of an event stream.
pub(super) fn messages(text: &str) -> Vec<String> {
    let start = text.trim_start();
    if start.starts_with(['{', '[']) {
        return vec![text.to_string()];
    }
    let mut reader = SseReader::default();
    let mut events = reader.push(text.as_bytes());
    events.extend(reader.finish());
    let data = events.into_iter().filter_map(|event| event.data).filter(|data| !data.is_empty());
    data.filter_map(|data| String::from_utf8(data).ok()).collect()
}
