//! What must hold of the tables: severities follow the clauses' words, names are unique, nothing is listed twice.

use std::collections::{BTreeMap, BTreeSet};

use super::{Clause, Family, Level, Profile, Severity, by_name, mcp, profiles};

/// Rulings whose severity is not the one that the clause's word gives, and why.
const EXCEPTIONS: [(&str, Family, &str); 27] = [
    ("CAN013", Family::Lsp, "a statement of what the code means; breaking it misleads the client"),
    ("CAN025", Family::Mcp, "a guess: the local timeout that should have led to a cancel is invisible"),
    ("DOC002/close", Family::Lsp, "a statement of what must have come before"),
    ("DOC003", Family::Lsp, "a statement without which a version says nothing"),
    ("LIF016/members", Family::Mcp, "the answer is there and harmless"),
    ("PAY017", Family::Mcp, "whether the resource exists is known to the server alone"),
    ("PRG003", Family::Dap, "a statement of where an id comes from"),
    ("PRG008", Family::Dap, "a statement of what ends"),
    ("PRG001", Family::Lsp, "a statement of how long a token is valid"),
    ("PRG004", Family::Lsp, "clients are free to ignore values that do not rise"),
    ("PRG010", Family::Lsp, "a statement of what the cancel is for"),
    ("PRG011", Family::Lsp, "a statement of who sends the cancel; the other side has no use for it"),
    ("RPC008", Family::Dap, "a statement without which no answer could be told from another's"),
    ("RPC009", Family::Dap, "a statement without which no answer could be told from another's"),
    ("RPC012", Family::Dap, "a statement without which no answer could be told from another's"),
    ("RPC013", Family::Acp, "a statement that leaves no room for batches"),
    ("RPC013", Family::Mcp, "a statement that leaves no room for batches"),
    ("RPC017/discouraged", Family::Mcp, "it binds new implementations only, and age is invisible"),
    ("RPC020/null", Family::Lsp, "common in practice, and every peer reads it as absent"),
    ("RPC020/null", Family::Mcp, "common in practice, and every peer reads it as absent"),
    ("RPC024", Family::Jsonrpc, "an extension may use such names, and what is one is not in the messages"),
    ("SES019", Family::Acp, "a statement of what an id is no longer good for"),
    ("SES013/option", Family::Acp, "a statement of what an id names"),
    ("RPC022", Family::Mcp, "over HTTP the parts of a batch may be answered singly"),
    ("SCH001", Family::Mcp, "the schema is the source of truth, and a peer may refuse what is not as it says"),
    ("SCH002", Family::Mcp, "the schema is the source of truth, and a peer may refuse what is not as it says"),
    ("TSK009", Family::Mcp, "that the request was accepted as a task is not said on the wire"),
];

fn all() -> impl Iterator<Item = &'static Profile> {
    profiles().chain([&mcp::UNKNOWN, &mcp::STATELESS_UNKNOWN])
}

fn severity_of(level: Level) -> Severity {
    match level {
        Level::Must => Severity::Error,
        Level::Should => Severity::Warning,
        Level::May | Level::Stated => Severity::Note,
    }
}

/// `CAN010`, or `RPC007/fraction` for a case within a rule; a capability and an error's code are cases, too.
fn is_code(code: &str) -> bool {
    let (rule, case) = code.split_once('/').unwrap_or((code, "case"));
    let families = ["CAN", "RPC", "STK", "LIF", "PRG", "TSK", "SES", "TRN", "SUB", "DOC", "HOP", "PAY", "SCH"];
    rule.len() == 6
        && families.contains(&&rule[..3])
        && rule[3..].bytes().all(|byte| byte.is_ascii_digit())
        && !case.is_empty()
        && case.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-".contains(&byte))
}

#[test]
fn the_profiles_are_these() {
    let labels: Vec<_> = profiles().map(Profile::label).collect();
    let expected = [
        "mcp 2024-11-05",
        "mcp 2025-03-26",
        "mcp 2025-06-18",
        "mcp 2025-11-25",
        "mcp 2026-07-28",
        "acp rfd-2025-11",
        "acp 1",
        "acp 2",
        "lsp 3.17",
        "lsp 3.18",
        "dap 1",
        "jsonrpc 2.0",
        "jsonrpc 1.0",
    ];
    assert_eq!(labels, expected);
    for profile in profiles() {
        assert!(std::ptr::eq(by_name(profile.name, Some(profile.revision)).unwrap(), profile));
    }
}

#[test]
fn rulings_are_well_formed_and_not_repeated() {
    for profile in all() {
        let mut seen = BTreeSet::new();
        for ruling in profile.rulings {
            assert!(is_code(ruling.rule), "{}: {}", profile.label(), ruling.rule);
            assert!(seen.insert(ruling.rule), "{}: {} twice", profile.label(), ruling.rule);
        }
        for case in seen.iter().filter_map(|code| code.split_once('/')) {
            // From 2025-11-25 on an error may lack its id, and only a result may not.
            let alone = case == ("RPC021", "result");
            // Each flaw of a payload stands for itself.
            let flaw = case.0.starts_with("PAY");
            assert!(alone || flaw || seen.contains(case.0), "{}: {case:?} without its rule", profile.label());
        }
        assert!(seen.contains("STK001"), "{}", profile.label());
    }
}

