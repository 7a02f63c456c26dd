//! What the messages of a text ask, wait for and cancel, found in one pass when the text is taken in: by id and by progress token.

use std::hash::{Hash, Hasher};
use std::sync::LazyLock;

use memchr::memmem::Finder;
use rustc_hash::FxHasher;

use crate::capture::formats::document::Elements;
use crate::json::scan::{members, value_end};

/// An id or a progress token as it is written, hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Link(u64);

impl Link {
    fn id(raw: &str) -> Link {
        Link::of("id", raw)
    }

    fn token(raw: &str) -> Link {
        Link::of("token", raw)
    }

    fn of(kind: &str, raw: &str) -> Link {
        let mut hasher = FxHasher::default();
        (kind, raw).hash(&mut hasher);
        Link(hasher.finish())
    }
}

/// What the messages of a text tell.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    /// The ids of its requests.
    pub(super) requests: Vec<Link>,
    /// The progress tokens that they give.
    tokens: Vec<Link>,
    /// What its messages wait for: answers for a request of the other side, progress for one that gave its token.
    pub(super) causes: Vec<Link>,
    /// The requests of its own side that are cancelled.
    pub(super) cancelled: Vec<Link>,
    /// True if an answer may be among them: the members of a batch are not looked at for it.
    pub(super) answers: bool,
}

impl Told {
    pub(super) fn of(text: &str) -> Told {
        let mut told = Told::default();
        if !text.trim_start().starts_with('[') {
            told.message(text);
            return told;
        }
        for (_, message) in Elements::new(text, Some(0), "list").into_iter().flatten() {
            told.message(message);
        }
        told.answers = true;
        told
    }

    /// What its requests bring about.
    pub(super) fn effects(&self) -> impl Iterator<Item = Link> {
        self.requests.iter().chain(&self.tokens).copied()
    }

    fn message(&mut self, text: &str) {
        let (mut id, mut method, mut params, mut answers) = (None, None, None, false);
        let mut all = members(text);
        while let Some((key, at)) = all.next_key() {
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
        self.answers |= answers;
        match (id, method) {
            (Some(id), _) if answers => self.causes.extend((id != "null").then(|| Link::id(id))),
            (Some(id), Some(_)) => self.requests.push(Link::id(id)),
            (None, Some(method)) if method.to_ascii_lowercase().contains("cancel") => self.cancel(params),
            _ => {}
        }
        if let Some(params) = params.filter(|params| has_token(params)) {
            let given = member(params, "_meta").and_then(|meta| member(meta, "progressToken"));
            self.tokens.extend(given.map(Link::token));
            self.causes.extend(member(params, "progressToken").map(Link::token));
        }
    }

    fn cancel(&mut self, params: Option<&str>) {
        let target = params.and_then(|params| member(params, "requestId").or(member(params, "id")));
        self.cancelled.extend(target.map(Link::id));
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
        assert!(asks.causes.is_empty() && !asks.answers);
        let answers = Told::of(r#"{"result":{"params":{"progressToken":1}},"id":7}"#);
        assert_eq!((answers.causes, answers.answers), (vec![Link::id("7")], true));
        assert!(Told::of(r#"{"error":{},"id":null}"#).causes.is_empty());
        assert_eq!(
            Told::of(r#"{"method":"notifications/progress","params":{"progressToken":"p"}}"#).causes,
            [Link::token("\"p\"")]
        );
        assert_eq!(Told::of(r#"{"method":"$/cancelRequest","params":{"id":7}}"#).cancelled, [Link::id("7")]);
    }

    #[test]
    fn a_batch_tells_what_its_messages_do() {
        let batch = Told::of(
            r#" [{"id":1,"method":"m"},{"method":"notifications/cancelled","params":{"requestId":2}},{"id":3,"result":{}}]"#,
        );
        assert_eq!(
            (batch.requests, batch.cancelled, batch.causes),
            (vec![Link::id("1")], vec![Link::id("2")], vec![Link::id("3")])
        );
        assert!(batch.answers);
    }
}
