//! Reports and exports as other programs read them: SARIF against its schema, JUnit read back, fingerprints over two
//! captures of one session, and the same bytes whenever and wherever they are written.
#![allow(clippy::print_stdout, reason = "what was skipped is said aloud")]

use std::collections::BTreeSet;

use crate::common::{file, rpctape, run, top};
use crate::sarif::errors;
use serde_json::Value;

fn sarif(args: &[&str]) -> Value {
    let said = run(&[&["check", "--report", "sarif=-"], args].concat());
    let log: Value = serde_json::from_str(&said.out).expect("JSON and nothing else");
    let errors = errors(&log);
    assert!(errors.is_empty(), "{args:?}: {errors:#?}");
    log
}

fn results(log: &Value) -> &Vec<Value> {
    log["runs"][0]["results"].as_array().expect("results")
}

#[test]
fn sarif_is_valid_and_complete() {
    let clean = sarif(&["samples/mcp/good.jsonl"]);
    assert!(results(&clean).is_empty());
    let rules = clean["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules");
    assert!(rules.len() > 80 && rules.iter().all(|rule| !rule["help"]["text"].as_str().unwrap_or("").is_empty()));

    for folder in ["mcp", "acp", "lsp", "jsonrpc", "faults"] {
        let log = sarif(&[&format!("samples/{folder}")]);
        assert!(!results(&log).is_empty(), "{folder}");
        for result in results(&log) {
            let place = &result["locations"][0]["physicalLocation"];
            let uri = place["artifactLocation"]["uri"].as_str().expect("a path");
            assert!(top().join(uri).is_file(), "{uri}");
            assert!(place["region"]["startLine"].as_u64().is_some_and(|line| line > 0));
            let index = result["ruleIndex"].as_u64().expect("an index") as usize;
            assert_eq!(log["runs"][0]["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
        }
    }
    let late = sarif(&["samples/faults/06-result-after-cancel.jsonl"]);
    let roles: Vec<&Value> = results(&late)[0]["relatedLocations"]
        .as_array()
        .expect("places")
        .iter()
        .map(|it| &it["message"]["text"])
        .collect();
    assert_eq!(roles, ["request", "cancel"]);
    let flow = &results(&late)[0]["codeFlows"][0]["threadFlows"][0]["locations"];
    let steps: Vec<(&str, u64)> = flow
        .as_array()
        .expect("a flow")
        .iter()
        .map(|step| &step["location"])
        .map(|at| (at["message"]["text"].as_str(), at["physicalLocation"]["region"]["startLine"].as_u64()))
        .map(|(text, line)| (text.expect("a text"), line.expect("a line")))
        .collect();
    assert_eq!(steps, [("request by the client", 10), ("cancel by the client", 11), ("response by the server", 12)]);
}

#[test]
fn the_level_follows_the_gate_and_a_baseline_tells_old_from_new() {
    let levels = |args: &[&str]| -> BTreeSet<String> {
        let log = sarif(&[&["samples/faults/06-result-after-cancel.jsonl"], args].concat());
        results(&log).iter().map(|result| result["level"].as_str().expect("a level").to_string()).collect()
    };
    assert_eq!(levels(&[]), BTreeSet::from(["warning".to_string()]));
    assert_eq!(levels(&["--fail-on", "warning"]), BTreeSet::from(["error".to_string()]));
    assert_eq!(levels(&["--fail-on", "none"]), BTreeSet::from(["warning".to_string()]));

    let folder = tempfile::tempdir().expect("a folder");
    let known = folder.path().join("known.jsonl").display().to_string();
    let said = run(&["baseline", "samples/faults/06-result-after-cancel.jsonl", "-o", &known]);
    assert_eq!(said.code, 0, "{}", said.err);
    // Also where nobody asks to see it: what is left out was mended, to those who read the report.
    let log = sarif(&["samples/faults", "--baseline", &known]);
    let state = |result: &Value| result["baselineState"].as_str().expect("a state").to_string();
    let old: Vec<_> = results(&log).iter().filter(|result| state(result) == "unchanged").collect();
    assert!(old.len() == 1 && old[0]["ruleId"] == "CAN010", "{old:?}");
    assert_eq!(old[0]["suppressions"][0]["kind"], "external");
    assert!(results(&log).iter().all(|result| ["unchanged", "new"].contains(&state(result).as_str())));
}

#[test]
fn a_path_of_the_machine_stays_at_home() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = std::fs::read(top().join("samples/mcp/bad.jsonl")).expect("the sample");
    let log = file(folder.path(), "a b.jsonl", text);
    for kind in ["sarif", "junit", "github", "md"] {
        let said = run(&["check", &log, "--report", &format!("{kind}=-")]);
        assert!(!said.out.contains(folder.path().to_str().expect("UTF-8")), "{kind}: {}", said.out);
        assert!(said.out.contains("a%20b.jsonl") || said.out.contains("a b."), "{kind}: {}", said.out);
    }
}

#[test]
fn junit_is_read_back_as_it_was_meant() {
    let said = run(&["check", "samples/mcp", "--report", "junit=-"]);
    let report = quick_junit::Report::deserialize_from_str(&said.out).expect("JUnit");
    assert_eq!(report.test_suites.len(), 2);
    let failed: Vec<usize> = report.test_suites.iter().map(|suite| suite.failures).collect();
    assert!(failed[0] > 3 && failed[1] == 0, "{failed:?}");
    for suite in &report.test_suites {
        assert_eq!(suite.tests, suite.test_cases.len());
        assert!(suite.tests > 40, "every rule is a case: {}", suite.tests);
        let names: BTreeSet<&str> = suite.test_cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(names.len(), suite.tests);
    }
    assert_eq!(report.to_string().expect("XML"), said.out);
    let lenient = run(&["check", "samples/mcp", "--report", "junit=-", "--fail-on", "none"]);
    let lenient = quick_junit::Report::deserialize_from_str(&lenient.out).expect("JUnit");
    assert_eq!((lenient.failures, lenient.errors), (0, 0));
}

#[test]
fn junit_is_valid() {
    let schema = top().join("tests/support/junit.xsd");
    let folder = tempfile::tempdir().expect("a folder");
    let reports = ["mcp", "acp", "lsp", "jsonrpc", "faults", "incidents"].map(|samples| {
        let path = folder.path().join(format!("{samples}.xml"));
        run(&["check", &format!("samples/{samples}"), "--report", &format!("junit={}", path.display())]);
        path
    });
    let compared = folder.path().join("diff.xml");
    let flag = format!("junit={}", compared.display());
    run(&["diff", "samples/mcp/good.jsonl", "samples/mcp/bad.jsonl", "--report", &flag]);
    let mut xmllint = std::process::Command::new("xmllint");
    xmllint.arg("--noout").arg("--schema").arg(schema).args(&reports).arg(&compared);
    match xmllint.output() {
        Ok(output) => assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr)),
        Err(_) => println!("SKIPPED: xmllint is not installed; JUnit was not held against its schema"),
    }
}

