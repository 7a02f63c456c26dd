//! Requests for other paths than the endpoint: recorded where they carry messages, noted otherwise; and where the server
//! itself sends its client elsewhere.
//!
//! Until a message is seen the events of such a request are held and nothing of them is written: what authorizes passes there, too.

use super::{Look, Scribe, SseEvent, Stream, Way, Whole};
use crate::live::proxy::way::Home;
use crate::live::tape::{Say, TapeEvent};

/// What tells where the places lead that a server names.
pub(in crate::live::proxy) struct Signposts {
    /// The server's own origin.
    pub home: Home,
    /// True where an endpoint that names the server is made relative.
    pub relative: bool,
    /// Who is told; nobody any more when that was done.
    pub say: Option<Say>,
}

impl Scribe {
    /// True for a request whose path, or whose session, is recorded whatever it carries.
    pub(super) fn is_wanted(&self, stream: &Stream, endpoint: bool) -> bool {
        let known = |id: &String| self.numbers.has_session(id);
        endpoint || self.numbers.of_endpoint(&stream.target).is_some() || stream.session.as_ref().is_some_and(known)
    }

    /// True as long as nothing shows that a request for another path carries messages.
    pub(super) fn is_elsewhere(&self, stream: u32) -> bool {
        self.streams.get(&stream).is_some_and(|state| state.elsewhere)
    }

    /// The body of a request for another path. True if it is to be read on.
    pub(super) fn posted_elsewhere(&mut self, stream: u32, whole: &Whole, look: &Look) -> bool {
        // Of a body over the limit only the beginning is there.
        if look.is_named || whole.is_cut() && memchr::memmem::find(&whole.bytes, b"\"jsonrpc\"").is_some() {
            self.adopt(stream);
            return true;
        }
        if self.streams.get(&stream).is_some_and(|state| state.method == "POST") {
            self.leave(stream);
        }
        false
    }

    /// An event of a stream from another path. True if it is to be read on.
    pub(super) fn said_elsewhere(&mut self, stream: u32, event: &SseEvent) -> bool {
        let is_endpoint = event.name.as_deref() == Some(crate::protocol::http::ENDPOINT);
        let carries = is_endpoint || event.data.as_ref().is_some_and(|data| Look::at(data).is_named);
        if carries {
            self.adopt(stream);
        }
        carries
    }

    /// It carries messages: it is recorded like one for the endpoint.
    fn adopt(&mut self, stream: u32) {
        if let Some(state) = self.streams.get_mut(&stream) {
            state.elsewhere = false;
        }
        self.place(stream);
    }

    /// It carries none: method, path and status are noted. What could not be looked into may have been a message.
    pub(super) fn leave(&mut self, stream: u32) {
        let Some(state) = self.streams.remove(&stream) else { return };
        for (_, event) in state.held {
            let gap = match event {
                TapeEvent::Gap { .. } => event,
                TapeEvent::Opaque { from, bytes, .. } => {
                    TapeEvent::Gap { from: Some(from), lost: None, bytes: bytes.len() as u64, why: "encoded" }
                }
                _ => continue,
            };
            self.tape.event(self.now_us, 0, None, gap);
        }
        let asked = format!("{} {}", state.method, state.target.split('?').next().unwrap_or("/"));
        match state.status {
            0 => drop(self.others.insert(stream, asked)),
            status => self.note(0, format!("{asked}: {status}")),
        }
    }

    /// Where an announced endpoint leads past the recorder: to this place.
    pub(super) fn leads_past(&self, announced: &str) -> Option<String> {
        match self.signposts.home.way(announced) {
            Way::Past(place) => Some(place),
            Way::Home(_) if !self.signposts.relative => Some("the server itself".to_string()),
            Way::Home(_) | Way::Back => None,
        }
    }

    /// The server sends its client past the recorder: what is said there is missing, from here on.
    pub(super) fn past(&mut self, connection: u32, what: &str, place: &str) {
        let text = format!("{what} sends the client to {place}, past the recorder: what is said there is not recorded");
        if let Some(say) = self.signposts.say.take() {
            say(&format!("warning: {text}"));
        }
        self.note(connection, text);
        let gap = TapeEvent::Gap { from: None, lost: None, bytes: 0, why: crate::capture::Why::Dropped.as_str() };
        self.tape.event(self.now_us, connection, None, gap);
    }
}
