//! All JSON that commands print is what `rpctape schema COMMAND` says it is.

use crate::common::{self, run};
use crate::five_connections::five_connections;
use crate::hostile_log::hostile_log;

/// Real output of a command against its own schema: a document, or each of its lines.
fn against(command: &str, args: &[&str], accepted: &[i32]) -> usize {
    let said = run(&["schema", command]);
    assert_eq!(said.code, 0, "{command}: {}", said.err);
    let schema = serde_json::from_str(&said.out).expect("a schema is JSON");
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    let told = run(args);
    if !accepted.contains(&told.code) {
        return 0;
    }
    let objects: Vec<serde_json::Value> = match serde_json::from_str(&told.out) {
        Ok(document) => vec![document],
        Err(_) => told.out.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect(),
    };
    for object in &objects {
        let faults: Vec<String> =
            schema.iter_errors(object).map(|fault| format!("{}: {fault}", fault.instance_path())).collect();
        assert!(faults.is_empty(), "{args:?}: {}", faults.join("\n").chars().take(2_000).collect::<String>());
    }
    objects.len()
}

/// All JSON of all commands over all samples is what `rpctape schema` says it is.
#[test]
fn every_schema_holds_for_real_output() {
    let mut logs = vec!["samples/formats".to_string(), "samples/faults".to_string()];
    logs.push("samples/incidents".to_string());
    for folder in ["mcp", "acp", "lsp", "jsonrpc"] {
        for entry in std::fs::read_dir(common::top().join("samples").join(folder)).expect("samples") {
            logs.push(format!("samples/{folder}/{}", entry.expect("an entry").file_name().to_string_lossy()));
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    logs.push(common::file(folder.path(), "hostile.jsonl", hostile_log()));
    let five = five_connections(folder.path());
    let other_tap = std::fs::read_to_string(&five).expect("the log") + "\n";
    let other_tap = common::file(folder.path(), "other-tap.jsonl", other_tap.as_bytes());
    let mut seen = against("check", &["check", "--merge", &five, &other_tap, "--format", "json"], &[0, 1]);
    logs.push(five);
    for log in &logs {
        let json = |command: &str, format: &str, more: &[&str]| {
            let mut args = vec![command, "--format", format];
            args.extend(more);
            args.push(log);
            against(command, &args, &[0, 1])
        };
        seen += json("check", "jsonl", &["--coverage"]);
        seen += json("check", "json", &[]);
        seen += json("check", "jsonl", &["--group-by", "tool"]);
        for command in ["ls", "why", "stats", "show"] {
            seen += json(command, "json", &[]);
        }
        seen += against("why", &["why", log, "--at", "06:12:00", "--format", "json"], &[0]);
        seen += against("formats", &["formats", "--explain", log, "--format", "json"], &[0]);
    }
    seen += against("diff", &["diff", "samples/mcp/good.jsonl", "samples/mcp/bad.jsonl", "--format", "jsonl"], &[0, 1]);
    seen += against("diff", &["diff", "samples/mcp/good.jsonl", "samples/mcp/bad.jsonl", "--format", "json"], &[0, 1]);
    seen += against("sessions", &["sessions", "samples/incidents", "--format", "jsonl"], &[0]);
    seen += against("rules", &["rules", "--format", "json"], &[0]);
    seen += against("rules", &["rules", "--clauses", "--format", "json"], &[0]);
    seen += against("explain", &["explain", "all", "--format", "json"], &[0]);
    seen += against("formats", &["formats", "--format", "json"], &[0]);
    seen += against("query", &["query", "samples/mcp/bad.jsonl", "select * from messages", "--format", "jsonl"], &[0]);
    assert!(seen >= 200, "{seen}");
}

/// A command that prints JSON has a schema, and none is left over.
#[test]
fn every_command_that_prints_json_has_a_schema() {
    let listed = run(&["schema"]).out;
    let help = run(&["--help"]).out;
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = commands.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    let (mut all, mut with): (usize, Vec<&str>) = (0, Vec::new());
    for name in names.filter(|name| *name != "help") {
        all += 1;
        let help = run(&[name, "--help"]).out;
        let mut formats = help.lines().skip_while(|line| !line.contains("--format <"));
        if formats.any(|line| line.trim_start().starts_with("- json")) {
            with.push(name);
        }
    }
    with.sort_unstable();
    let mut told: Vec<&str> = listed.lines().collect();
    told.sort_unstable();
    assert!(all > 30 && with == told, "{with:?} {told:?}");
    for command in told {
        let schema = run(&["schema", command]).out;
        let schema = serde_json::from_str(&schema).expect("JSON");
        assert!(jsonschema::validator_for(&schema).is_ok(), "{command}");
    }
    let unknown = run(&["schema", "chek"]);
    assert!(unknown.code == 2 && unknown.err.contains("did you mean check"), "{}", unknown.err);
}

/// What needs more than a log: a database, a recording that is verified, one that is written, and live servers.
#[test]
fn schemas_hold_for_live_and_written_output() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = folder.path().join("kept.db").display().to_string();
    let log = common::file(folder.path(), "hostile.jsonl", hostile_log());
    assert_eq!(run(&["ingest", &log, "samples/mcp/bad.jsonl", "--db", &db]).code, 0);
    let mut seen = 0;
    for format in ["json", "jsonl"] {
        seen += against("audit", &["audit", &db, "--format", format], &[0, 1]);
    }
    seen += against("query", &["query", &db, "select * from findings", "--format", "jsonl"], &[0]);
    for log in ["samples/mcp/bad.jsonl", "samples/incidents/b-server-dead.rec.jsonl", &log] {
        seen += against("tail", &["tail", log, "--until-finding", "--format", "jsonl"], &[0, 1]);
    }
    let program = env!("CARGO_BIN_EXE_rpctape");
    for log in ["samples/mcp/good.jsonl", "samples/mcp/bad.jsonl"] {
        for format in ["json", "jsonl"] {
            let mut replay = vec!["replay", log, "--speed", "fast", "--no-keep", "--format", format];
            replay.extend(["--", program, "mock", log]);
            seen += against("replay", &replay, &[0, 1]);
        }
    }
    let conform = ["conform", "--format", "json", "--", program, "mock", "samples/mcp/good.jsonl"];
    seen += against("conform", &conform, &[0, 1]);
    let recordings: Vec<String> = ["b-server-dead.rec.jsonl"].map(|name| format!("samples/incidents/{name}")).into();
    for recording in &recordings {
        seen += against("verify", &["verify", recording, "--format", "jsonl"], &[0, 1]);
    }
    assert!(seen >= 40, "{seen}");
}
