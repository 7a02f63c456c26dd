//! What a team rests on when a replay gates a release: a green run is one that has seen something, and a red one says what.

use serde_json::{Value, json};

use super::bench::{bench, bench_http};
use super::notation::{mcp, session};
use super::{one_call, one_cancel};
use crate::common::{rpctape, run};

/// The usual flags, without watching for long.
const QUICK: &str = "--allow-all --linger 300ms";

/// A server whose `slow` is worked on until it is cancelled, and what it does then; `ping` is answered by these steps.
fn cancelled(cancel: &Value, ping: &Value) -> Value {
    json!({"handlers": [
        {"on": "tools/call:slow", "do": [{"wait": 600_000}], "cancel": cancel},
        {"on": "ping", "do": ping}]})
}

#[test]
fn a_witness_proves_that_an_answer_came_later() {
    let answer = json!({"answer": {"content": []}});
    let flags = format!("{QUICK} --deny ping --witness");
    let late = cancelled(&json!([{"after": "ping"}, answer]), &json!([{"answer": {}}]));
    let run = bench(&one_cancel(), &late).only_flags(&flags).run();
    run.verdicts(&["#2 violates", "#3 same"]).ended("fail", 1);
    assert_eq!((run.exchanges().count(), run.heard("\"ping\"").len()), (3, 1), "{}", run.all());
    // An answer before that of the witness may have crossed the cancel, and is never the same as silence.
    let early = cancelled(&json!([answer]), &json!([{"after": "tools/call"}, {"answer": {}}]));
    let run = bench(&one_cancel(), &early).only_flags(&flags).run();
    assert_ne!(run.exchange("#2")["verdict"], "same", "{}", run.all());
    // Silence stays what it is.
    let silent = cancelled(&json!([]), &json!([{"answer": {}}]));
    let run = bench(&one_cancel(), &silent).only_flags(&flags).run();
    run.verdicts(&["#2 same"]).ended("pass", 0).cancels(1, 1, 0, 0);
}

#[test]
fn how_a_server_ends_is_judged_where_the_recording_has_it() {
    let ending = |code: i64| json!({"handlers": [{"on": "eof", "do": [{"stderr": "out of luck"}, {"exit": code}]}]});
    let recorded = |code: i64| {
        mcp(&format!("H(2025-11-25)\n20 c> call(2,echo,{{}})\n22 s> text(2,\"{{}}\")\n30 close c\n31 exit {code}"))
    };
    let play = |then: i64, now: i64, more: &str| bench(&recorded(then), &ending(now)).flags(more).run();
    let run = play(0, 3, "");
    run.verdicts(&["#2 same", "- server-exit"]).ended("fail", 1);
    assert_eq!(run.summary()["stderr"], json!(["out of luck"]), "{}", run.all());
    play(0, 3, "--fail-on -server-exit").ended("pass", 0);
    play(3, 0, "").verdicts(&["- fixed"]).ended("pass", 0);
    play(3, 3, "").ended("pass", 0);
    play(3, 4, "").verdicts(&["- server-exit"]).ended("fail", 1);
    let run = bench(&one_call(), &ending(3)).run();
    run.ended("pass", 0);
    assert!(run.summary()["notes"].to_string().contains("how the server ended is not judged"), "{}", run.all());
}

#[test]
fn what_fails_can_be_added_to_and_taken_from() {
    let other = json!({"handlers": [{"on": "tools/call:echo", "do": [{"answer": {"content": []}}]}]});
    let bench = bench(&one_call(), &other);
    let code = |words: &[&str]| {
        let mut command = rpctape();
        command.current_dir(bench.folder()).arg("replay").args(words);
        command.args(bench.arguments(&["--no-keep", "--linger", "0"]).into_iter().skip(1));
        command.output().expect("it starts").status.code()
    };
    for (value, expected) in [
        ("-changed", 0),
        ("+slower,-changed", 0),
        ("+slower", 1),
        ("stuck", 0),
        ("changed", 1),
        ("+slower,changed", 2),
        ("changed,-stuck", 2),
        ("+nonsense", 2),
        ("-", 2),
    ] {
        assert_eq!(code(&["--fail-on", value]), Some(expected), "{value}");
        assert_eq!(code(&[&format!("--fail-on={value}")]), Some(expected), "{value}");
    }
}

