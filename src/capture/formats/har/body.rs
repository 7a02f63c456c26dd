//! Bodies as they were: out of JSON strings, base64 and gzip; and the events of an event stream.

use std::borrow::Cow;
use std::io::Read;

use super::document::Content;
use crate::capture::formats::document::content;
use crate::capture::formats::rec::base64;
use crate::jsonrpc::SseReader;

/// The longest body that is unpacked, in bytes.
const LIMIT: u64 = 256 << 20;

impl<'a> Content<'a> {
    /// The body as text; `None` where the document does not hold it.
    pub(super) fn body(&self) -> Option<Cow<'a, str>> {
        let text = content(self.text?.get());
        if self.encoding.as_deref() == Some("base64") {
            let bytes = base64::decode(text.trim())?;
            return Some(Cow::Owned(unpacked(bytes)));
        }
        Some(text)
    }

    /// True for an event stream, by its type or by its looks.
    pub(super) fn is_event_stream(&self, body: &str) -> bool {
        let typed = self.mime_type.as_deref().is_some_and(|mime| mime.starts_with("text/event-stream"));
        typed || ["event:", "data:", "id:", ":"].iter().any(|field| body.starts_with(field))
    }
}

/// Bytes as text, unpacked where they are still compressed.
fn unpacked(bytes: Vec<u8>) -> String {
    let mut plain = Vec::new();
    let bytes = match bytes.first_chunk() {
        Some([0x1f, 0x8b]) => {
            // What can be unpacked of a damaged body is kept.
            let _ = flate2::read::MultiGzDecoder::new(&bytes[..]).take(LIMIT).read_to_end(&mut plain);
            plain
        }
        _ => bytes,
    };
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// The events of an event stream that have data: name and data. An event that the stream ends in is one, too.
pub(super) fn events(body: &str) -> Vec<(Option<String>, String)> {
    let mut reader = SseReader::default();
    let mut found = reader.push(body.as_bytes());
    found.extend(reader.finish());
    let text = |data: Vec<u8>| String::from_utf8_lossy(&data).into_owned();
    found.into_iter().filter_map(|event| Some((event.name, text(event.data?)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_with_data() {
        let found =
            events("event: message\r\nid: 7\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\n: keep-alive\n\nid: 8\n\ndata: last");
        assert_eq!(found, [(Some("message".into()), "{\"a\":\n1}".into()), (None, "last".into())]);
    }
}
