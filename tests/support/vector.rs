//! Traces as logs in the vectors' form.

use rpctape::capture::Transport;
use rpctape::protocol::{Profile, Side};
use serde_json::json;

use super::trace::{Trace, What};

/// A trace in the vectors' form, or `None` where it has what that form has no words for: processes, heads, what is missing.
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
        let mut line = json!({"n": n + 1, "t": step.at_ms});
        match &step.what {
            What::Json(message) => {
                line["dir"] = if client { "c2s" } else { "s2c" }.into();
                let read: serde_json::Value = serde_json::from_str(message).ok()?;
                // A member that stands twice is read as one.
                let members = |text: &str| text.matches("\":").count();
                if members(&read.to_string()) != members(message) {
                    return None;
                }
                line["msg"] = read;
            }
            What::Raw(raw) => {
                line["dir"] = if client { "c2s" } else { "s2c" }.into();
                line["raw"] = raw.clone().into();
            }
            What::Close => {
                line["ev"] = "close".into();
                line["by"] = if client { "client" } else { "server" }.into();
            }
            What::Http(_) | What::Stderr(_) | What::Exit(_) | What::Missing { .. } => return None,
        }
        if let Some(stream) = step.stream {
            line["stream"] = stream.into();
        }
        text.push_str(&format!("{line}\n"));
    }
    Some(text)
}
