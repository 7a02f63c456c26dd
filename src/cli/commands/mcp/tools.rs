//! The tools: commands of this program that read, and `replay` where it is allowed.

use serde_json::{Map, Value, json};

use super::folder::Folder;

/// A tool.
struct Tool {
    name: &'static str,
    about: &'static str,
    /// Parameters beside `cursor`: name, what it is, whether it must be given.
    params: &'static [(&'static str, &'static str, bool)],
}

const LOG: (&str, &str, bool) =
    ("log", "A log or a folder of logs, as a path in the folder that is served; . is all of it", true);
const REQUEST: (&str, &str, bool) =
    ("request", "A request: 17, #17, s4 (issued by the server), \"abc\"; #17@2 names the connection too", false);
const AT: (&str, &str, bool) = ("at", "A time: 14:03, 06:14:58.250, 2026-04-12T06:14:58Z", false);

const TOOLS: [Tool; 8] = [
    Tool {
        name: "ls",
        about: "List the connections in a log: protocol, counts, times, parties, and what the file was taken for",
        params: &[LOG],
    },
    Tool {
        name: "check",
        about: "Find where either side broke the protocol. One line for each finding; `explain` has the page of its rule. A race or an undecidable finding accuses nobody",
        params: &[
            LOG,
            ("select", "Only these rules: codes or beginnings of codes with commas, such as CAN,RPC008", false),
            ("detail", "`full` for each finding with its lines and its clause, `jsonl` for objects", false),
        ],
    },
    Tool {
        name: "why",
        about: "What was stuck, since when, who waited on whom, what was cancelled, what came too late",
        params: &[LOG, REQUEST, AT],
    },
    Tool {
        name: "show",
        about: "Show one exchange with all its messages, or all messages of a connection",
        params: &[LOG, REQUEST, AT, ("connection", "A connection, by its key as `ls` shows it", false)],
    },
    Tool { name: "stats", about: "Latency by method and tool, and what became of cancels", params: &[LOG] },
    Tool {
        name: "explain",
        about: "The page of a rule: what it finds, the clause it rests on, what to do",
        params: &[("rule", "Code or name of a rule: CAN010, response-after-cancel", true)],
    },
    Tool {
        name: "query",
        about: "Ask in SQL (SQLite, SELECT only) over the views connections, messages, frames, exchanges, cancellations, findings, stuck_requests, late_responses, cancel_latency. One JSON object a row",
        params: &[LOG, ("sql", "The query", true)],
    },
    Tool {
        name: "diff",
        about: "Compare two recordings of the same session, request by request",
        params: &[
            ("old", "The recording that is taken for right", true),
            ("new", "The one that is held against it", true),
        ],
    },
];

/// What there is only where the person who starts the server named another one to play against.
const REPLAY: Tool = Tool {
    name: "replay",
    about: "Play a recording against the server that was named when this one was started, and judge what it does now. Only what is known to be read-only is sent",
    params: &[LOG],
};

/// The tools; with the one that starts something, where that is allowed.
fn all(replay: bool) -> impl Iterator<Item = &'static Tool> {
    TOOLS.iter().chain(replay.then_some(&REPLAY))
}

/// What `tools/list` answers.
pub fn list(replay: bool) -> Value {
    let tools: Vec<Value> = all(replay).map(described).collect();
    json!({ "tools": tools })
}

fn described(tool: &Tool) -> Value {
    let mut properties = Map::new();
    let cursor = ("cursor", "Where to go on, as the answer before said; with the same other arguments", false);
    for (name, about, _) in tool.params.iter().chain([&cursor]) {
        properties.insert((*name).to_string(), json!({"type": "string", "description": about}));
    }
    let required: Vec<&str> = tool.params.iter().filter(|(_, _, must)| *must).map(|(name, ..)| *name).collect();
    json!({
        "name": tool.name,
        "description": tool.about,
        "inputSchema": {"type": "object", "properties": properties, "required": required, "additionalProperties": false},
        "annotations": {"readOnlyHint": tool.name != REPLAY.name, "openWorldHint": tool.name == REPLAY.name},
    })
}

/// True if there is such a tool.
pub fn is_known(name: &str, replay: bool) -> bool {
    all(replay).any(|tool| tool.name == name)
}

