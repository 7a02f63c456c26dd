//! Event streams in texts: what looks like one, and its events.

use crate::wire::{SseEvent, SseReader};

/// True for what an event stream looks like.
pub(crate) fn is_event_stream(body: &str) -> bool {
    let start = body.trim_start_matches(['\u{feff}', '\n', '\r']);
    ["event:", "data:", "id:", "retry:", ":"].iter().any(|field| start.starts_with(field))
}

/// The events of an event stream that have data: name and data. An event that the stream ends in is one, too.
pub(crate) fn events(body: &str) -> Vec<(Option<String>, String)> {
    read_events(body).into_iter().filter_map(|event| Some((event.name, in_utf8(event.data?)))).collect()
}

/// The ids of all events of an event stream, and their data.
pub(crate) fn stamped_events(body: &str) -> Vec<(Option<String>, Option<String>)> {
    read_events(body).into_iter().map(|event| (event.id, event.data.map(in_utf8))).collect()
}

fn read_events(body: &str) -> Vec<SseEvent> {
    let mut reader = SseReader::default();
    let mut found = reader.push(body.trim_start_matches(['\u{feff}', '\n', '\r']).as_bytes());
    found.extend(reader.finish());
    found
}

fn in_utf8(data: Vec<u8>) -> String {
    String::from_utf8_lossy(&data).into_owned()
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
