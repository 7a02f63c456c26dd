//! What the messages of a text ask, wait for and cancel, found in one pass when the text is taken in: by id and by progress token.

use std::hash::{Hash, Hasher};
use std::sync::LazyLock;

use memchr::memmem::Finder;
use rustc_hash::FxHasher;

use crate::capture::formats::document::Elements;
use crate::capture::sample::looks_like_message;
use crate::json::scan::{members, skip_white, value_end};

/// An id or a progress token as it is written, hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::capture::formats) struct Link(u64);

impl Link {
    fn id(raw: &str) -> Link {
        Link::of("id", raw)
    }

    fn token(raw: &str) -> Link {
        Link::of("token", raw)
    }

    fn event(id: &str) -> Link {
        Link::of("event", id)
    }

    fn of(kind: &str, raw: &str) -> Link {
        let mut hasher = FxHasher::default();
        (kind, raw).hash(&mut hasher);
        Link(hasher.finish())
    }
}

/// What a link is to the messages of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum As {
    /// The id of a request.
    Request,
    /// The progress token that one gives.
    Token,
    /// What a message waits for: answers for a request of the other side, progress for one that gave its token.
    Cause,
    /// A request of the own side that is cancelled.
    Cancelled,
    /// The id of the event that it came as.
    Event,
    /// The event behind which a stream is taken up again.
    Resumed,
}

/// What the messages of a text tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::capture::formats) struct Told {
    /// Most texts have one.
    link: Option<(As, Link)>,
    more: Vec<(As, Link)>,
    /// True if an answer may be among them: the members of a batch are not looked at for it.
    pub(super) answers: bool,
    /// True if something is cancelled of which no id is given.
    pub(super) cancels_unnamed: bool,
    /// True for a message, or a batch that starts with one.
    pub(in crate::capture::formats) is_traffic: bool,
}

impl Told {
    pub(in crate::capture::formats) fn of(text: &str) -> Told {
        let (mut told, at) = (Told::default(), skip_white(text.as_bytes(), 0));
        match text.as_bytes().get(at) {
            Some(b'{') => told.is_traffic = told.message(&text[at..]),
            Some(b'[') => {
                for (_, message) in Elements::new(text, Some(at), "list").into_iter().flatten() {
                    told.message(message);
                }
                told.answers = true;
                told.is_traffic = looks_like_message(text[at + 1..].trim_start());
            }
            _ => {}
        }
        told
    }

    /// A GET that goes on behind an event.
    pub(super) fn resuming(event: &str) -> Told {
        Told { link: Some((As::Resumed, Link::event(event))), ..Told::default() }
    }

    /// It came as the event with this id, or that followed it on its stream.
    pub(super) fn came_as(&mut self, event: &str) {
        self.add(As::Event, Some(Link::event(event)));
    }

    /// What must have come before something else that is seen: what it brings about, and the events that it came as.
    pub(super) fn gives(&self) -> impl Iterator<Item = Link> {
        self.all(|kind| matches!(kind, As::Request | As::Token | As::Event))
    }

    /// What must have come before it.
    pub(super) fn follows(&self) -> impl Iterator<Item = Link> {
        self.all(|kind| matches!(kind, As::Cause | As::Resumed))
    }

    /// The ids of its requests.
    pub(super) fn requests(&self) -> impl Iterator<Item = Link> {
        self.all(|kind| kind == As::Request)
    }

    /// What its requests bring about.
    pub(super) fn effects(&self) -> impl Iterator<Item = Link> {
        self.all(|kind| matches!(kind, As::Request | As::Token))
    }

    /// What its messages wait for.
    pub(super) fn causes(&self) -> impl Iterator<Item = Link> {
        self.all(|kind| kind == As::Cause)
    }

    /// The requests of its own side that are cancelled.
    pub(super) fn cancelled(&self) -> impl Iterator<Item = Link> {
        self.all(|kind| kind == As::Cancelled)
    }

    fn all(&self, are: impl Fn(As) -> bool) -> impl Iterator<Item = Link> {
        self.link.iter().chain(&self.more).filter(move |(kind, _)| are(*kind)).map(|(_, link)| *link)
    }

