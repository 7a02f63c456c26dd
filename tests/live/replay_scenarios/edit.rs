//! Recordings made smaller, and of several one.

use serde_json::{Value, json};

use super::{says, server};
use crate::common::{rpctape, run};
use crate::replay::bench::{bench, of_target};
use crate::replay::notation::mcp;

const SESSION: &str = r#"
    H(2025-11-25)
     10 c> call(2,echo,{"x":1})
     12 s> text(2,"{\"x\":1}")
     20 c> call(3,slow,{})
    320 c> cancel(3)
    330 c> call(4,echo,{"x":2})
    332 s> text(4,"{\"x\":2}")
    500 s> text(3,"done")
    510 c> call(5,echo,{"x":3})
    512 s> text(5,"{\"x\":3}")
"#;

/// The methods and names of the requests of a recording, and whether it can be read without a complaint.
fn requests(file: &std::path::Path) -> Vec<String> {
    let sql = "select coalesce(name, method) from exchanges order by id";
    let said = run(&["query", "--format", "jsonl", &file.display().to_string(), sql]);
    assert_eq!(said.code, 0, "{}", said.err);
    let name = |line: &str| {
        let row: serde_json::Map<String, Value> = serde_json::from_str(line).expect("an object");
        row.values().next().and_then(Value::as_str).unwrap_or_default().to_string()
    };
    said.out.lines().map(name).collect()
}

#[test]
fn the_least_that_shows_a_finding() {
    let bench = bench(&mcp(SESSION), &Value::Null);
    let (whole, small) = (bench.folder().join("it.rec.jsonl"), bench.folder().join("it.min.rec.jsonl"));
    let said = run(&["minimise", &whole.display().to_string()]);
    assert!(said.code == 0 && said.err.contains("CAN010"), "{}{}", said.out, said.err);
    assert_eq!(requests(&small), ["initialize", "slow"]);
    let check = run(&["check", "--fail-on", "warning", &small.display().to_string()]);
    assert!(check.code == 1 && check.out.contains("response-after-cancel"), "{}", check.out);
    let none = run(&["minimise", &whole.display().to_string(), "--finding", "never-answered"]);
    assert!(none.code == 2 && none.err.contains("response-after-cancel"), "{}", none.err);
}

#[test]
fn the_least_that_a_server_fails() {
    let wrong = server(
        json!([{"on": "tools/call:echo", "when": {"/params/arguments/x": 2}, "do": [{"answer": says("wrong")}]}]),
    );
    let bench = bench(&mcp(SESSION), &wrong);
    let mut words = bench.arguments(&["-o", "small.rec.jsonl"]);
    words[0] = "minimise".to_string();
    let done = rpctape().current_dir(bench.folder()).args(&words).output().expect("the program starts");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.code() == Some(0) && said.contains("#4 changed"), "{said}");
    assert_eq!(requests(&bench.folder().join("small.rec.jsonl")), ["initialize", "echo"]);
}

#[test]
fn an_update_makes_green_only_what_it_took() {
    let hasty = server(json!([
        {"on": "tools/call:slow", "do": [{"answer": says("done")}]},
        {"on": "tools/call:echo", "when": {"/params/arguments/x": 2}, "do": [{"answer": says("changed")}]},
    ]));
    // The cancel comes too late: whatever is accepted, nothing was learnt of it.
    let late: [(&[&str], i32); 2] = [(&["--update=changed"], 0), (&["--update=changed", "--strict"], 1)];
    // What is taken does not fail, and what fails is not taken.
    let refusing = server(json!([
        {"on": "tools/call:echo", "when": {"/params/arguments/x": 2}, "do": [{"answer": says("changed")}]},
        {"on": "tools/call:echo", "when": {"/params/arguments/x": 3}, "do": [{"error": {"code": -32603, "message": "no"}}]},
    ]));
    let other: [(&[&str], i32); 1] = [(&["--update=changed", "--fail-on=-changed"], 1)];
    for (server, (flags, exit)) in late.map(|run| (&hasty, run)).into_iter().chain(other.map(|run| (&refusing, run))) {
        let bench = bench(&mcp(SESSION), server);
        let done =
            rpctape().current_dir(bench.folder()).args(bench.arguments(flags)).output().expect("the program starts");
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(said.contains("accepted #4"), "{said}");
        assert_eq!(done.status.code(), Some(exit), "{flags:?}: {said}{}", String::from_utf8_lossy(&done.stdout));
    }
}

