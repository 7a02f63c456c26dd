//! What a server does where no sentence binds it: facts of order, never a fault.

use super::play::{Play, Target};

/// One fact.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Behaviour {
    /// The probe that shows it.
    pub probe: &'static str,
    /// What is told.
    pub what: &'static str,
    /// What it does.
    pub does: String,
    /// How long after the cancel, where that is of interest, microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_us: Option<i64>,
}

/// What a probe tells, in the words of the card.
const TOLD: &[(&str, &str)] = &[
    ("mid", "answers a cancel with"),
    ("early", "answers a cancel that comes at once with"),
    ("type", "a cancel of \"2\" does to 2"),
    ("before", "a cancel before its request does to it"),
    ("session", "answers a prompt whose turn is ended with"),
    ("as-request", "a cancel with an id does to its target"),
    ("initialize", "a cancel of the handshake leaves it"),
    ("progress", "progress behind the witness"),
    ("task-notified", "a cancel of the request that made a task does to it"),
    ("nested", "its question, when its request is cancelled, is"),
    ("http-drop", "a dropped stream does to its request"),
    ("close", "after cancel and end of input"),
];

/// What the plays of one probe tell: the last of them that could show it.
pub(super) fn behaviour(plays: &[&Play]) -> Option<Behaviour> {
    let probe = plays.first()?.probe.name;
    let (_, what) = TOLD.iter().find(|(name, _)| *name == probe)?;
    let (does, after_us) = plays.iter().rev().find_map(|play| tell(probe, play))?;
    Some(Behaviour { probe, what, does, after_us })
}

fn tell(probe: &str, play: &Play) -> Option<(String, Option<i64>)> {
    let plain = |text: String| Some((text, None));
    match probe {
        "mid" | "early" | "session" => answer(play.targets().first()?, play),
        "type" | "before" | "as-request" => {
            let call = play.calls().next()?;
            // Answered with the cancelled code, it is cancelled as well. One that was not waited for may just be late.
            match call.response {
                Some(_) if call.outcome != "cancelled" => plain("nothing".to_string()),
                Some(_) => plain("cancels it".to_string()),
                None => play.stuck().filter(|_| play.is_alive()).and_then(|_| plain("cancels it".to_string())),
            }
        }
        // That nothing came does not show that it was cancelled.
        "http-drop" => match play.calls().next()? {
            call if call.response.is_none() => plain("nothing more was heard of it".to_string()),
            call if call.outcome == "result" => plain("nothing".to_string()),
            _ => plain("ends it with an error".to_string()),
        },
        "task-notified" => match play.task_status()?.as_str() {
            "cancelled" => plain("cancels it".to_string()),
            _ => plain("nothing".to_string()),
        },
        "nested" => {
            let asked = play.asked_by_server().next()?;
            let does = match (asked.cancels.is_empty(), asked.response) {
                (false, _) => "cancelled",
                (true, Some(_)) => "answered",
                (true, None) => "left open",
            };
            plain(does.to_string())
        }
        "initialize" => plain(if play.was_welcomed()? { "answered" } else { "unanswered" }.to_string()),
        "progress" => {
            let (before, after) = play.progress();
            if before == 0 { None } else { plain(after.to_string()) }
        }
        "close" => {
            let exit = play.log.exit.as_ref()?;
            let how = match (exit.forced, exit.code, exit.signal) {
                (Some(force), ..) => format!("has to be ended ({force})"),
                (None, Some(code), _) => format!("ends with status {code}"),
                (None, None, Some(signal)) => format!("is ended by signal {signal}"),
                (None, None, None) => "ends".to_string(),
            };
            let sent = play.log.exchanges.iter().filter_map(|run| run.cancel.as_ref()?.sent_us).max();
            Some((how, sent.map(|sent| (exit.at_us - sent).max(0))))
        }
        _ => None,
    }
}

/// What answers a cancelled request. Nothing is told of one that was answered before.
fn answer(target: &Target<'_>, play: &Play) -> Option<(String, Option<i64>)> {
    let live = target.live?;
    if target.is_silent() {
        play.witnessed()?;
        return Some(("nothing".to_string(), None));
    }
    let after = target.after_us?;
    let what = match live.error_code {
        Some(code) => format!("error {code}"),
        None if live.outcome == "cancelled" => "cancelled".to_string(),
        None => "a result".to_string(),
    };
    Some((what, Some(after)))
}
