//! Traces as logs in the vectors' form.

use std::fmt::Write;

use rpctape::capture::Transport;
use rpctape::protocol::{Profile, Side};
use serde_json::json;

use super::trace::{Trace, What};

/// A trace in the vectors' form, or `None` where it has what that form has no words for: processes, what is missing.
pub fn vector(profile: &Profile, trace: &Trace, vantage: &str) -> Option<String> {
    let http = trace.channel.transport == Transport::Http;
    let head = match trace.channel.complete_head {
        Some(true) => "complete",
        Some(false) => "truncated",
        None => "unknown",
    };
    let meta = json!({"meta": {"protocol": profile.name, "revision": profile.revision, "vantage": vantage, "head": head,
        "transport": if http { "http" } else { "stdio" }, "tail": "open"}});
    let mut text = format!("{meta}\n");
    for (n, step) in trace.steps.iter().enumerate() {
        let client = step.side != Some(Side::Server);
        let (dir, by) = if client { ("c2s", "client") } else { ("s2c", "server") };
        // What passed is written as it stands: a member that stands twice is a fault of its own.
        let what = match &step.what {
            What::Json(message) => format!(r#""dir":"{dir}","msg":{message}"#),
            What::Raw(raw) => format!(r#""dir":"{dir}","raw":{}"#, json!(raw)),
            What::Http(head) => format!(r#""dir":"{dir}","http":{head}"#),
            What::Close => format!(r#""ev":"close","by":"{by}""#),
            What::Sse(_) | What::Stderr(_) | What::Exit(_) | What::Missing { .. } => return None,
        };
        let stream = step.stream.map_or(String::new(), |stream| format!(r#""stream":{stream},"#));
        let _ = writeln!(text, r#"{{"n":{},"t":{},{stream}{what}}}"#, n + 1, step.at_ms);
    }
    Some(text)
}
