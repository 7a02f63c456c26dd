//! What is said to see what a server does with the cancel of a task: a request that asks for one, and requests about it. Data only.

use super::Profile;

/// The task that a probe speaks of; the server's own takes its place.
const PROBED: &str = "probed";
/// How long a task is to be kept, milliseconds, and when it was made: what every task has.
const KEPT: &str = r#""ttl":600000,"createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z""#;
/// What a receiver says of a task that cannot be cancelled any more.
const INVALID_PARAMS: i64 = -32602;

impl Profile {
    /// True if a client asks for a task with the request itself, and cancels it by a request.
    pub fn tasks_by_request(&self) -> bool {
        self.tasks && !self.revision_per_request
    }

    /// True if a server that says this in its opening makes tasks of tool calls, and cancels them.
    pub fn offers_tasks(&self, welcome: &str) -> bool {
        let welcome = serde_json::from_str::<serde_json::Value>(welcome).unwrap_or_default();
        let offered = &welcome["result"]["capabilities"]["tasks"];
        self.tasks_by_request() && offered["cancel"].is_object() && offered["requests"]["tools"]["call"].is_object()
    }

    /// The methods of requests about a task.
    pub fn task_methods(&self) -> &'static [&'static str] {
        if self.tasks_by_request() { &["tasks/cancel", "tasks/get"] } else { &[] }
    }

    /// A request that asks for a task, and the answer that makes one. `None` where the protocol has no such request.
    pub fn task_call(&self, id: &str, method: &str, params: &str) -> Option<(String, String)> {
        let own = params.trim().strip_prefix('{')?.strip_suffix('}')?.trim();
        let comma = if own.is_empty() { "" } else { "," };
        let params = format!(r#"{{{own}{comma}"task":{{"ttl":600000}}}}"#);
        let task = format!(r#"{{"taskId":"{PROBED}","status":"working",{KEPT}}}"#);
        let created = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"task":{task}}}}}"#);
        self.tasks_by_request().then(|| (self.request(id, method, &params, None), created))
    }

    /// A request about the task and its answer: the status, or that it is refused.
    pub fn task_ask(&self, id: &str, method: &str, status: &str) -> Option<(String, String)> {
        let known = self.task_methods().iter().find(|known| **known == method)?;
        let answer = match status {
            "refused" => format!(r#""error":{{"code":{INVALID_PARAMS},"message":"the task has ended"}}"#),
            _ => format!(r#""result":{{"taskId":"{PROBED}","status":"{status}",{KEPT}}}"#),
        };
        let asked = self.request(id, known, &format!(r#"{{"taskId":"{PROBED}"}}"#), None);
        Some((asked, format!(r#"{{"jsonrpc":"2.0","id":{id},{answer}}}"#)))
    }

    /// An opening as a client sends it that lets itself be asked, in place of one that does not.
    pub fn open_to_questions(&self, hello: String) -> String {
        let declared = match self.family {
            super::Family::Mcp => r#""capabilities":{"sampling":{},"elicitation":{},"roots":{}}"#,
            _ => return hello,
        };
        hello.replacen(r#""capabilities":{}"#, declared, 1)
    }
}

#[cfg(test)]
mod tests {
    use crate::jsonrpc::{Parsed, parse};
    use crate::protocol::{Facts, by_name};

    #[test]
    fn a_request_asks_for_a_task_and_others_speak_of_it() {
        let mcp = by_name("mcp", Some("2025-11-25")).expect("a profile");
        let (asks, made) = mcp.task_call("2", "tools/call", r#"{"name":"a"}"#).expect("words");
        let (cancel, told) = mcp.task_ask("50", "tasks/cancel", "cancelled").expect("words");
        let facts = |text: &str| match parse::<Facts<'_>>(text) {
            Ok(Parsed::One(_, facts)) => {
                (facts.task_wanted, facts.task_created, Facts::text(facts.task_status()).map(String::from))
            }
            _ => panic!("{text}"),
        };
        assert_eq!((facts(&asks).0, facts(&made).1), (true, true));
        assert_eq!(facts(&told).2.as_deref(), Some("cancelled"));
        assert!(cancel.contains(r#""taskId":"probed""#), "{cancel}");
        assert!(
            mcp.offers_tasks(r#"{"result":{"capabilities":{"tasks":{"cancel":{},"requests":{"tools":{"call":{}}}}}}}"#)
        );
        assert!(!mcp.offers_tasks(r#"{"result":{"capabilities":{"tasks":{"cancel":{}}}}}"#));
        let newer = by_name("mcp", Some("2026-07-28")).expect("a profile");
        assert!(newer.task_call("2", "tools/call", "{}").is_none() && newer.task_methods().is_empty());
    }
}