#[test]
fn an_absence_is_repaired_only_where_somebody_answers() {
    let never = session(
        "lsp",
        r#"
        0 c> {"id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}
        5 s> {"id":1,"result":{"capabilities":{}}}
        6 c> {"method":"initialized","params":{}}
        20 c> {"id":2,"method":"textDocument/hover","params":{}}
        120 c> {"method":"$/cancelRequest","params":{"id":2}}
        60000 c> {"id":3,"method":"shutdown"}
        60002 s> {"id":3,"result":null}
        60003 c> {"method":"exit"}
    "#,
    );
    let play = |cancel: Value| {
        let script = json!({"framing": "content-length", "handlers": [
            {"on": "initialize", "do": [{"answer": {"capabilities": {}}}]},
            {"on": "textDocument/hover", "do": [{"wait": 600_000}], "cancel": cancel},
            {"on": "shutdown", "do": [{"answer": null}]}, {"on": "exit", "do": [{"exit": 0}]}]});
        bench(&never, &script).only_flags(QUICK).run()
    };
    play(json!([])).verdicts(&["#2 same"]).ended("pass", 0);
    play(json!([{"error": {"code": -32800, "message": "cancelled"}}])).verdicts(&["#2 fixed"]).ended("pass", 0);
}

#[test]
fn headers_go_with_every_request_and_are_shown_nowhere() {
    for mode in [&[][..], &["--mode", "sse"]] {
        let options = [mode, &["--session", "live-1"]].concat();
        let flags =
            format!("{QUICK} --header 'X-Token: ${{GATE_NONE:-hunter2hunter2}}' --header X-Two:b --report md=x.md");
        let run = bench_http(&one_call(), &options).only_flags(&flags).run();
        run.verdicts(&["#2 same"]);
        let seen: Vec<&Value> = run.log.iter().filter(|line| line.get("headers").is_some()).collect();
        assert!(!seen.is_empty(), "{}", run.all());
        for line in seen {
            let headers = &line["headers"];
            assert_eq!((&headers["x-token"], &headers["x-two"]), (&json!("hunter2hunter2"), &json!("b")), "{line}");
        }
        let kept = ["it.run.jsonl", "x.md"].map(|name| std::fs::read_to_string(run.folder.path().join(name)));
        let shown = kept.into_iter().map(|text| text.expect("it is written")).collect::<String>();
        assert!(!(shown + &run.said.out + &run.said.err).contains("hunter2"), "{}", run.all());
    }
}

/// What is hidden is hidden in what is told, and not in the words that tell it.
#[test]
fn a_header_may_be_a_word_that_every_report_has() {
    let words =
        ["X-Env:test", "X-Env:result", "X-Env:exit", "X-Env:same", "Authorization:error", "Authorization:result"];
    for header in words {
        let flags = format!("{QUICK} --header {header} --report junit=x.xml --report html=x.html");
        let run = bench_http(&one_call(), &["--session", "live-1"]).only_flags(&flags).run();
        run.verdicts(&["#2 same"]);
        assert!(run.exchanges().count() == 2 && run.summary()["exit"] == run.said.code, "{}", run.all());
        let is_secret = header.starts_with("Authorization");
        assert!(is_secret || !run.said.out.contains("<<secret:custom"), "{header}: {}", run.said.out);
        assert_eq!(run.exchange("#1")["diff"][0]["at"], "/result/serverInfo/name", "{header}");
        let read = |name: &str| std::fs::read_to_string(run.folder.path().join(name)).expect("it is written");
        let junit = read("x.xml");
        assert!(junit.contains("<testsuites") && junit.contains("<testcase"), "{header}: {junit}");
        let kept = crate::common::run(&["check", &run.folder.path().join("it.run.jsonl").display().to_string()]);
        assert_eq!(kept.code, 0, "{header}: {}{}", kept.out, kept.err);
    }
}

#[test]
fn a_header_that_cannot_be_sent_is_a_usage_error() {
    for (header, named) in [
        ("'X: ${GATE_NONE}'", "GATE_NONE"),
        ("Authorization", "Authorization"),
        ("': x'", "--header"),
        ("'a b: x'", "--header"),
    ] {
        let bench = bench_http(&one_call(), &[]).only_flags(&format!("{QUICK} --header {header}"));
        let said = bench.screen();
        assert!(said.code == 2 && said.err.contains(named), "{header}: {}", said.err);
        let log = std::fs::read_to_string(bench.folder().join("server.log")).expect("a log");
        assert!(!log.contains("saw"), "nothing is sent: {log}");
    }
}

/// A server that answers every request with this status line; where it listens.
fn turning_away(status: &'static str) -> std::net::SocketAddr {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let _ = stream.read(&mut [0; 8192]);
            let _ = write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        }
    });
    address
}