/// The command line of a call. An error, in words for the agent, where the arguments do not do.
pub fn command(
    name: &str,
    arguments: &Value,
    folder: &Folder,
    replay: Option<&[String]>,
) -> Result<Vec<String>, String> {
    let tool = all(replay.is_some()).find(|tool| tool.name == name);
    let tool = tool.ok_or_else(|| format!("there is no tool {name}"))?;
    let given = Given::new(tool, arguments)?;
    let path = |name: &str| folder.inside(given.must(name)?);
    if let Some(server) = replay.filter(|_| name == REPLAY.name) {
        // What follows the dashes is the server; a path in the folder begins with a dot, and is no flag.
        let ours = [name.to_string(), folder.wholly_inside(given.must("log")?)?, "--".to_string()];
        return Ok(ours.into_iter().chain(server.iter().cloned()).collect());
    }
    let mut flags: Vec<String> = Vec::new();
    let mut flag = |flag: &str, value: Option<&str>| {
        if let Some(value) = value {
            flags.push(format!("{flag}={value}"));
        }
    };
    if name != "explain" {
        // What a folder has links to outside of it is passed over, and named.
        flag("--within", Some("."));
    }
    let words = match name {
        "check" => {
            flag("--format", Some(detail(given.may("detail"))?));
            flag("--select", given.may("select"));
            vec![path("log")?]
        }
        "why" | "show" => {
            flag("--at", given.may("at"));
            let (request, connection) = (given.may("request"), given.may("connection"));
            let request = match (request, connection) {
                // A request has its connection behind it.
                (Some(request), Some(connection)) if !request.contains('@') => Some(format!("{request}@{connection}")),
                (Some(request), _) => Some(request.to_string()),
                (None, connection) => {
                    flag("--connection", connection);
                    None
                }
            };
            [path("log")?].into_iter().chain(request).collect()
        }
        "explain" => {
            flag("--format", Some("markdown"));
            vec![given.must("rule")?.to_string()]
        }
        "query" => {
            flag("--format", Some("jsonl"));
            vec![path("log")?, given.must("sql")?.to_string()]
        }
        "diff" => vec![path("old")?, path("new")?],
        _ => vec![path("log")?],
    };
    Ok([name.to_string()].into_iter().chain(flags).chain(["--".to_string()]).chain(words).collect())
}

fn detail(asked: Option<&str>) -> Result<&str, String> {
    match asked {
        None => Ok("concise"),
        Some(detail @ ("full" | "jsonl" | "concise")) => Ok(detail),
        Some(other) => Err(format!("detail is concise, full or jsonl, not {other}")),
    }
}

/// The arguments of a call: text, each of them known to the tool.
struct Given<'a>(Option<&'a Map<String, Value>>);

impl<'a> Given<'a> {
    fn new(tool: &Tool, arguments: &'a Value) -> Result<Given<'a>, String> {
        let given = match arguments {
            Value::Null => return Ok(Given(None)),
            Value::Object(given) => given,
            _ => return Err("arguments are an object".to_string()),
        };
        for (name, value) in given {
            if name != "cursor" && !tool.params.iter().any(|(known, ..)| known == name) {
                return Err(format!("{} has no parameter {name}", tool.name));
            }
            if !value.is_string() {
                return Err(format!("{name} is text"));
            }
        }
        Ok(Given(Some(given)))
    }

    fn may(&self, name: &str) -> Option<&'a str> {
        self.0?.get(name)?.as_str().filter(|text| !text.is_empty())
    }

    fn must(&self, name: &str) -> Result<&'a str, String> {
        self.may(name).ok_or_else(|| format!("{name} is missing"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_never_become_flags_or_paths_outside() {
        let top = tempfile::tempdir().expect("a folder");
        std::fs::write(top.path().join("-a.jsonl"), "x").expect("a file");
        let folder = Folder::open(top.path()).expect("a folder");
        let call = |name: &str, arguments: Value| command(name, &arguments, &folder, None);
        assert_eq!(
            call("query", json!({"log": "-a.jsonl", "sql": "--db=x"})).expect("a command"),
            ["query", "--within=.", "--format=jsonl", "--", "./-a.jsonl", "--db=x"]
        );
        let ls = call("ls", json!({"log": ".", "cursor": "9"})).expect("a command");
        assert_eq!(ls, ["ls", "--within=.", "--", "."]);
        let of = call("show", json!({"log": ".", "request": "17", "connection": "a b"})).expect("a command");
        assert_eq!(of, ["show", "--within=.", "--", ".", "17@a b"]);
        let server = ["node".to_string(), "--x".to_string()];
        let played = command("replay", &json!({"log": "-a.jsonl"}), &folder, Some(&server)).expect("a command");
        assert_eq!(played, ["replay", "./-a.jsonl", "--", "node", "--x"]);
        for (name, bad) in [
            ("replay", json!({"log": "-a.jsonl"})),
            ("ls", json!({})),
            ("ls", json!({"log": "../x"})),
            ("ls", json!({"log": 5})),
            ("ls", json!([])),
            ("check", json!({"log": ".", "db": "x"})),
            ("check", json!({"log": ".", "detail": "x"})),
            ("diff", json!({"old": "-a.jsonl"})),
            ("record", json!({})),
        ] {
            assert!(call(name, bad.clone()).is_err(), "{name} {bad}");
        }
    }
}