#[test]
fn several_reports_in_one_run_and_never_over_an_input() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let log = file(folder.path(), "log.jsonl", std::fs::read(top().join("samples/mcp/bad.jsonl")).expect("it"));
    let db = path("kept.db");
    let kinds = ["sarif", "junit", "github", "md", "jsonl"];
    let flags: Vec<String> =
        kinds.iter().flat_map(|kind| ["--report".into(), format!("{kind}={}", path(kind))]).collect();
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let plain = run(&["check", &log, "--db", &db]);
    let said = run(&[&["check", &log], flags.as_slice()].concat());
    assert_eq!((said.code, &said.out), (plain.code, &plain.out), "{}", said.err);
    let written = kinds.map(|kind| std::fs::read_to_string(path(kind)).expect("written"));
    assert!(written.iter().all(|text| text.len() > 200));
    assert_eq!(written[4], run(&["check", &log, "--format", "jsonl"]).out);
    assert!(written[2].lines().any(|line| line.starts_with("::error file=log.jsonl,line=")));
    let again = run(&[&["audit", &db], flags.as_slice()].concat());
    assert_eq!(again.code, plain.code, "{}", again.err);
    assert_eq!(written, kinds.map(|kind| std::fs::read_to_string(path(kind)).expect("written")));

    for (args, error) in [
        (vec!["check", &log, "--report", &format!("md={log}")], "is one of the inputs"),
        (vec!["check", &log, "--report", "sarf=x"], "did you mean sarif?"),
        (vec!["check", &log, "--report", "md=-", "--report", "sarif=-"], "two answers would be written to -"),
        (vec!["check", &log, "--report", "md"], "KIND=FILE"),
    ] {
        let said = run(&args);
        assert!(said.code == 2 && said.err.contains(error), "{args:?}: {}", said.err);
    }
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 2 + kinds.len(), "no part is left");
}

