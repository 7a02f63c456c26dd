//! Bodies that were recorded in their content encoding: gzip is undone, all else stays closed.

use std::io::Read;

use crate::wire::{Coding, SseReader};

/// The longest body that is unpacked, in bytes.
const LIMIT: u64 = 256 << 20;

/// The text of a body, where its encoding can be undone.
pub(super) fn unpacked(bytes: &[u8], encoding: &str) -> Option<String> {
    if Coding::of(Some(encoding)) != Coding::Gzip {
        return None;
    }
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(bytes).take(LIMIT).read_to_string(&mut text).ok()?;
    Some(text)
}

/// The messages in it: the whole body, or the data of an event stream. A block that the stream ends in has not come, as for a client.
pub(super) fn messages(text: &str) -> Vec<String> {
    let start = text.trim_start();
    if start.starts_with(['{', '[']) {
        return vec![text.to_string()];
    }
    let data = SseReader::default()
        .push(text.as_bytes())
        .into_iter()
        .filter_map(|event| event.data)
        .filter(|data| !data.is_empty());
    data.filter_map(|data| String::from_utf8(data).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_without_its_end_has_not_come() {
        assert_eq!(messages("data: {\"a\":1}\n\nid: 2\ndata: {\"b\":2}\n"), [r#"{"a":1}"#]);
        assert_eq!(messages(" {\"a\":1}"), [" {\"a\":1}"]);
    }
}
