//! The other direction: a server that is slow, silent, late, wrong and curious, and what a client does about it.
//!
//! What is served is a recording that nobody recorded, played by the mock of every recording; what came of it is judged by the same audit
//! as every log. The client calls the tools, each of which behaves in one way that is hard for clients, and gives up on them as it always
//! does.

use super::behaviour::Behaviour;
use super::card::{Card, ClauseCard, ProbeCard, Server, Verdict};
use super::clauses::Words;
use super::template::{Does, Said};
use crate::protocol::{Profile, Side};
use crate::replay::judge::is_fault_of;
use crate::replay::recording::{Connection, EventKind, Exchange, Fault};

/// A tool that is served.
#[derive(Debug)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// What it does, for people.
    pub about: &'static str,
    /// What happens after it was called.
    acts: &'static [(i64, Act)],
}

/// One thing that happens, so many milliseconds after the call.
#[derive(Clone, Copy, Debug)]
enum Act {
    /// The client cancels; whenever that is, what follows is timed from it.
    Cancel,
    /// The server answers.
    Answer,
    /// It answers with an error.
    Refuse,
    /// It asks the client something, and the client answers.
    Ask,
    /// It ends.
    Die,
}

/// What is served.
pub static TOOLS: &[Tool] = &[
    Tool { name: "slow", about: "answers after 2 seconds", acts: &[(2_000, Act::Answer)] },
    Tool { name: "silent", about: "never answers", acts: &[] },
    Tool {
        name: "late",
        about: "answers half a second after its cancel, and then asks whether the client is there",
        acts: &[(300, Act::Cancel), (800, Act::Answer), (900, Act::Ask)],
    },
    Tool {
        name: "wrong",
        about: "answers its cancel with an error, and then asks whether the client is there",
        acts: &[(300, Act::Cancel), (310, Act::Refuse), (400, Act::Ask)],
    },
    Tool {
        name: "asks",
        about: "stays silent after its cancel, and asks whether the client is there",
        acts: &[(300, Act::Cancel), (400, Act::Ask)],
    },
    Tool {
        name: DIES,
        about: "ends half a second after it was called, and the connection with it",
        acts: &[(500, Act::Die)],
    },
];

/// The tool that ends the server.
const DIES: &str = "dies";

/// How long the handshake takes, microseconds: long enough to be given up on by a client in a hurry.
const HANDSHAKE_US: i64 = 1_000_000;
/// What passes between two calls of the recording, microseconds.
const APART_US: i64 = 5_000_000;
const MILLISECOND: i64 = 1_000;

/// What the server says, and the client that it is made for. `None` where a protocol has no tools or no handshake.
pub fn served(profile: &'static Profile) -> Option<Vec<Said>> {
    let (list, _) = profile.tools()?;
    let ask = profile.ping()?;
    let mut said: Vec<Said> = Vec::new();
    // A server that says nothing any more has ended.
    let mut say = |at_us: i64, side: Side, text: String| {
        let does = if text.is_empty() { Does::Ends } else { Does::Says };
        said.push(Said { does, ..Said::message(at_us, side, text) });
    };
    for (side, text) in profile.hello("1") {
        let at_us = if side == Side::Server { HANDSHAKE_US } else { 0 };
        say(at_us, side, introduced(profile, text));
    }
    let mut at_us = 2 * HANDSHAKE_US;
    say(at_us, Side::Client, profile.request("2", list, "{}", None));
    say(at_us + MILLISECOND, Side::Server, list_of_tools("2"));
    let (mut id, mut asked) = (10, 0);
    for tool in TOOLS {
        // Some clients leave empty arguments out.
        for params in
            [format!(r#"{{"name":"{}","arguments":{{}}}}"#, tool.name), format!(r#"{{"name":"{}"}}"#, tool.name)]
        {
            let own = id.to_string();
            (id, at_us) = (id + 1, at_us + APART_US);
            say(at_us, Side::Client, profile.request(&own, profile.tool_call(tool.name, "{}")?.0, &params, None));
            for (after, act) in tool.acts {
                let at_us = at_us + after * MILLISECOND;
                match act {
                    Act::Cancel => say(at_us, Side::Client, profile.cancel_of(&own)),
                    Act::Answer => say(at_us, Side::Server, answer(&own, tool.name)),
                    Act::Refuse => say(at_us, Side::Server, refusal(&own)),
                    Act::Die => say(at_us, Side::Server, String::new()),
                    Act::Ask => {
                        asked += 1;
                        say(at_us, Side::Server, profile.request(&asked.to_string(), ask, "{}", None));
                        let text = format!(r#"{{"jsonrpc":"2.0","id":{asked},"result":{{}}}}"#);
                        say(at_us + MILLISECOND, Side::Client, text);
                    }
                }
            }
        }
    }
    Some(said)
}

/// The answer to the handshake names us.
fn introduced(profile: &Profile, text: String) -> String {
    let Ok(mut message) = serde_json::from_str::<serde_json::Value>(&text) else { return text };
    let places = profile.server_info();
    let Some(at) = places.iter().find(|at| message.pointer(at).is_some()) else { return text };
    for (member, value) in [("name", "rpctape conform"), ("version", env!("CARGO_PKG_VERSION"))] {
        match message.pointer_mut(&format!("{at}/{member}")) {
            Some(place) => *place = value.into(),
            None => return text,
        }
    }
    message.to_string()
}

fn list_of_tools(id: &str) -> String {
    let tool = |tool: &Tool| {
        serde_json::json!({"name": tool.name, "description": tool.about, "inputSchema": {"type": "object"},
            "annotations": {"readOnlyHint": true}})
    };
    let tools: Vec<_> = TOOLS.iter().map(tool).collect();
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{}}}"#, serde_json::json!({"tools": tools}))
}

fn answer(id: &str, tool: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":"{tool} is done"}}]}}}}"#)
}

fn refusal(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":0,"message":"Request cancelled"}}}}"#)
}

/// One sentence that binds a client.
struct Row {
    id: &'static str,
    title: &'static str,
    words: Words,
    /// The tools whose calls show it; empty where none is called for it.
    tools: &'static [&'static str],
    /// What breaks it, where the audit charges the client with it.
    breaks: &'static [&'static str],
    /// What shows that it is kept, or why that was not seen.
    kept: fn(&Connection) -> Result<String, String>,
}

