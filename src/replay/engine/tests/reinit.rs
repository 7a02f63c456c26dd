//! HTTP: sessions that a server no longer knows.

use super::*;
use crate::replay::run::CancelStatus;

#[test]
fn a_lost_session_ends_the_run_or_is_opened_once_more() {
    let mut lost = 0;
    let serve = |wire: &mut Wire, message: &Value, lost: &mut u32| {
        if message["id"].is_null() {
            return head(wire, 202);
        }
        if message["method"] == "tools/call" && *lost == 0 {
            *lost += 1;
            return head(wire, 404);
        }
        let session = ("mcp-session-id".to_string(), "<<secret:mcp-session-id#1>>".to_string());
        head_with(wire, 200, Vec::from([session]));
        wire.result(2, message, json!({"protocolVersion":"2025-11-25"}));
    };
    let played = play(&connection("mcp 2025-11-25", HTTP), &options(), |wire, message| serve(wire, message, &mut lost));
    assert_eq!(played.run("#3").session_lost, Some(404));
    assert!(played.wire.with("initialize").len() == 1);
    let mut again = options();
    again.life.reinit_on_404 = true;
    lost = 0;
    let played = play(&connection("mcp 2025-11-25", HTTP), &again, |wire, message| serve(wire, message, &mut lost));
    assert_eq!(played.wire.with("initialize").len(), 2);
    assert_eq!(played.wire.with("tools/call").len(), 1, "it may not be safe to repeat");
    again.policy.allow_repeat = true;
    lost = 0;
    let played = play(&connection("mcp 2025-11-25", HTTP), &again, |wire, message| serve(wire, message, &mut lost));
    let calls = played.wire.with("tools/call");
    assert_eq!(calls.len(), 2);
    assert_ne!(calls[0].1["id"], calls[1].1["id"]);
    let run = played.run("#3");
    assert!(run.answered_us.is_some() && run.repeated && run.session_lost == Some(404));
}

/// A session that is lost under the call, which is cancelled 300 ms after it was asked.
pub(super) const LOST: &str = r#"
0 c# 1 {"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}
5 s# 1 {"id":1,"result":{"protocolVersion":"2025-11-25"}}
20 c# 4 {"id":3,"method":"tools/call","params":{"name":"slow","_meta":{"progressToken":"t-3"}}}
320 c# 5 {"method":"notifications/cancelled","params":{"requestId":3}}
330 c# 6 {"id":4,"method":"tools/list"}
335 s# 6 {"id":4,"result":{"tools":[]}}
"#;

/// Plays it: the first call gets a 404 after so many milliseconds.
fn lost_after(ms: i64, options: &Options) -> Played {
    let mut lost = false;
    play(&connection("mcp 2025-11-25", LOST), options, |wire, message| {
        let stream = wire.stream;
        if message["method"] == "tools/call" && !std::mem::replace(&mut lost, true) {
            wire.at(ms, Incoming::Head { stream, method: "POST", status: 404, headers: Vec::new() });
            return;
        }
        match message["method"].as_str() {
            Some("initialize") => {
                let session = ("mcp-session-id".to_string(), "<<secret:mcp-session-id#1>>".to_string());
                head_with(wire, 200, Vec::from([session]));
                wire.result(2, message, json!({"protocolVersion":"2025-11-25"}));
            }
            Some("tools/list") => drop(wire.result(2, message, json!({"tools":[]}))),
            _ => head(wire, if message["id"].is_null() { 202 } else { 200 }),
        }
    })
}

#[test]
fn the_cancel_of_a_request_that_was_sent_again_goes_by_its_new_names() {
    let mut again = options();
    again.life.reinit_on_404 = true;
    again.policy.allow_repeat = true;
    for renumber in [false, true] {
        again.rewrite.renumber = renumber;
        let played = lost_after(5, &again);
        let (calls, cancels) = (played.wire.with("tools/call"), played.wire.with("notifications/cancelled"));
        assert_eq!((calls.len(), cancels.len()), (2, 1));
        assert_ne!(calls[0].1["id"], calls[1].1["id"]);
        assert_ne!(calls[1].1["params"]["_meta"]["progressToken"], calls[0].1["params"]["_meta"]["progressToken"]);
        assert_eq!(cancels[0].1["params"]["requestId"], calls[1].1["id"]);
        let cancel = played.run("#3").cancel.clone().expect("a cancel");
        assert_eq!((cancel.status, cancel.sent_us), (CancelStatus::Landed, Some(calls[1].0 + 300 * MS)));
        // What is no part of it keeps its name.
        assert_eq!(played.wire.with("tools/list")[0].1["id"] == json!(4), !renumber);
    }
}

#[test]
fn what_a_new_session_never_knew_is_not_cancelled_in_it() {
    let mut once = options();
    once.life.reinit_on_404 = true;
    let played = lost_after(5, &once);
    assert_eq!(played.wire.with("notifications/cancelled"), []);
    assert_eq!(played.run("#3").cancel.as_ref().map(|cancel| cancel.status), Some(CancelStatus::NotSent));
    assert!(played.run("#4").answered_us.is_some(), "the rest is played");
    // The cancel went to the session that was lost, and the request is over with it.
    once.policy.allow_repeat = true;
    let played = lost_after(302, &once);
    assert_eq!((played.wire.with("tools/call").len(), played.wire.with("notifications/cancelled").len()), (1, 1));
    assert_eq!(played.run("#3").cancel.as_ref().map(|cancel| cancel.status), Some(CancelStatus::Refused));
}

#[test]
fn a_session_without_a_name_is_not_lost() {
    let played = play(&connection("mcp 2025-11-25", HTTP), &options(), |wire, message| match &message["method"] {
        _ if message["id"].is_null() => head(wire, 202),
        method if method == "tools/call" => head(wire, 404),
        _ => {
            head(wire, 200);
            wire.result(2, message, json!({"protocolVersion":"2025-11-25"}));
        }
    });
    let run = played.run("#3");
    assert_eq!((run.session_lost, run.http_status), (None, Some(404)));
}
