//! Bodies as they were: out of JSON strings, base64 and gzip; and the events of an event stream.

use std::borrow::Cow;
use std::io::Read;

use super::document::Content;
use crate::capture::formats::document::content;
use crate::capture::formats::rec::base64;

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

/// The data of each event of an event stream, with its name. An event that the stream ends in is one, too.
pub(super) fn events(body: &str) -> Vec<(Option<&str>, Cow<'_, str>)> {
    let (mut found, mut name, mut data): (Vec<_>, _, Option<Cow<'_, str>>) = (Vec::new(), None, None);
    for line in lines(body).chain([""]) {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match (field, &mut data) {
            _ if line.is_empty() => {
                found.extend(data.take().map(|data| (name, data)));
                name = None;
            }
            ("event", _) => name = Some(value),
            ("data", None) => data = Some(Cow::Borrowed(value)),
            ("data", Some(text)) => {
                let text = text.to_mut();
                text.push('\n');
                text.push_str(value);
            }
            _ => {}
        }
    }
    found
}

/// Lines that end in LF, CR or both.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(end) = memchr::memchr2(b'\n', b'\r', text.as_bytes()) else {
            rest = None;
            return Some(text);
        };
        let length = if text[end..].starts_with("\r\n") { 2 } else { 1 };
        rest = Some(&text[end + length..]);
        Some(&text[..end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn events_of_several_lines_and_ends() {
        let text =
            "event: message\r\nid: 7\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\n: keep-alive\n\ndata:x\rdata: y\r\rdata: last";
        let found = events(text);
        assert_eq!(found, [(Some("message"), "{\"a\":\n1}".into()), (None, "x\ny".into()), (None, "last".into())]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn data_comes_back(all in proptest::collection::vec("[^\r\n]{1,20}", 0..6), end in "\r\n|\n|\r") {
            let text: String = all.iter().map(|data| format!("event: message{end}data: {data}{end}{end}")).collect();
            let got: Vec<String> = events(&text).into_iter().map(|(_, data)| data.into_owned()).collect();
            prop_assert_eq!(got, all);
        }
    }
}
