//! One line of Neovim's log, taken apart.

/// One record: what stands before the first tab, and what after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::capture) struct Record<'a> {
    pub level: &'a str,
    pub time: &'a str,
    /// The first field, without its quotes.
    pub event: &'a str,
    /// The fields after it.
    pub payload: &'a str,
}

const LEVELS: [&str; 7] = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "OFF", "START"];

impl<'a> Record<'a> {
    /// Takes a line apart: `[LEVEL][TIME] where<TAB>fields`, or `[ LEVEL ] TIME ] where ]<TAB>fields`.
    pub(in crate::capture) fn read(line: &'a str) -> Option<Record<'a>> {
        let (level, rest) = line.strip_prefix('[')?.split_once(']')?;
        let level = level.trim();
        if !LEVELS.contains(&level) {
            return None;
        }
        let rest = rest.trim_start_matches([' ', '[']);
        let (time, rest) = rest.split_once(']')?;
        let time = time.trim();
        if !time.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let fields = match rest.split_once('\t') {
            Some((_, fields)) => fields,
            // What was copied out of a terminal has blanks for tabs.
            None => rest.find(" \"").or_else(|| rest.find(" '")).map_or("", |at| &rest[at + 1..]),
        };
        let (event, payload) = field(fields);
        Some(Record { level, time, event, payload })
    }
}

/// The first field of a list, without its quotes, and those after it.
fn field(text: &str) -> (&str, &str) {
    let quotes = ['"', '\''];
    if let Some((first, rest)) = text.split_once('\t') {
        return (first.trim_matches(quotes), rest);
    }
    let quoted = text.chars().next().filter(|c| quotes.contains(c)).and_then(|quote| text[1..].split_once(quote));
    let (first, rest) = quoted.or_else(|| text.split_once(' ')).unwrap_or((text, ""));
    (first.trim_matches(quotes), rest.trim_start())
}

/// The name in `LSP[name]`.
pub(super) fn name_of(event: &str) -> Option<&str> {
    event.strip_prefix("LSP[")?.split(']').next()
}

/// The first field of what stands after the name of a server.
pub(super) fn event_of(payload: &str) -> &str {
    field(payload).0
}

/// True for what the client logs of a message that the transport logs as well.
pub(super) fn is_duplicate(record: &Record<'_>) -> bool {
    let repeats =
        ["client.request", "client.notify", "server_request", "server_request: found handler for", "notification"];
    let event = if record.event.starts_with("LSP[") { event_of(record.payload) } else { record.event };
    repeats.contains(&event)
}
