//! Two recordings, compared.

use super::*;

fn diffed(a: &str, b: &str) -> RunReport {
    let (a, b) = (session(MCP, &format!("{H}{a}")), session(MCP, &format!("{H}{b}")));
    diff(&recording("a", a), &recording("b", b), &Options::default())
}

#[test]
fn two_recordings_are_matched_by_what_was_asked() {
    let a = call(10, 2, "a", "{\"n\":1}") + &text(12, 2, "one") + &call(20, 3, "a", "{\"n\":2}") + &text(22, 3, "two");
    let b = call(10, 7, "a", "{\"n\":2}") + &text(12, 7, "two") + &call(20, 8, "a", "{\"n\":1}") + &text(22, 8, "one");
    assert_eq!(short(&diffed(&a, &b)), "#1 same, #2 same, #3 same");
    let other = diffed(
        &a,
        &(call(10, 7, "a", "{\"n\":2}") + &text(12, 7, "two") + &call(20, 8, "a", "{\"n\":3}") + &text(22, 8, "3")),
    );
    assert_eq!(short(&other), "#1 same, #2 changed, #3 same");
    assert!(of(&other, "#2").notes.contains(&"asked differently at /params/arguments/n".to_string()));
    let more = diffed(&a, &(a.clone() + &call(30, 4, "b", "{}") + &text(31, 4, "x")));
    assert_eq!((short(&more), more.exit), ("#1 same, #2 same, #3 same, #4 extra".into(), 1));
    let less = diffed(&(a.clone() + &call(30, 4, "b", "{}")), &a);
    assert_eq!((short(&less), less.exit), ("#1 same, #2 same, #3 same, #4 missing".into(), 1));
    assert_eq!(of(&less, "#4").detail, "only in the first recording");
}

#[test]
fn values_that_flow_may_differ_between_recordings() {
    let report = diffed(LIST, &LIST.replace("Y3Vyc29yLTE=", "bGl2ZS03Nzc="));
    assert_eq!((short(&report), report.exit), ("#1 same, #2 same, #3 same".into(), 0));
    assert_eq!(of(&report, "#2").captured, ["/result/nextCursor"]);
    assert_eq!(of(&report, "#3").substituted[0].at, "/params/cursor");
    // Shown in one place only, it is a change.
    let kept = LIST.replacen("Y3Vyc29yLTE=", "bGl2ZS03Nzc=", 1);
    assert_eq!(short(&diffed(LIST, &kept)), "#1 same, #2 changed, #3 same");
}

#[test]
fn short_values_are_echoes_only_where_they_were_put_in() {
    let trace = |n: &str| call(10, 2, "a", "{}") + &text(12, 2, n) + &call(20, 3, "b", "{}") + &text(22, 3, n);
    let put = crate::replay::run::Substituted {
        at: "/params/arguments/n".into(),
        from: "#1".into(),
        from_at: "/result/n".into(),
        values: Some(("7".into(), "8".into())),
        hidden: None,
    };
    let run = Run::mcp(&trace("[7]"), &trace("[8]")).change("#3", |run| run.substituted.push(put));
    assert_eq!(short(&run.judge()), "#1 same, #2 changed, #3 same");
}