static ROWS: &[Row] = &[
    Row {
        id: "timeout-cancels",
        title: "a request that is given up is cancelled",
        words: Words::Rule("CAN025"),
        tools: &["silent", "slow", "late", "wrong", "asks"],
        breaks: &["CAN025"],
        kept: |live| match cancelled(live).next() {
            Some(exchange) => Ok(format!("{} was cancelled", exchange.label())),
            None if called(live, "silent").is_some() => {
                Err("silent was called, and not cancelled before the end".into())
            }
            None => Err("no call was given up: call silent".into()),
        },
    },
    Row {
        id: "cancel-target",
        title: "a cancel names a request that is in flight",
        words: Words::Rule("CAN004"),
        tools: &["silent", "slow", "late", "wrong", "asks"],
        breaks: &["CAN004", "CAN001", "CAN005", "CAN007", "CAN008", "CAN030"],
        kept: |live| cancelled(live).next().map(|_| String::new()).ok_or_else(|| "it cancelled nothing".into()),
    },
    Row {
        id: "handshake-kept",
        title: "the handshake is not cancelled",
        words: Words::Rule("CAN003"),
        tools: &[],
        breaks: &["CAN003"],
        kept: |live| {
            let opening = live.profile.opening.initialize;
            let answered =
                |exchange: &&Exchange| Some(exchange.method.as_str()) == opening && exchange.response.is_some();
            let waited = live.exchanges.iter().any(|exchange| answered(&exchange));
            if waited { Ok(String::new()) } else { Err("it did not wait for the answer".into()) }
        },
    },
    Row {
        id: "late-answer",
        title: "an answer that comes after the cancel is borne",
        words: Words::Sentence("races-handled"),
        tools: &["late", "wrong"],
        breaks: &["RPC021", "RPC023"],
        kept: |live| {
            let late = |name| {
                called(live, name).filter(|exchange| exchange.response.is_some() && !exchange.cancels.is_empty())
            };
            let Some(exchange) = late("late").or(late("wrong")) else {
                return Err("neither late nor wrong was called and cancelled".into());
            };
            let after = exchange.response.unwrap_or(usize::MAX);
            match live.events.iter().skip(after + 1).any(|event| is_said(event, Side::Client)) {
                true => Ok("it went on".into()),
                false => Err("it said nothing more".into()),
            }
        },
    },
    Row {
        id: "asked-after-cancel",
        title: "what the server asks after a cancel is answered",
        words: Words::Rule("STK001"),
        tools: &["late", "wrong", "asks"],
        breaks: &["STK001"],
        kept: |live| {
            let mut asked = live.exchanges.iter().filter(|exchange| exchange.issuer == Side::Server);
            match asked.clone().next() {
                None => Err("nothing was asked: call asks, and cancel it".into()),
                Some(_) if asked.all(|exchange| exchange.response.is_some()) => Ok(String::new()),
                Some(_) => Err("not all was answered before the end".into()),
            }
        },
    },
];

/// The last call of a tool.
fn called<'c>(live: &'c Connection, tool: &str) -> Option<&'c Exchange> {
    let own = |exchange: &&Exchange| exchange.issuer == Side::Client && exchange.name.as_deref() == Some(tool);
    live.exchanges.iter().rfind(own)
}