    fn add(&mut self, kind: As, link: Option<Link>) {
        let Some(link) = link.map(|link| (kind, link)) else { return };
        match self.link {
            None => self.link = Some(link),
            Some(_) => self.more.push(link),
        }
    }

    /// Takes what an object tells; true if it is a message.
    fn message(&mut self, text: &str) -> bool {
        let (mut version, mut id, mut method, mut params, mut answers) = (false, None, None, None, false);
        let mut all = members(text);
        while let Some((key, at)) = all.next_key() {
            version |= key == "jsonrpc";
            answers |= matches!(key, "result" | "error");
            // The longest part of most messages, behind which nothing is told: it is not gone through.
            if id.is_some() && (answers || key == "params" && method.is_some() && !has_token(text)) {
                break;
            }
            let end = value_end(text.as_bytes(), at);
            let value = end.map(|end| &text[at..end]);
            match key {
                "id" => id = id.or(value),
                "method" => method = method.or(value),
                "params" => params = params.or(value),
                _ => {}
            }
            all.pass(end);
        }
        let named = version && (method.is_some() || id.is_some() || answers);
        self.answers |= answers;
        match (id, method) {
            (Some(id), _) if answers => self.add(As::Cause, (id != "null").then(|| Link::id(id))),
            (Some(id), Some(_)) => self.add(As::Request, Some(Link::id(id))),
            (None, Some(method)) if method.to_ascii_lowercase().contains("cancel") => self.cancel(params),
            _ => {}
        }
        if let Some(params) = params.filter(|params| has_token(params)) {
            let given = member(params, "_meta").and_then(|meta| member(meta, "progressToken"));
            self.add(As::Token, given.map(Link::token));
            self.add(As::Cause, member(params, "progressToken").map(Link::token));
        }
        named || looks_like_message(text)
    }

    fn cancel(&mut self, params: Option<&str>) {
        let target = params.and_then(|params| member(params, "requestId").or(member(params, "id")));
        self.cancels_unnamed |= target.is_none();
        self.add(As::Cancelled, target.map(Link::id));
    }
}

fn has_token(text: &str) -> bool {
    static TOKEN: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("progressToken"));
    TOKEN.find(text.as_bytes()).is_some()
}

fn member<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    members(text).find(|member| member.key == key).map(|member| member.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_tells_what_it_asks_and_what_it_waits_for() {
        let asks = Told::of(r#"{"id":7,"method":"m","params":{"_meta":{"progressToken":"p"}}}"#);
        assert_eq!(asks.effects().collect::<Vec<_>>(), [Link::id("7"), Link::token("\"p\"")]);
        assert!(asks.causes().next().is_none() && !asks.answers && asks.is_traffic);
        let answers = Told::of(r#"{"result":{"params":{"progressToken":1}},"id":7}"#);
        assert_eq!((answers.causes().collect(), answers.answers), (vec![Link::id("7")], true));
        assert!(Told::of(r#"{"error":{},"id":null}"#).causes().next().is_none());
        assert_eq!(
            Told::of(r#"{"method":"notifications/progress","params":{"progressToken":"p"}}"#)
                .causes()
                .collect::<Vec<_>>(),
            [Link::token("\"p\"")]
        );
        assert_eq!(
            Told::of(r#"{"method":"$/cancelRequest","params":{"id":7}}"#).cancelled().collect::<Vec<_>>(),
            [Link::id("7")]
        );
    }

    #[test]
    fn a_batch_tells_what_its_messages_do() {
        let batch = Told::of(
            r#" [{"id":1,"method":"m"},{"method":"notifications/cancelled","params":{"requestId":2}},{"id":3,"result":{}}]"#,
        );
        assert_eq!(
            (batch.requests().collect(), batch.cancelled().collect(), batch.causes().collect()),
            (vec![Link::id("1")], vec![Link::id("2")], vec![Link::id("3")])
        );
        assert!(batch.answers && batch.is_traffic);
    }
}