#[test]
fn the_answer_to_a_request_that_asked_for_another_value_says_the_live_one() {
    let trace = |a: &str, b: &str| {
        call(10, 2, "a", "{}") + &text(12, 2, a) + &call(20, 3, "b", r#"{"id":"ord-00017"}"#) + &text(22, 3, b)
    };
    let put = crate::replay::run::Substituted {
        at: "/params/arguments/id".into(),
        from: "#1".into(),
        from_at: "/result/id".into(),
        values: Some((r#""ord-00017""#.into(), r#""ord-00042""#.into())),
        hidden: None,
    };
    let recorded = trace("one of ord-00017", "ord-00017 is ready");
    let of = |b: &str| {
        let live = trace("one of ord-00017", b);
        short(&Run::mcp(&recorded, &live).change("#3", |run| run.substituted.push(put.clone())).judge())
    };
    // What another answer says of it may be of another order.
    assert_eq!(of("ord-00042 is ready"), "#1 same, #2 same, #3 same");
    assert_eq!(of("ord-00017 is ready"), "#1 same, #2 same, #3 changed");
}

#[test]
fn cancels_of_two_recordings() {
    let late =
        call(20, 2, "slow", "{}") + &cancel(920, 2) + &call(930, 3, "echo", "{\"x\":1}") + &text(932, 3, "{\"x\":1}");
    let report = diffed(&s01(), &late);
    assert_eq!(short(&report), "#1 same, #2 same, #3 same");
    assert!(of(&report, "#2").notes.contains(&"cancelled after 900 ms, before after 300 ms".to_string()));
    let never = call(20, 2, "slow", "{}")
        + &text(50, 2, "done")
        + &call(330, 3, "echo", "{\"x\":1}")
        + &text(332, 3, "{\"x\":1}");
    assert_eq!(short(&diffed(&s01(), &never)), "#1 same, #2 missing, #3 same");
    assert_eq!(short(&diffed(&never, &s01())), "#1 same, #2 extra, #3 same");
    assert_eq!(diffed(&never, &s01()).exit, 1);
}

#[test]
fn several_connections_find_their_partners() {
    let one = session(MCP, &(call(0, 1, "a", "{}") + &text(1, 1, "A")));
    let two = session(MCP, &(call(0, 1, "b", "{}") + &text(1, 1, "B")));
    let of = |name: &str, connections: Vec<Connection>| Recording {
        name: name.into(),
        format: "rec".into(),
        connections,
        unread: Vec::new(),
    };
    let a = of("a", vec![one.clone(), two.clone()]);
    let swapped = diff(&a, &of("b", vec![two.clone(), one.clone()]), &Options::default());
    assert_eq!((short(&swapped), swapped.exit), ("#1 same, #1 same".into(), 0));
    let lost = diff(&a, &of("b", vec![two.clone()]), &Options::default());
    assert_eq!(lost.exit, 1);
    let gained = diff(&of("a", vec![one.clone()]), &of("b", vec![one, two]), &Options::default());
    assert_eq!((short(&gained), gained.exit), ("#1 same, #1 extra".into(), 1));
    let nothing = diff(&of("a", Vec::new()), &of("b", Vec::new()), &Options::default());
    assert_eq!(nothing.exit, 2);
    assert!(a.connections.iter().all(|connection| connection.exchanges[0].issuer == Side::Client));
}

#[test]
fn the_witness_of_a_replay_is_nobodys_request() {
    let a = call(10, 2, "a", "{}") + &cancel(20, 2);
    let ping = |id: &str| {
        format!(
            "21 c> {{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n22 s> {{\"id\":{id},\"result\":{{}}}}\n"
        )
    };
    assert_eq!(short(&diffed(&a, &(a.clone() + &ping("1000001")))), "#1 same, #2 same");
    // Another id, and another place: somebody asked.
    assert_eq!(short(&diffed(&a, &(a.clone() + &ping("3")))), "#1 same, #2 same, #3 extra");
    let elsewhere = call(10, 2, "a", "{}") + &ping("1000001") + &cancel(30, 2);
    assert_eq!(short(&diffed(&a, &elsewhere)), "#1 same, #2 same, #1000001 extra");
}

#[test]
fn what_was_put_in_and_is_not_shown_may_come_back() {
    let (old, new) = (r#"{"k":"abc-1"}"#, r#"{"k":"xyz-2"}"#);
    let trace = |data: &str| call(20, 3, "b", "{}") + &text(22, 3, "ok").replace("\"ok\"", data);
    let put = crate::replay::run::Substituted {
        at: "/params/data".into(),
        from: "#1".into(),
        from_at: "/result/0/data".into(),
        values: None,
        hidden: Some((old.into(), new.into())),
    };
    let run = |live: &str| Run::mcp(&trace(old), &trace(live)).change("#3", |run| run.substituted.push(put.clone()));
    let given_back = run(new).judge();
    assert_eq!(short(&given_back), "#1 same, #3 same");
    assert!(!format!("{:?}", of(&given_back, "#3").diff).contains("xyz"), "it is not shown");
    assert_eq!(short(&run(r#"{"k":"xyz-3"}"#).judge()), "#1 same, #3 changed");
}

#[test]
fn a_cancel_of_the_server_that_does_not_come_is_missing() {
    let asked = r#"10 s> {"id":5,"method":"roots/list"}
        "#;
    let cancelled = format!(r#"{asked}20 s> {{"method":"notifications/cancelled","params":{{"requestId":5}}}}"#);
    assert_eq!(short(&diffed(&cancelled, &cancelled)), "#1 same, s5 same");
    assert_eq!(short(&diffed(&cancelled, asked)), "#1 same, s5 same, - missing");
}

#[test]
fn notifications_of_no_request_are_compared_by_their_method() {
    let told = |data: &str| {
        format!("9 s> {{\"method\":\"notifications/message\",\"params\":{{\"level\":\"info\",\"data\":{data}}}}}\n")
    };
    let run = |a: &str, b: &str, notifications: bool| {
        let mut run = Run::mcp(a, b).compare(Compare { notifications, ..Compare::default() });
        run.log.notifications =
            vec![("notifications/message".into(), u32::from(!a.is_empty()), u32::from(!b.is_empty()))];
        run.judge()
    };
    let (a, b) = (told("1"), told("2"));
    assert_eq!(short(&run(&a, &b, false)), "#1 same");
    let changed = run(&a, &b, true);
    assert_eq!((short(&changed), end(&changed)), ("#1 same, - changed".into(), FAIL));
    assert_eq!(of(&changed, "-").detail, "notification 1: /params/data");
    let gone = run(&a, "", false);
    assert_eq!(
        (short(&gone), of(&gone, "-").detail.as_str()),
        ("#1 same, - missing".into(), "its notification did not come")
    );
    assert_eq!(short(&diffed(&a, "")), "#1 same, - missing");
}

#[test]
fn what_was_set_may_come_back() {
    let trace = |name: &str| {
        let echo = format!("{{\"name\":\"{name}\",\"n\":1}}");
        call(10, 2, "echo", r#"{"name":"recorded-name"}"#) + &text(20, 2, &echo)
    };
    let run = |pointer: &str, live: &str| {
        let mut run = Run::mcp(&trace("recorded-name"), &trace(live));
        run.options.rewrite.set = vec![(pointer.into(), r#""live-name""#.into())];
        run.judge()
    };
    let (name, unknown) = ("/params/arguments/name", "/params/arguments/nam");
    let echoed = run(name, "live-name");
    assert_eq!((short(&echoed), end(&echoed)), ("#1 same, #2 same".into(), PASS));
    assert_eq!(short(&run(name, "other-name")), "#1 same, #2 changed");
    assert!(echoed.notes.is_empty(), "{:?}", echoed.notes);
    let vain = run(unknown, "recorded-name");
    assert_eq!(vain.notes, ["warning: --set /params/arguments/nam fitted nothing"]);
}

#[test]
fn fewer_notifications_of_no_request_are_missing() {
    let told = |at: i64, data: u32| {
        format!("{at} s> {{\"method\":\"notifications/message\",\"params\":{{\"level\":\"info\",\"data\":{data}}}}}\n")
    };
    let (both, first, second) = (told(9, 1) + &told(10, 2), told(9, 1), told(10, 2));
    let run = |live: &str, now: u32, notifications: bool| {
        let mut run = Run::mcp(&both, live).compare(Compare { notifications, ..Compare::default() });
        run.log.notifications = vec![("notifications/message".into(), 2, now)];
        run.judge()
    };
    let one = run(&first, 1, false);
    assert_eq!((short(&one), end(&one)), ("#1 same, - missing".into(), PASS));
    assert_eq!(of(&one, "-").detail, "1 of its 2 notifications came");
    assert_eq!(short(&run(&second, 1, true)), "#1 same, - missing, - changed");
    assert_eq!(short(&run(&both, 2, true)), "#1 same");
    assert_eq!(short(&diffed(&both, &first)), "#1 same, - missing");
}

#[test]
fn a_server_that_was_left_did_not_exit_by_itself() {
    let open = call(20, 2, "a", "{}");
    let answered = open.clone() + &text(22, 2, "ok");
    let left = |ms: i64| format!("{open}{ms} c|\n{} x 0", ms + 1);
    let report = diffed(&answered, &left(3_020));
    assert_eq!(short(&report), "#1 same, #2 stuck");
    assert_eq!(of(&report, "#2").detail, "no answer, watched 3.00 s");
    assert_eq!(short(&diffed(&answered, &left(100))), "#1 same, #2 unknown", "nobody waited for it");
    assert_eq!(short(&diffed(&answered, &format!("{open}3020 x 0"))), "#1 same, #2 server-exit");
    // What it takes to end is no watching.
    assert_eq!(short(&diffed(&answered, &format!("{open}100 c|\n9000 x 0"))), "#1 same, #2 unknown");
}

#[test]
fn a_flow_that_carries_nothing_is_told() {
    let trace = call(10, 2, "order", "{}") + &text(20, 2, r#"{"id":"a"}"#) + &call(30, 3, "get", r#"{"id":"a"}"#);
    let notes = |from_at: &str, to_at: &str| {
        let mut run = Run::mcp(&trace, &trace);
        let (from, to) = ("order".into(), "get".into());
        run.options.rewrite.flows = vec![FlowRule { from, from_at: from_at.into(), to, to_at: to_at.into() }];
        run.judge().notes
    };
    assert_eq!(notes("/result/content/0/text -> /id", "/params/arguments/id"), [""; 0]);
    let idle = "warning: the flow from order /result/content/0/text -> /idd to get /params/arguments/id fitted nothing";
    assert_eq!(notes("/result/content/0/text -> /idd", "/params/arguments/id"), [idle]);
    assert_eq!(notes("/result/content/0/text", "/params/arguments/idd").len(), 1);
}
