//! Which profile a connection speaks, from what its messages carry.

use std::collections::BTreeSet;

use super::{Facts, Family, MethodKind, Profile, Sender, acp, dap, jsonrpc, lsp, mcp};
use crate::jsonrpc::{Defect, Kind, Message};

/// What one message says about the protocol.
#[derive(Clone, Copy, Debug)]
pub enum Hint {
    /// It says nothing.
    None,
    /// A method that only this family has; the revision is open.
    Family(&'static Profile),
    /// Most likely this one, until a message says otherwise.
    Guessed(&'static Profile),
    /// The client asks for this revision; the server's answer decides.
    Asked(&'static Profile),
    /// The revision is stated: by the server's answer, or by the message itself.
    Stated(&'static Profile),
}

/// All profiles that can be asked for by name, in the order in which they are listed.
pub fn profiles() -> impl Iterator<Item = &'static Profile> {
    mcp::PROFILES.iter().copied().chain(acp::PROFILES).chain(lsp::PROFILES).chain([
        &dap::PROFILE,
        &jsonrpc::PROFILE,
        &jsonrpc::v1::PROFILE,
    ])
}

/// The methods by which a connection is opened with a handshake, whatever the protocol.
pub fn handshakes() -> BTreeSet<&'static str> {
    profiles().filter_map(|profile| profile.opening.initialize).collect()
}

/// A profile by name and revision (`mcp 2025-11-25`, `acp 1`), or by name alone.
pub fn by_name(name: &str, revision: Option<&str>) -> Option<&'static Profile> {
    match (name, revision) {
        ("mcp", None | Some("auto")) => Some(&mcp::UNKNOWN),
        ("acp", None | Some("auto")) => Some(acp::stable()),
        ("lsp", None | Some("auto")) => Some(lsp::current()),
        ("dap", None | Some("auto")) => Some(&dap::PROFILE),
        ("jsonrpc", None | Some("auto")) => Some(&jsonrpc::PROFILE),
        (name, Some(revision)) => profiles().find(|profile| profile.name == name && profile.revision == revision),
        _ => None,
    }
}

/// The profile of a protocol that was named without its revision. `None` where a revision shows in the messages and is not learnt
/// once a profile is declared: in ACP and in plain JSON-RPC the messages tell more than the name.
pub fn by_name_alone(name: &str) -> Option<&'static Profile> {
    by_name(name, None).filter(|profile| !matches!(profile.name, "acp" | "jsonrpc"))
}

/// What a message says about the protocol it belongs to. Once a revision is `known`, method names say nothing new.
pub fn hint(message: &Message<'_>, facts: &Facts<'_>, known: bool) -> Hint {
    let method = message.method();
    if facts.meta_revision().is_some() && method != "initialize" {
        return Hint::Stated(
            Facts::text(facts.meta_revision()).and_then(|text| mcp_revision(&text)).unwrap_or(&mcp::STATELESS_UNKNOWN),
        );
    }
    if !known && is_version_one(message) {
        return Hint::Family(&jsonrpc::v1::PROFILE);
    }
    match (message.kind, method) {
        (Kind::Request, "initialize") => asked(facts),
        (Kind::Result, _) => answered(facts),
        (_, "") => Hint::None,
        _ if known => Hint::None,
        _ => by_method(method),
    }
}

/// True for a message that says so, and for a response with both members that does not say to be of 2.0.
fn is_version_one(message: &Message<'_>) -> bool {
    let has = |defect| message.defects.has(defect);
    let both = has(Defect::ResultAndError) || has(Defect::NullErrorBesideResult);
    has(Defect::VersionOne) || has(Defect::JsonrpcMember) && both
}

fn asked(facts: &Facts<'_>) -> Hint {
    match facts.revision() {
        Some(raw) if raw.starts_with('"') => {
            match Facts::text(facts.revision()).and_then(|text| mcp_revision(&text)) {
                // It has no handshake: what this one agrees on is for the answer to say.
                Some(profile) if profile.revision_per_request => Hint::Asked(&mcp::UNKNOWN),
                Some(profile) => Hint::Asked(profile),
                // A filter left a word where ACP has a number.
                None if facts.acp_initialize && !is_day(raw) => Hint::Guessed(acp::stable()),
                None => Hint::Asked(&mcp::UNKNOWN),
            }
        }
        Some("2") => Hint::Asked(acp::draft()),
        Some(_) => Hint::Asked(acp::stable()),
        None if facts.lsp_initialize => Hint::Asked(lsp::current()),
        // A client of MCP that left its revision out looks the same as a language client that left out most.
        None if facts.capabilities().is_some() => Hint::Guessed(lsp::current()),
        None => Hint::None,
    }
}

/// A result that states a revision answers an `initialize`.
fn answered(facts: &Facts<'_>) -> Hint {
    match facts.revision() {
        Some(raw) if raw.starts_with('"') => match Facts::text(facts.revision()).and_then(|text| mcp_revision(&text)) {
            Some(profile) => Hint::Stated(profile),
            // Other protocols have versions of their own: MCP's are days.
            None if is_day(raw) => Hint::Family(&mcp::UNKNOWN),
            None => Hint::None,
        },
        Some(raw) if raw.bytes().all(|byte| byte.is_ascii_digit()) => {
            by_name("acp", Some(raw)).map_or(Hint::Family(acp::stable()), Hint::Stated)
        }
        _ => Hint::None,
    }
}