/// An export names its session in the header only, and a replay calls it by its file.
#[test]
fn a_replay_of_an_export_can_be_accepted() {
    let changed = server(
        json!([{"on": "tools/call:echo", "when": {"/params/arguments/x": 2}, "do": [{"answer": says("changed")}]}]),
    );
    let bench = bench(&mcp(SESSION), &changed);
    let path = |name: &str| bench.folder().join(name).display().to_string();
    let traffic: String =
        mcp(SESSION).rec().lines().filter(|line| line.contains("\"msg\"")).map(|l| format!("{l}\n")).collect();
    std::fs::write(path("log.jsonl"), traffic).expect("a log");
    assert_eq!(run(&["export", &path("log.jsonl"), "--as", "rec", "-o", &path("ex.rec.jsonl")]).code, 0);
    for file in ["ex.rec.jsonl", "log.jsonl"] {
        let mut words = bench.arguments(&["--keep", "ex.run.jsonl"]);
        words[1] = file.to_string();
        let done = rpctape().current_dir(bench.folder()).args(&words).output().expect("the program starts");
        let out = String::from_utf8_lossy(&done.stdout);
        let proposed = out.contains("rpctape accept ex.run.jsonl --recording ex.rec.jsonl");
        assert_eq!(proposed, file == "ex.rec.jsonl", "{out}{}", String::from_utf8_lossy(&done.stderr));
        // From another folder, too, and what was exported of the log that was replayed.
        let taken = path("taken.rec.jsonl");
        let accept = [
            "accept",
            "--exchange",
            "changed",
            &path("ex.run.jsonl"),
            "--recording",
            &path("ex.rec.jsonl"),
            "-o",
            &taken,
        ];
        let output = rpctape().env_remove("CI").args(accept).output().expect("the program starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(0) && said.contains("accepted #4"), "{file}: {said}");
    }
    let other = ["accept", "--all", "--reason", "x", &path("ex.run.jsonl"), "--recording", &path("it.rec.jsonl")];
    let output = rpctape().env_remove("CI").args(other).output().expect("the program starts");
    assert!(String::from_utf8_lossy(&output.stderr).contains("it names another session"));
}

#[test]
fn several_recordings_are_one() {
    let bench = bench(&mcp(SESSION), &Value::Null);
    let one = bench.folder().join("it.rec.jsonl").display().to_string();
    let both = bench.folder().join("both.rec.jsonl");
    let said = run(&["merge", &one, &one, "-o", &both.display().to_string()]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(requests(&both).len(), 10);
    let program = env!("CARGO_BIN_EXE_rpctape").to_string();
    let target = ["--", &program, "mock", "it.rec.jsonl"].iter().map(ToString::to_string).collect();
    let text = std::fs::read(&both).expect("the recording");
    let run = of_target("it.rec.jsonl", &text, target).run();
    assert!(run.exchanges().count() == 10 && run.exchanges().all(|line| line["verdict"] == "same"), "{}", run.all());
}

#[test]
fn a_redirect_is_not_followed_and_ends_the_run() {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let answer = "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n";
    // It is left behind where nobody comes.
    std::thread::spawn(move || {
        let Ok((mut client, _)) = listener.accept() else { return };
        let _ = client.read(&mut [0; 4096]);
        let _ = client.write_all(answer.as_bytes());
    });
    let target = vec!["--url".to_string(), format!("http://127.0.0.1:{port}/mcp")];
    let said = of_target("it.rec.jsonl", mcp(SESSION).rec().as_bytes(), target).screen();
    assert!(said.code == 2 && said.err.contains("307") && said.err.contains("redirect"), "{}{}", said.out, said.err);
}