#[test]
fn whoever_is_turned_away_is_told_and_nobody_is_judged() {
    let folder = tempfile::tempdir().expect("a folder");
    let recording = crate::common::file(folder.path(), "it.rec.jsonl", one_call().rec());
    for status in ["401 Unauthorized", "403 Forbidden"] {
        let address = turning_away(status);
        for target in
            [["--url".to_string(), format!("http://{address}/mcp")], ["--connect".into(), format!("ws://{address}/")]]
        {
            let said =
                run(&["replay", &recording, "--allow-all", "--no-keep", "--format", "jsonl", &target[0], &target[1]]);
            assert!(said.code == 2 && said.out.is_empty(), "{}{}", said.out, said.err);
            assert!(said.err.contains(&status[..3]) && said.err.contains("--header"), "{}", said.err);
        }
    }
}

#[test]
fn a_websocket_is_asked_for_the_sub_protocol_that_was_chosen_then() {
    use std::io::Read;
    let folder = tempfile::tempdir().expect("a folder");
    let (first, rest) =
        one_call().rec().split_once('\n').map(|(a, b)| (a.to_string(), b.to_string())).expect("a header");
    let head = r#"{"t":0,"k":"http","c":1,"d":"s","h":{"status":101,"headers":{"sec-websocket-protocol":"mcp"}}}"#;
    let recording = crate::common::file(folder.path(), "it.rec.jsonl", format!("{first}\n{head}\n{rest}"));
    for (more, asked) in [(&[][..], "mcp"), (&["--header", "Sec-WebSocket-Protocol: other"], "other")] {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("ws://{}/", listener.local_addr().expect("an address"));
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a client");
            let mut seen = [0; 8192];
            let length = stream.read(&mut seen).expect("a request");
            String::from_utf8_lossy(&seen[..length]).to_lowercase()
        });
        let said = run(&[&["replay", &recording, "--allow-all", "--no-keep", "--connect", &url], more].concat());
        assert_eq!(said.code, 2, "{}{}", said.out, said.err);
        let request = server.join().expect("a request");
        let named: Vec<&str> = request.lines().filter(|line| line.starts_with("sec-websocket-protocol")).collect();
        assert_eq!(named, [format!("sec-websocket-protocol: {asked}")], "{request}");
    }
}