/// True for `"2027-01-31"`.
fn is_day(raw: &str) -> bool {
    let shape = |(at, byte): (usize, u8)| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() };
    let text = raw.trim_matches('"');
    text.len() == 10 && text.bytes().enumerate().all(shape)
}

fn mcp_revision(text: &str) -> Option<&'static Profile> {
    by_name("mcp", Some(text)).filter(|profile| !profile.unknown_revision)
}

/// Families are told apart by methods that only one of them has.
fn by_method(method: &str) -> Hint {
    let families = [&mcp::UNKNOWN as &'static Profile, acp::stable(), lsp::current()];
    let mut known = families.into_iter().filter(|profile| profile.method(method).is_some());
    match (known.next(), known.next()) {
        // A name that any home-made protocol may have tells nothing.
        _ if matches!(method, "ping" | "initialized" | "exit" | "shutdown") => Hint::None,
        (Some(only), None) => Hint::Family(only),
        _ if method.starts_with("textDocument/") || method.starts_with("workspace/") => Hint::Family(lsp::current()),
        _ => Hint::None,
    }
}

/// Settles a connection's profile from what is known so far and a new hint.
/// A revision that was stated is not changed by a mere method name.
pub fn settle(known: Option<&'static Profile>, hint: Hint) -> Option<&'static Profile> {
    match (known, hint) {
        (known, Hint::None) => known,
        (known, Hint::Guessed(profile)) => known.or(Some(profile)),
        (Some(known), Hint::Family(_)) => Some(known),
        (None, Hint::Family(profile)) => Some(profile),
        // One process may serve both eras: what a request states is kept per exchange, not per connection.
        (Some(known), Hint::Stated(profile)) if profile.family != known.family && !known.unknown_revision => {
            Some(known)
        }
        (_, Hint::Asked(profile) | Hint::Stated(profile)) => Some(profile),
    }
}

/// True for the text of an answer that can be that to a handshake: it names a revision, capabilities, or its sender.
pub fn answers_handshake(text: &str) -> bool {
    ["\"protocolVersion\"", "apabilities\"", "Info\""].iter().any(|sign| text.contains(sign))
}

/// True for a method that is a notification in any revision.
pub fn is_notification(method: &str) -> bool {
    profiles().filter_map(|profile| profile.method(method)).any(|known| known.kind == MethodKind::Notification)
}

/// Who sends a method, over all families, where they agree.
pub fn sender_of(method: &str) -> Option<Sender> {
    let families = [&mcp::UNKNOWN as &'static Profile, acp::stable(), lsp::current()];
    let mut senders = families.into_iter().filter_map(|profile| profile.method(method)).map(|method| method.sender);
    let first = senders.next()?;
    senders.all(|sender| sender == first).then_some(first)
}

impl Profile {
    /// True if both belong to one protocol family.
    pub fn same_family(&self, other: &Profile) -> bool {
        self.family == other.family
    }

    /// True if its handshake says which revision is spoken.
    pub fn agrees_on_revision(&self) -> bool {
        matches!(self.family, Family::Mcp | Family::Acp)
    }

    /// The revision whose prompt turns end like this: with the answer to the prompt, or when the agent says that it is idle.
    pub fn of_turns(end_idle: bool) -> &'static Profile {
        if end_idle { acp::draft() } else { acp::stable() }
    }

    /// True if what a rule says of a log may be otherwise in another revision of the family: it has no such rule or a weaker
    /// one, its turns end elsewhere, or it cancels in another dialect.
    pub fn depends_on_revision(&self, rule: &str) -> bool {
        let severity = |profile: &Profile| profile.ruling(rule).map(|ruling| ruling.severity);
        profiles().filter(|other| self.same_family(other)).any(|other| {
            let turns = other.turns_end_idle != self.turns_end_idle && (rule.starts_with("SES") || rule == "CAN019");
            let dialect = other.cancel != self.cancel && rule == "CAN008";
            severity(other) < severity(self) || turns || dialect
        })
    }

    /// The profile for plain JSON-RPC, used where nothing tells the protocol.
    pub fn plain() -> &'static Profile {
        &jsonrpc::PROFILE
    }

    /// True for JSON-RPC 1.0, whose messages need not say what they are.
    pub fn is_version_one(&self) -> bool {
        std::ptr::eq(self, &jsonrpc::v1::PROFILE)
    }

    /// The revision that the name of a cancel shows, where a side declared that it can be asked to cancel: peers of version 1 may
    /// declare that as well, so only both together tell the RFD.
    pub fn shown_by_cancel(&self, method: &str, declared: impl FnOnce() -> bool) -> Option<&'static Profile> {
        let named = std::ptr::eq(self, acp::stable()) && acp::rfd().cancel.is_some_and(|(name, _)| name == method);
        (named && declared()).then(acp::rfd)
    }

    /// True where nothing is known beyond the bare envelope.
    pub fn is_plain(&self) -> bool {
        self.family == Family::Jsonrpc
    }
}