/// The session of the sample, captured again: other times, other ids, other arguments and answers.
fn captured_again(text: &str) -> String {
    let mut again = String::from("\n");
    for line in text.lines() {
        let mut line = line.replace("2026-", "2027-").replace("invoices", "orders");
        for id in 0..=20 {
            for (before, after) in
                [("\"id\":", ","), ("\"id\":", "}"), ("\"requestId\":", ","), ("\"requestId\":", "}")]
            {
                let (number, other) = (id.to_string(), (id + 400).to_string());
                line = line.replace(&format!("{before}{number}{after}"), &format!("{before}{other}{after}"));
                line = line.replace(&format!("{before}\"{number}\""), &format!("{before}\"{other}\""));
            }
        }
        again.push_str(&line);
        again.push('\n');
    }
    again
}

fn fingerprints(log: &Value) -> BTreeSet<String> {
    let prints = results(log)
        .iter()
        .map(|result| format!("{} {}", result["ruleId"], result["partialFingerprints"]["rpctapeFinding/v1"]));
    prints.collect()
}

#[test]
fn a_new_capture_of_one_session_has_the_same_fingerprints() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = std::fs::read_to_string(top().join("samples/mcp/bad.jsonl")).expect("the sample");
    let again = captured_again(&text);
    assert!(!again.contains("\"id\":4,") && again.contains("\"id\":404,"), "{again}");
    let again = file(folder.path(), "again.jsonl", again);
    let (first, second) = (fingerprints(&sarif(&["samples/mcp/bad.jsonl"])), fingerprints(&sarif(&[&again])));
    assert!(first.len() > 5);
    assert_eq!(first, second);
}

#[test]
fn exports_for_other_programs() {
    let diagram = run(&["export", "samples/mcp/bad.jsonl", "--as", "mermaid"]);
    insta::assert_snapshot!("mermaid", diagram.out);
    let trace = run(&["export", "samples/mcp/bad.jsonl", "--as", "perfetto"]);
    let trace: Value = serde_json::from_str(&trace.out).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("events");
    let count = |phase: &str| events.iter().filter(|event| event["ph"] == phase).count();
    assert!(count("b") > 3 && count("b") == count("e"), "{} {}", count("b"), count("e"));
    assert!(count("i") > 2 && count("s") == count("f") && count("s") > 0);
    assert!(events.iter().any(|event| event["args"]["open"] == true));
    let csv = run(&["export", "samples/mcp/bad.jsonl", "--as", "csv"]);
    assert!(csv.out.starts_with("connection,id,source,line,"), "{}", csv.out);
    for table in ["exchanges", "findings"] {
        let csv = run(&["export", "samples/mcp/bad.jsonl", "--as", "csv", "--of", table]);
        assert!(csv.code == 0 && csv.out.lines().count() > 5, "{table}: {}", csv.err);
    }
    let folded = run(&["export", "samples/mcp/bad.jsonl", "--as", "mermaid", "--max", "4", "--around", "#4"]);
    assert!(folded.out.contains("messages folded") && folded.out.contains("4 tools/call"), "{}", folded.out);
    let several = run(&["export", "samples/mcp", "--as", "mermaid"]);
    assert!(several.code == 2 && several.err.contains("--connection"), "{}", several.err);
    let one = run(&["export", "samples/mcp", "--as", "mermaid", "--connection", "samples/mcp/bad.jsonl/1"]);
    assert_eq!((one.code, one.out), (0, diagram.out));
    assert_eq!(run(&["export", "samples/mcp", "--as", "jsonl", "--max", "4"]).code, 2);
}

