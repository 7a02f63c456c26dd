//! What a message of an exchange waits for, and what a request brings about: by id and by progress token, as text.

use memchr::memmem;

use crate::capture::formats::document::Elements;
use crate::json::scan::members;

/// The messages of a text: of an array each.
fn each(text: &str) -> Vec<&str> {
    if !text.trim_start().starts_with('[') {
        return vec![text];
    }
    Elements::new(text, Some(0), "list").into_iter().flatten().map(|(_, one)| one).collect()
}

/// True if one of these words stands anywhere in a text. Most messages are long and have none of them: they are not taken apart.
fn holds(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| memmem::find(text.as_bytes(), word.as_bytes()).is_some())
}

/// The members of a message that tell what it is, found in one pass.
#[derive(Default)]
struct Envelope<'t> {
    id: Option<&'t str>,
    method: Option<&'t str>,
    params: Option<&'t str>,
    answers: bool,
}

impl<'t> Envelope<'t> {
    fn of(text: &'t str) -> Envelope<'t> {
        let mut envelope = Envelope::default();
        for member in members(text) {
            match member.key {
                "id" => envelope.id = envelope.id.or(Some(member.value)),
                "method" => envelope.method = envelope.method.or(Some(member.value)),
                "params" => envelope.params = envelope.params.or(Some(member.value)),
                "result" | "error" => envelope.answers = true,
                _ => {}
            }
        }
        envelope
    }

    fn request(&self) -> Option<String> {
        self.method.and(self.id).map(|id| format!("id {id}"))
    }

    fn cause(&self) -> Option<String> {
        if self.answers {
            return self.id.filter(|id| *id != "null").map(|id| format!("id {id}"));
        }
        let token = member(self.params?, "progressToken")?;
        Some(format!("token {token}"))
    }

    fn effects(&self) -> impl Iterator<Item = String> {
        let meta = self.params.and_then(|params| member(params, "_meta"));
        let token = meta.and_then(|meta| member(meta, "progressToken")).map(|token| format!("token {token}"));
        self.request().into_iter().chain(token)
    }
}

/// What the messages of a text wait for: answers for a request of the other side, progress for one that gave its token.
pub(super) fn causes(text: &str) -> Vec<String> {
    if !holds(text, &["\"result\"", "\"error\"", "progressToken"]) {
        return Vec::new();
    }
    each(text).into_iter().filter_map(|one| Envelope::of(one).cause()).collect()
}

/// What the requests of a text bring about.
pub(super) fn effects(text: &str) -> Vec<String> {
    if !holds(text, &["\"method\""]) {
        return Vec::new();
    }
    each(text).into_iter().flat_map(|one| Envelope::of(one).effects().collect::<Vec<_>>()).collect()
}

/// The ids of the requests of a text.
pub(super) fn requests(text: &str) -> Vec<String> {
    if !holds(text, &["\"method\""]) {
        return Vec::new();
    }
    each(text).into_iter().filter_map(|one| Envelope::of(one).request()).collect()
}

/// The request of its own side that a cancel names.
pub(super) fn cancelled(text: &str) -> Option<String> {
    if !holds(text, &["ancel", "ANCEL"]) {
        return None;
    }
    let envelope = Envelope::of(text);
    let params = envelope.params.filter(|_| envelope.id.is_none())?;
    let names = envelope.method?.to_ascii_lowercase().contains("cancel");
    names.then(|| member(params, "requestId").or(member(params, "id"))).flatten().map(|id| format!("id {id}"))
}

fn member<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    members(text).find(|member| member.key == key).map(|member| member.value)
}