#[test]
fn what_is_proposed_can_be_pasted() {
    let programs = std::path::Path::new(env!("CARGO_BIN_EXE_rpctape")).parent().expect("a folder").as_os_str();
    let other = json!({"handlers": [{"on": "tools/call:echo", "do": [{"answer": {"content": []}}]}]});
    for name in ["it's $HOME `b`", "-dash", "a\tb\nc", "%s \\n", "$(touch pwned)", "ü ~#!*?[x]{}<>|&;"] {
        let name = format!("{name}.rec.jsonl");
        let bench = super::bench::of_capture(&name, one_call().rec().as_bytes(), &other);
        let bench = bench.only_flags(&format!("{QUICK} --only tools/call:*"));
        let said = bench.screen();
        let lines: Vec<&str> =
            said.out.lines().filter_map(|line| line.find("rpctape ").map(|at| &line[at..])).collect();
        assert!(said.code == 1 && lines.len() == 2, "{}{}", said.out, said.err);
        for line in lines {
            let line = line.replace("rpctape accept ", "rpctape accept --all --reason x -o taken.rec.jsonl ");
            let mut shell = std::process::Command::new("sh");
            let shell = shell.arg("-c").arg(format!("PATH=$0:$PATH; {line}")).arg(programs);
            let shell = shell.env_remove("CI").current_dir(bench.folder());
            let output = shell.output().expect("a shell");
            let expected = i32::from(!line.contains("accept"));
            assert_eq!(output.status.code(), Some(expected), "{line}\n{}", String::from_utf8_lossy(&output.stderr));
        }
        assert!(!bench.folder().join("pwned").exists());
    }
}

#[test]
fn a_server_that_is_gone_teaches_nothing_and_passes_no_sweep() {
    let dead = json!({"handlers": [{"on": "initialize", "do": [{"exit": 3}]}]});
    let dying = json!({"handlers": [{"on": "tools/call:slow", "do": [{"exit": 3}]}]});
    let said = |server: &Value, flags: &str| {
        bench(&one_cancel(), server).only_flags(&format!("{QUICK} --allow-repeat {flags}")).screen()
    };
    let code = |server: &Value, flags: &str| said(server, flags).code;
    let err = said(&dead, "--learn-noise").err;
    assert!(err.contains("no request was answered") && !err.contains("no value with a shape differs"), "{err}");
    assert_eq!((code(&dead, "--learn-noise"), code(&dying, "--learn-noise")), (2, 1));
    assert_eq!((code(&dead, "--cancel-sweep 0"), code(&dying, "--cancel-sweep 50ms")), (1, 1));
}

#[test]
fn sweeps_and_noise_are_in_the_reports() {
    let read = |folder: &std::path::Path, name: &str| std::fs::read_to_string(folder.join(name)).expect("a report");
    let silent = cancelled(&json!([]), &json!([{"answer": {}}]));
    let flags = format!("{QUICK} --allow-repeat --cancel-sweep 0,50ms --report junit=x.xml --report md=x.md");
    let run = bench(&one_cancel(), &silent).only_flags(&flags).run();
    let (xml, md) = (read(run.folder.path(), "x.xml"), read(run.folder.path(), "x.md"));
    assert!(xml.matches("<testcase ").count() == 2 && md.contains("50 ms"), "{xml}{md}");

    let minting = json!({"handlers": [{"on": "tools/call:echo", "do": [{"answer": {"made": "${mint:it}"}}]}]});
    let flags = format!("{QUICK} --allow-repeat --learn-noise 2 --report md=x.md --report junit=x.xml");
    let bench = bench(&one_call(), &minting).only_flags(&flags);
    let said = bench.screen();
    assert_ne!(said.code, 2, "{}", said.err);
    let (xml, md) = (read(bench.folder(), "x.xml"), read(bench.folder(), "x.md"));
    assert!(xml.contains("<testsuite") && md.contains("/result/made"), "{xml}{md}");
    // Each of two runs, and whatever was learned holds for that tool alone.
    let log = read(bench.folder(), "server.log");
    assert_eq!(log.matches("\"pid\"").count(), 2, "{log}");
    assert_eq!(said.out.matches("[[replay.").count(), said.out.matches("for = \"tools/call:echo\"").count());
}