#[test]
fn requests_become_spans_and_findings_log_records() {
    let said = run(&["export", "samples/mcp/bad.jsonl", "--as", "otlp"]);
    let lines: Vec<Value> = said.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let spans = lines[0]["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().expect("spans");
    let logs = lines[1]["resourceLogs"][0]["scopeLogs"][0]["logRecords"].as_array().expect("records");
    let attribute = |of: &Value, key: &str| {
        let all = of["attributes"].as_array().expect("attributes");
        all.iter().find(|one| one["key"] == key).map(|one| one["value"]["stringValue"].clone())
    };
    let hex = |value: &Value, digits: usize| {
        value.as_str().is_some_and(|id| id.len() == digits && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
    };
    for span in spans {
        assert!(hex(&span["traceId"], 32) && hex(&span["spanId"], 16), "{span}");
        let at = |key: &str| span[key].as_str().and_then(|at| at.parse::<u64>().ok()).expect("nanoseconds");
        assert!(at("startTimeUnixNano") > 0 && at("startTimeUnixNano") <= at("endTimeUnixNano"));
        assert!(attribute(span, "mcp.method.name").is_some(), "{span}");
    }
    let search = spans.iter().find(|span| span["name"] == "tools/call search").expect("a span");
    assert_eq!(attribute(search, "gen_ai.tool.name"), Some("search".into()));
    let late = spans.iter().find(|span| attribute(span, "jsonrpc.request.id") == Some("4".into())).expect("a span");
    let events: Vec<&Value> = late["events"].as_array().expect("events").iter().map(|event| &event["name"]).collect();
    assert_eq!(events, ["rpctape.cancel", "rpctape.answer_after_cancel"]);
    let finding = logs.iter().find(|log| attribute(log, "rpctape.code") == Some("CAN010".into())).expect("a record");
    assert_eq!((&finding["spanId"], &finding["severityText"]), (&late["spanId"], &"WARN".into()));
    let failed = run(&["export", "samples/lsp/bad.jsonl", "--as", "otlp"]);
    assert!(
        failed.out.contains("\"status\":{\"code\":2}") && failed.out.contains("\"rpc.system.name\""),
        "{}",
        failed.out
    );
}

/// A line of OTLP is about one connection and has 500 spans at most, however the connections of a log mix; none is lost.
#[test]
fn lines_of_spans_are_whole_where_connections_mix() {
    let line = |at: u32, way: &str, session: u32, message: String| {
        let ts = format!("2026-03-02T00:{:02}:{:02}.{:03}Z", at / 60_000, at / 1_000 % 60, at % 1_000);
        format!(
            "{{\"ts\":\"{ts}\",\"dir\":\"{way}\",\"session\":\"s{session}\",\"msg\":{{\"jsonrpc\":\"2.0\",{message}}}}}\n"
        )
    };
    let calls: String = (1..=600u32)
        .flat_map(|id| (0..3).map(move |session| (id, session)))
        .map(|(id, session)| {
            let call = format!(r#""id":{id},"method":"tools/call","params":{{"name":"a"}}"#);
            let answer = format!(r#""id":{id},"result":{{"content":[]}}"#);
            line(id * 10, "c2s", session, call) + &line(id * 10 + 5, "s2c", session, answer)
        })
        .collect();
    let folder = tempfile::tempdir().expect("a folder");
    let said = run(&["export", &file(folder.path(), "mixed.jsonl", calls), "--as", "otlp"]);
    let lines: Vec<Value> = said.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let spans: Vec<usize> = lines
        .iter()
        .filter_map(|line| line["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().map(Vec::len))
        .collect();
    assert_eq!(spans, [500, 500, 500, 100, 100, 100], "{}", said.err);
}

#[test]
fn the_same_bytes_at_any_time_in_any_zone() {
    let folder = "samples/faults";
    let bad = "samples/mcp/bad.jsonl";
    let commands: Vec<Vec<String>> = ["sarif", "junit", "github", "md", "jsonl", "html"]
        .iter()
        .map(|kind| vec!["check".into(), folder.into(), "--report".into(), format!("{kind}=-")])
        .chain(
            ["full", "concise", "json", "jsonl"]
                .iter()
                .map(|format| vec!["check".into(), folder.into(), "--format".into(), (*format).to_string()]),
        )
        .chain(
            ["rec", "jsonl", "csv", "mermaid", "perfetto", "otlp"]
                .iter()
                .map(|kind| vec!["export".into(), bad.into(), "--as".into(), (*kind).to_string()]),
        )
        .collect();
    for args in commands {
        let said = |zone: &str| rpctape().env("TZ", zone).args(&args).output().expect("it starts").stdout;
        let first = said("America/St_Johns");
        assert!(!first.is_empty(), "{args:?}");
        assert_eq!(first, said("Asia/Kathmandu"), "{args:?}");
    }
}

/// The data blocks of a page, unpacked: the core, and the texts.
fn blocks(page: &str) -> Vec<Value> {
    use base64::Engine;
    let packed = page.split("<script type=\"text/plain\" id=").skip(1);
    let texts = packed.map(|rest| rest.split(['>', '<']).nth(1).expect("a block"));
    let unpacked = texts.map(|text| {
        let bytes = base64::engine::general_purpose::STANDARD.decode(text).expect("base64");
        serde_json::from_reader(flate2::read::DeflateDecoder::new(&bytes[..])).expect("deflated JSON")
    });
    unpacked.collect()
}

#[test]
fn a_page_holds_what_the_log_holds_and_no_secret() {
    let folder = tempfile::tempdir().expect("a folder");
    for sample in ["samples/mcp/bad.jsonl", "samples/acp/bad.jsonl", "samples/lsp/good.jsonl", "samples/incidents"] {
        let said = run(&["check", sample, "--report", "html=-", "--fail-on", "none"]);
        let jsonl = run(&["check", sample, "--format", "jsonl", "--fail-on", "none"]).out;
        let summary: Value = serde_json::from_str(jsonl.lines().last().expect("a summary")).expect("JSON");
        let page = blocks(&said.out);
        let core = &page[0];
        assert_eq!(core["f"].as_array().map(Vec::len), summary["counts"]["findings"].as_u64().map(|n| n as usize));
        assert_eq!(core["x"]["id"].as_array().map(Vec::len), summary["requests"].as_u64().map(|n| n as usize));
        let rows = core["m"]["line"].as_array().map_or(0, Vec::len);
        let texts: usize = page[1..].iter().map(|block| block.as_array().map_or(0, Vec::len)).sum();
        assert!(rows as u64 >= summary["messages"].as_u64().expect("a count") && rows == texts, "{sample}");
        let told = said.out.matches("<li id=\"finding-").count() as u64;
        assert_eq!(Some(told), summary["counts"]["findings"].as_u64(), "{sample}: without a script, too");
    }
    let token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let text = std::fs::read_to_string(top().join("samples/faults/06-result-after-cancel.jsonl")).expect("it");
    // In a text, and in a name, which the page lists by itself.
    let text = text.replace("\"reason\":\"", &format!("\"reason\":\"{token} "));
    let text = text.replacen("\"tools/call\"", &format!("\"tools/{token}\""), 1);
    assert_eq!(text.matches(token).count(), 2);
    let log = file(folder.path(), "log.jsonl", text);
    let holds = |args: &[&str]| {
        let out = run(&[&["check", &log, "--report", "html=-"], args].concat()).out;
        out.contains(token) || blocks(&out).iter().any(|block| block.to_string().contains(token))
    };
    assert!(!holds(&[]) && holds(&["--redact", "off"]));
}

/// The name of a log goes with the page to whoever it is sent to, in the table of the messages and where the page opens, too.
#[test]
fn a_page_holds_no_secret_of_the_name_of_its_log() {
    let token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let folder = tempfile::tempdir().expect("a folder");
    let text = std::fs::read_to_string(top().join("samples/incidents/a-cycle.jsonl")).expect("it");
    let log = file(folder.path(), &format!("run-{token}.jsonl"), text);
    let holds = |page: &str| page.contains(token) || blocks(page).iter().any(|data| data.to_string().contains(token));
    let checked = |redact: &str| run(&["check", &log, "--report", "html=-", "--redact", redact]).out;
    assert!(!holds(&checked("default")) && holds(&checked("off")));
    for (what, place) in [("#17", "request-%2317%40"), (&format!("tool_{token}"), "filter-tool_%3C%3Csecret")] {
        let path = file(folder.path(), "page.html", "");
        let said = run(&["open", &log, what, "-o", &path]);
        let page = std::fs::read_to_string(&path).expect("a page");
        assert!(page.contains(&format!("<meta name=\"at\" content=\"{place}")), "{what}: {}", said.err);
        assert!(!holds(&page), "{what}");
    }
}

#[test]
fn a_page_is_written_beside_the_answer_and_never_over_what_is_not_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = file(folder.path(), "a.jsonl", std::fs::read(top().join("samples/incidents/a-cycle.jsonl")).expect("it"));
    let open = || rpctape().current_dir(folder.path()).args(["open", &log, "#17"]).output().expect("it starts");
    let said = open();
    let page = folder.path().join("a.jsonl.rpctape.html");
    let address = format!("file://{}", page.canonicalize().expect("a page").display());
    assert_eq!(String::from_utf8_lossy(&said.stdout), format!("a.jsonl.rpctape.html\n{address}\n"));
    let first = std::fs::read_to_string(&page).expect("a page");
    assert!(first.contains("<meta name=\"at\" content=\"request-%2317%40"), "it opens at the request");
    assert!(open().status.success() && std::fs::read_to_string(&page).expect("a page") == first);
    std::fs::write(&page, "mine").expect("writes");
    assert_eq!(open().status.code(), Some(2));
    let beside = folder.path().join("why.html").display().to_string();
    let said = run(&["why", &log, "--report", &format!("html={beside}")]);
    assert!(said.out.contains("MOST LIKELY") && said.code == 0);
    assert!(std::fs::read_to_string(beside).expect("a page").contains("most likely"));
}

#[test]
fn a_comparison_is_a_page_without_a_script() {
    let (old, new) = ("samples/incidents/c-head-of-line.jsonl", "samples/incidents/c-head-of-line-answered.jsonl");
    let said = run(&["diff", old, new, "--report", "html=-"]);
    assert!(said.out.starts_with("<!DOCTYPE html>") && said.out.contains("script-src 'none'"), "{}", said.err);
    assert!(!said.out.contains("<script") && said.out.contains("<tr class=\"fails\">") == (said.code == 1));
    let rows = said.out.matches("aria-label=\"recorded ").count();
    let lines = run(&["diff", old, new, "--format", "jsonl"]).out;
    assert_eq!(rows, lines.lines().filter(|line| line.contains("\"type\":\"exchange\"")).count());
}

/// The name of a connection that looks like a secret is replaced in every report, and its findings stay its own.
#[test]
fn a_connection_that_is_called_like_a_secret_keeps_its_findings() {
    let token = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let line = |dir: &str, message: &str| {
        format!("{{\"dir\":\"{dir}\",\"session\":\"{token}\",\"msg\":{{\"jsonrpc\":\"2.0\",{message}}}}}\n")
    };
    let answer = |count: u32| line("s2c", &format!(r#""id":1,"result":{{"tools":[],"count":{count}}}"#));
    let text = line("c2s", r#""id":1,"method":"tools/list""#) + &answer(1) + &answer(2);
    let folder = tempfile::tempdir().expect("a folder");
    let log = file(folder.path(), "log.jsonl", text);
    let said = run(&["check", &log, "--report", "junit=-", "--select", "RPC008"]);
    assert!(
        said.out.contains(r#"<testsuite name="&lt;&lt;secret:"#) && said.out.contains(r#"failures="1""#),
        "{}",
        said.out
    );
    assert!(!said.out.contains(token));
}

/// What coverage calls not decidable is no test that passes.
#[test]
fn junit_skips_what_only_coverage_shows_to_be_undecidable() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}}\n";
    let log = file(folder.path(), "s.jsonl", line);
    let said = run(&["check", &log, "--report", "junit=-"]);
    assert!(said.out.contains("not decidable: lacks the beginning of the connection"), "{}", said.out);
}
