//! The line that opens a record: `[Trace - 4:21:27 PM] Sending request 'initialize - (0)'.` and its relatives.

/// What a record is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordKind {
    Request,
    Response,
    Notification,
    /// `[Error - Received] 19:46:15.450 PM #12 text`: gopls says of a failed request no more than this.
    Failure,
}

/// A header, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header<'a> {
    /// The time in front of everything, with its date, where an output channel put one there.
    pub outer_time: Option<&'a str>,
    /// The time within the brackets.
    pub time: Option<&'a str>,
    pub what: RecordKind,
    pub sent: bool,
    /// Empty where the header does not tell it.
    pub method: &'a str,
    pub id: Option<&'a str>,
    /// What follows method and id, or the text of a failure.
    pub rest: &'a str,
}

impl<'a> Header<'a> {
    /// Takes a line for a header, if it is one.
    pub(super) fn read(line: &'a str) -> Option<Header<'a>> {
        let (outer, body) = match line.as_bytes().first()? {
            b'[' => (None, line),
            b'0'..=b'9' => stamped(line)?,
            _ => return None,
        };
        if let Some(error) = body.strip_prefix("[Error - ") {
            return failure(error).map(|header| Header { outer_time: outer.map(|(time, _)| time), ..header });
        }
        let (time, text) = match body.strip_prefix("[Trace - ") {
            Some(inner) => inner.split_once("] ").map(|(time, text)| (Some(time), text))?,
            None if outer.is_some_and(|(_, level)| level == "trace") => (None, body),
            None => return None,
        };
        let header = message(text)?;
        Some(Header { outer_time: outer.map(|(time, _)| time), time, ..header })
    }

    /// Where the text of an error starts in what follows method and id.
    pub(super) fn failed(&self) -> Option<usize> {
        const LABEL: &str = " Request failed: ";
        self.rest.find(LABEL).map(|at| at + LABEL.len())
    }
}

/// `2024-06-01 00:37:58.058 [info] ` before the record, as VS Code keeps output channels on disk: time and level.
fn stamped(line: &str) -> Option<(Option<(&str, &str)>, &str)> {
    let bytes = line.as_bytes();
    if bytes.get(4) != Some(&b'-') || bytes.get(10) != Some(&b' ') {
        return None;
    }
    let (time, rest) = line.split_once(" [")?;
    let (level, body) = rest.split_once("] ")?;
    (time.len() >= 19 && time.len() < 32).then_some((Some((time, level)), body))
}

/// True for a line that ends as a header does, and does not begin as one.
pub(super) fn is_rest(line: &str) -> bool {
    let text = line.split_once("] ").map_or(line, |(_, text)| text);
    message(text).is_some() && stamped(line).is_none() && !is_output(line.as_bytes())
}

/// True for the start of another record, of whatever kind.
pub(super) fn is_output(line: &[u8]) -> bool {
    ["[Trace - ", "[Info  - ", "[Warn  - ", "[Error - ", "[Debug - "]
        .iter()
        .any(|text| line.starts_with(text.as_bytes()))
}

fn failure(text: &str) -> Option<Header<'_>> {
    let (word, text) = text.split_once("] ")?;
    let (before, text) = text.split_once('#')?;
    // Copies on GitHub have `golang/vscode-go#12`.
    let (time, _) = before.rsplit_once(' ')?;
    let (id, rest) = text.split_once(' ').unwrap_or((text, ""));
    let sent = direction(word)?;
    Some(Header { outer_time: None, time: Some(time), what: RecordKind::Failure, sent, method: "", id: Some(id), rest })
}

fn direction(word: &str) -> Option<bool> {
    match word {
        "Sending" | "Sent" => Some(true),
        "Received" => Some(false),
        _ => None,
    }
}