#[test]
fn severity_follows_the_clause() {
    let (mut used, mut odd) = (BTreeSet::new(), Vec::new());
    for profile in all() {
        for ruling in profile.rulings {
            let Some(clause) = ruling.clause else { continue };
            if ruling.severity == severity_of(clause.level) {
                continue;
            }
            // Batches answered in part are a note everywhere, for the same reason.
            let family = if ruling.rule == "RPC022" { Family::Mcp } else { profile.family };
            match EXCEPTIONS.iter().find(|(rule, of, _)| *rule == ruling.rule && *of == family) {
                Some((rule, _, _)) => drop(used.insert((*rule, family as u8))),
                None => odd.push(format!("{} {}: {:?}, {}", profile.label(), ruling.rule, ruling.severity, clause.id)),
            }
        }
    }
    assert!(odd.is_empty(), "another severity than that of the clause, and no reason: {odd:#?}");
    assert_eq!(used.len(), EXCEPTIONS.len(), "an exception is no longer needed");
}

#[test]
fn clauses_are_unique_quoted_and_linked() {
    let mut by_id: BTreeMap<&str, &Clause> = BTreeMap::new();
    for profile in all() {
        for clause in profile.rulings.iter().filter_map(|ruling| ruling.clause) {
            let first = by_id.entry(clause.id).or_insert(clause);
            assert!(std::ptr::eq(*first, clause), "{} names two clauses", clause.id);
            assert!(clause.url.starts_with("https://"), "{}", clause.url);
            assert!(!clause.text.is_empty() && !clause.text.contains("**"), "{}", clause.id);
            // What is cited is of the connection's own protocol and, but for ACP's RFD, of its own revision.
            let revision = format!("{}-{}/", profile.name, profile.revision);
            let rfd = profile.revision == "rfd-2025-11" && clause.id.starts_with("acp-1/");
            let own = clause.id.starts_with(&revision) || clause.id.starts_with("jsonrpc-2.0/") || rfd;
            assert!(own || profile.unknown_revision, "{} cites {}", profile.label(), clause.id);
        }
    }
}

#[test]
fn an_unknown_revision_is_judged_by_what_all_say_at_its_weakest() {
    for ruling in mcp::WITH_HANDSHAKE[0].rulings {
        let everywhere: Option<Vec<_>> =
            mcp::WITH_HANDSHAKE.iter().map(|profile| profile.ruling(ruling.rule)).collect();
        let weakest = everywhere.and_then(|rulings| rulings.iter().map(|ruling| ruling.severity).min());
        let unknown = mcp::UNKNOWN.ruling(ruling.rule).map(|ruling| ruling.severity);
        assert_eq!(unknown, weakest, "{}", ruling.rule);
    }
    let mut judged = mcp::UNKNOWN.rulings.iter();
    assert!(judged.len() > 0 && judged.all(|ruling| mcp::WITH_HANDSHAKE[0].ruling(ruling.rule).is_some()));
}

/// The table of the catalogue's section 5, and the severities that the rules of each protocol hang on.
#[test]
fn the_rules_on_cancels_differ_by_protocol() {
    let row = |rule: &str| {
        let columns =
            ["mcp 2025-11-25", "mcp 2026-07-28", "acp rfd-2025-11", "acp 1", "acp 2", "lsp 3.17", "jsonrpc 2.0"];
        let word = |label: &str| {
            let profile = profiles().find(|profile| profile.label() == label).unwrap();
            profile.ruling(rule).map_or("-", |ruling| ruling.severity.as_str())
        };
        columns.map(word).join(" ")
    };
    assert_eq!(row("CAN001"), "error - warning warning warning warning -");
    assert_eq!(row("CAN002"), "- error - - - - -");
    assert_eq!(row("CAN003"), "error - error - - error -");
    assert_eq!(row("CAN005"), "error error warning warning warning warning -");
    assert_eq!(row("CAN010"), "warning error - - - - -");
    assert_eq!(row("CAN011"), "- - error error error error -");
    assert_eq!(row("CAN012"), "- - error error error warning -");
    assert_eq!(row("CAN013"), "note note - - - warning -");
    assert_eq!(row("PRG002"), "warning error - - - - -");
    assert_eq!(row("RPC013"), "error error error error - warning -");
    assert_eq!(row("STK001"), "error error error error error error error");
}

/// The label of the profile that a message hints at.
fn hinted(text: &str) -> Option<String> {
    let Ok((crate::jsonrpc::Parsed::One(message, facts), _)) = crate::jsonrpc::parse_at::<super::Facts<'_>>(text, 0)
    else {
        return None;
    };
    match super::hint(&message, &facts, false) {
        super::Hint::Family(profile) => Some(profile.label()),
        _ => None,
    }
}

#[test]
fn json_rpc_1_is_told_by_its_version_and_by_responses_with_both_members() {
    for text in [
        r#"{"jsonrpc":"1.0","id":"curl","method":"getblockcount","params":[]}"#,
        r#"{"result":910001,"error":null,"id":"curl"}"#,
        r#"{"result":null,"error":{"code":-32601,"message":"Method not found"},"id":1}"#,
    ] {
        assert_eq!(hinted(text).as_deref(), Some("jsonrpc 1.0"), "{text}");
    }
    for text in [
        r#"{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":1,"message":"both"}}"#,
        r#"{"id":1,"method":"getblockcount","params":[]}"#,
        r#"{"id":1,"result":4}"#,
    ] {
        assert_eq!(hinted(text), None, "{text}");
    }
}

#[test]
fn a_handshake_that_is_answered_in_another_protocol_s_way_is_not_its_own() {
    let (acp, mcp) = (by_name("acp", None).unwrap(), by_name("mcp", Some("2025-11-25")).unwrap());
    let of = |version: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"protocolVersion":{version}}}}}"#);
    let own = |profile: &Profile, version: &str| profile.is_own_welcome(&of(version));
    assert_eq!(
        (own(mcp, "\"2025-06-18\""), own(mcp, "1"), own(acp, "1"), own(acp, "\"1\"")),
        (true, false, true, false)
    );
    assert!(mcp.is_own_welcome(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#), "one that states none may be anybody's");
}