/// The requests of the client that it cancelled in flight, and may cancel: the handshake is none of them.
fn cancelled(live: &Connection) -> impl Iterator<Item = &Exchange> {
    let may = |exchange: &&Exchange| Some(exchange.method.as_str()) != live.profile.opening.initialize;
    let own = |exchange: &&Exchange| exchange.issuer == Side::Client && !exchange.cancels.is_empty();
    live.exchanges.iter().filter(own).filter(may)
}

fn is_said(event: &crate::replay::recording::Event, side: Side) -> bool {
    let message = matches!(
        event.what,
        EventKind::Request(_)
            | EventKind::Response(_)
            | EventKind::Cancel(_)
            | EventKind::Progress(_)
            | EventKind::Notification
    );
    message && event.side == Some(side)
}

/// The card of a client: one line for each sentence, over all its connections.
pub fn client_card(profile: &'static Profile, live: &[Connection], session: Option<&str>) -> Card {
    let protocol = live.first().map_or_else(|| profile.label(), |live| live.profile.label());
    let mut card = Card { server: Server { protocol, ..introduction(live) }, ..Card::default() };
    for row in ROWS {
        let words = match row.words {
            Words::Rule(rule) => profile.clause(rule),
            Words::Sentence(name) => profile.sentence(name),
            Words::None => None,
        };
        // A sentence that this revision does not have binds nobody.
        let Some(words) = words else { continue };
        let mut probes: Vec<ProbeCard> = live.iter().map(|live| says(row, live, session)).collect();
        probes.sort_by_key(|probe| std::cmp::Reverse(probe.verdict));
        // One connection on which it was kept is enough where it was not seen on another.
        let seen = probes.iter().map(|probe| probe.verdict).filter(|verdict| *verdict != Verdict::NotObserved).max();
        card.clauses.push(ClauseCard {
            id: format!("{}.client.{}", profile.name, row.id),
            title: row.title,
            level: words.level.as_str(),
            verdict: seen.unwrap_or(Verdict::NotObserved),
            quote: Some(words.text),
            url: Some(words.url),
            known: false,
            probes,
        });
    }
    card.behaviours.extend(after_death(live));
    card
}

/// What is heard of a client whose server has ended: no sentence says what it is to do.
fn after_death(live: &[Connection]) -> Option<Behaviour> {
    let ended = |live: &Connection| {
        live.events.iter().any(|event| event.what == EventKind::Close && event.side == Some(Side::Server))
    };
    let died = live.iter().position(|live| called(live, DIES).is_some() && ended(live))?;
    let back = live[died + 1..].iter().any(|live| live.events.iter().any(|event| is_said(event, Side::Client)));
    let does = if back { "it comes again" } else { "nothing more is heard of it" };
    Some(Behaviour { probe: DIES, what: "when its server has ended", does: does.to_string(), after_us: None })
}

/// What one connection says of a sentence.
fn says(row: &Row, live: &Connection, session: Option<&str>) -> ProbeCard {
    let charged = |fault: &&Fault| {
        row.breaks.contains(&fault.code.as_str())
            && fault.certainty == "violation"
            && is_fault_of(live, fault, Side::Client)
    };
    let fault = live.faults.iter().find(charged);
    let (verdict, detail) = match (fault, (row.kept)(live)) {
        (Some(fault), _) => (Verdict::Violates, fault.summary.clone()),
        (None, Ok(how)) => (Verdict::Honoured, how),
        (None, Err(why)) => (Verdict::NotObserved, why),
    };
    let tool = row.tools.iter().find(|tool| called(live, tool).is_some());
    ProbeCard {
        probe: tool.or(row.tools.first()).copied().unwrap_or("handshake"),
        runs: 1,
        agree: 1,
        verdict,
        detail,
        effect: None,
        watched_us: None,
        rule: fault.map(|fault| fault.code.clone()),
        basis: fault.and_then(|fault| fault.basis.clone()),
        session: session.map(str::to_string),
        line: fault.and_then(|fault| fault.event).map(|event| live.events[event].line),
    }
}

/// How the client names itself.
fn introduction(live: &[Connection]) -> Server {
    let hello = live.iter().find_map(|live| {
        let opening = live.profile.opening.initialize;
        live.exchanges.iter().find(|it| Some(it.method.as_str()) == opening).map(|exchange| live.request(exchange))
    });
    let hello: serde_json::Value = hello.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let word = |member: &str| hello["params"]["clientInfo"][member].as_str().map(str::to_string);
    Server {
        name: word("name").unwrap_or_else(|| "client".to_string()),
        version: word("version"),
        is_client: true,
        ..Server::default()
    }
}