fn message(text: &str) -> Option<Header<'_>> {
    let (word, text) = text.split_once(' ')?;
    let sent = direction(word)?;
    let (kind, text) = text.split_once(' ')?;
    let what = match kind {
        "request" => RecordKind::Request,
        "response" => RecordKind::Response,
        "notification" => RecordKind::Notification,
        _ => return None,
    };
    let header = Header { outer_time: None, time: None, what, sent, method: "", id: None, rest: "" };
    let Some(quoted) = text.strip_prefix('\'') else {
        let (id, _) = text.split_once(" without active response promise")?;
        return (what == RecordKind::Response).then_some(Header { id: Some(id), ..header });
    };
    if what == RecordKind::Notification {
        let end = quoted.rfind('\'')?;
        return Some(Header { method: &quoted[..end], rest: &quoted[end + 1..], ..header });
    }
    let (method, text) = quoted.split_once(" - (")?;
    // lsp-mode forgets the closing quote of what it receives.
    let end = text.find(")'").or_else(|| text.find(").")).or_else(|| text.rfind(')'))?;
    Some(Header { method, id: Some(&text[..end]), rest: &text[end + 1..], ..header })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn told(line: &str) -> Option<(RecordKind, bool, &str, Option<&str>, &str)> {
        Header::read(line).map(|header| (header.what, header.sent, header.method, header.id, header.rest))
    }

    #[test]
    fn headers_of_all_dialects() {
        let request = Some((RecordKind::Request, true, "initialize", Some("0"), "'."));
        assert_eq!(told("[Trace - 4:21:27 PM] Sending request 'initialize - (0)'."), request);
        assert_eq!(told("2026-11-21 06:46:06.862 [trace] Sending request 'initialize - (0)'."), request);
        let both = Header::read("2024-06-01 00:37:58.058 [info] [Trace - 00:37:58] Received notification 'a'.");
        assert_eq!(both.map(|h| (h.outer_time, h.time)), Some((Some("2024-06-01 00:37:58.058"), Some("00:37:58"))));
        let unbalanced = told("[Trace - 06:46:06 AM] Received request 'window/showMessageRequest - (7).");
        assert_eq!(unbalanced, Some((RecordKind::Request, false, "window/showMessageRequest", Some("7"), ".")));
        let late = told("[Trace - 1:00:00 PM] Received response 12 without active response promise.");
        assert_eq!(late, Some((RecordKind::Response, false, "", Some("12"), "")));
        let failure = Some((RecordKind::Failure, false, "", Some("12"), "JSON RPC cancelled"));
        assert_eq!(told("[Error - Received] 19:46:15.450 PM #12 JSON RPC cancelled"), failure);
        assert_eq!(told("[Error - Received] 19:46:15.450 PM golang/vscode-go#12 JSON RPC cancelled"), failure);
    }

    #[test]
    fn an_error_stands_at_the_end_of_its_header() {
        let line = "[Trace - 4:21:27 PM] Received response 'a - (0)' in 3ms. Request failed: no - (1) (-32601).";
        let header = Header::read(line).expect("a header");
        assert_eq!(header.failed().map(|at| &header.rest[at..]), Some("no - (1) (-32601)."));
    }

    #[test]
    fn other_output_is_no_header() {
        for line in [
            "[Trace - 4:21:28 PM] onDidOpen",
            "[Info  - 4:21:28 PM] Sending request 'a - (0)'.",
            "2026-11-21 06:46:06.862 [info] Sending request 'initialize - (0)'.",
            "[Trace - 4:21:28 PM] Sending request 'workspace/executeCommand'.",
            "Sending request 'a - (0)'.",
            "[Error - 4:21:28 PM] Request a failed.",
            "",
        ] {
            assert_eq!(told(line), None, "{line}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,40}", tail in "['\\-() .#a-z0-9]{0,40}") {
            let _ = Header::read(&text);
            let _ = Header::read(&format!("[Trace - 1] Sending request '{tail}"));
            let _ = Header::read(&format!("[Error - Sent] {tail}"));
        }
    }
}
