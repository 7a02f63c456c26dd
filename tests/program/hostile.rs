//! One log in which every text is hostile, through every output: nothing of it reaches the screen as it was.

mod fuzz;

use crate::common::{file, run, top};
use crate::hostile_log::{BAD, hostile_log};

fn is_hostile(c: char) -> bool {
    c != '\n'
        && (c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'))
}

#[test]
fn through_every_output() {
    let folder = tempfile::tempdir().expect("a folder");
    let name = if cfg!(windows) { "log.jsonl" } else { "l\u{1b}[31mo\u{202e}g.jsonl" };
    let log = file(folder.path(), name, hostile_log());
    let db = folder.path().join("kept.db").display().to_string();
    let rec = folder.path().join("copy.rec.jsonl").display().to_string();
    let scrubbed = folder.path().join("scrubbed.rec.jsonl").display().to_string();
    let extracted = folder.path().join("extracted.rec.jsonl").display().to_string();
    let everything = "select * from messages";
    let commands: Vec<Vec<&str>> = vec![
        vec!["check", &log],
        vec!["check", &log, "--no-group", "--ascii"],
        vec!["check", &log, "--format", "concise"],
        vec!["check", &log, "--format", "json"],
        vec!["check", &log, "--format", "jsonl"],
        vec!["check", &log, "--statistics"],
        vec!["ls", &log],
        vec!["ls", &log, "--format", "json"],
        vec![&log],
        vec!["show", &log],
        vec!["show", &log, "--raw"],
        vec!["why", &log, "--all"],
        vec!["why", &log, "--format", "json"],
        vec!["why", &log, BAD],
        vec!["why", &log, "--at", BAD],
        vec!["stats", &log],
        vec!["stats", &log, "--format", "json"],
        vec!["stats", &log, "--format", "csv"],
        vec!["show", &log, BAD],
        vec!["show", &log, "\u{1b}[31m17"],
        vec!["show", &log, "--connection", BAD],
        vec!["query", &log, everything],
        vec!["query", &log, everything, "--format", "csv"],
        vec!["query", &log, everything, "--format", "jsonl"],
        vec!["query", &log, "select * from cancellations"],
        vec!["query", &log, "select 1 as \"\u{1b}[31m\""],
        vec!["query", &log, "select \u{1b}[31m"],
        vec!["ingest", &log, "--db", &db],
        vec!["audit", &db],
        vec!["export", &log, "--as", "jsonl"],
        vec!["export", &log, "--as", "rec", "-o", &rec],
        vec!["check", &rec],
        vec!["export", &log, "--as", "csv"],
        vec!["export", &log, "--as", "csv", "--of", "exchanges"],
        vec!["export", &log, "--as", "csv", "--of", "findings"],
        vec!["export", &log, "--as", "mermaid"],
        vec!["export", &log, "--as", "mermaid", "--max", "3"],
        vec!["export", &log, "--as", "mermaid", "--connection", BAD],
        vec!["export", &log, "--as", "perfetto"],
        vec!["export", &log, "--as", "otlp"],
        vec!["check", &log, "--report", "sarif=-"],
        vec!["check", &log, "--report", "junit=-"],
        vec!["check", &log, "--report", "github=-"],
        vec!["check", &log, "--report", "md=-"],
        vec!["check", &log, "--report", "jsonl=-"],
        vec!["check", &log, "--report", "html=-"],
        vec!["why", &log, "--report", "html=-"],
        vec!["check", &log, "--report", "\u{1b}[31m=x"],
        vec!["baseline", &log],
        vec!["check", &log, "--config", "\u{1b}[31m.toml"],
        vec!["extract", &log, "7", "-o", &extracted],
        vec!["check", &extracted],
        vec!["extract", &log, BAD, "-o", &extracted],
        vec!["scrub", &rec, "-o", &scrubbed],
        vec!["check", &scrubbed],
        vec!["replay", &log, "--dry-run"],
        vec!["replay", &log, "--dry-run", "--explain-schedule", "--allow-all"],
        vec!["replay", &log, "--suggest"],
        vec!["replay", &log, "--dry-run", "--only", BAD],
        vec!["replay", &log, "--", "\u{1b}[31m/no/such/program"],
        vec!["mock", &log, "--connection", BAD],
        vec!["diff", &log, "samples/mcp/good.jsonl"],
        vec!["diff", "samples/mcp/good.jsonl", &log, "-v"],
        vec!["diff", &log, "samples/mcp/good.jsonl", "--format", "json"],
        vec!["diff", &log, "samples/mcp/good.jsonl", "--format", "jsonl"],
        vec!["diff", &log, "samples/mcp/good.jsonl", "--report", "md=-"],
        vec!["diff", &log, "samples/mcp/good.jsonl", "--report", "junit=-"],
        vec!["diff", &log, "samples/mcp/good.jsonl", "--report", "html=-"],
        vec!["diff", &log, &log, "--match", "\u{1b}[31m=regex:("],
        vec!["accept", &log, "--all", "--reason", BAD],
        vec!["record", "--http", "\u{1b}[31m"],
        vec!["explain", BAD],
        vec!["check", "\u{1b}[31m/no/such/file"],
        vec!["check", &log, "--select", BAD],
        vec![BAD],
    ];
    let mut shown = 0;
    for args in commands {
        let said = run(&args);
        for text in [&said.out, &said.err] {
            assert!(!text.contains(is_hostile), "{args:?}: {:?}", text.lines().find(|line| line.contains(is_hostile)));
            assert!(!text.lines().any(|line| line.starts_with("error[forged]")), "{args:?}: {text}");
            shown += usize::from(text.contains("forged"));
        }
        assert!(!said.err.contains("panicked"), "{args:?}: {}", said.err);
    }
    assert!(shown > 10, "hostile text is shown, not dropped: {shown}");
}

#[test]
fn a_page_has_no_script_but_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = file(folder.path(), "<script>x<!--.jsonl", hostile_log().replace("<script>", "</script><!--<script>"));
    let page = run(&["check", &log, "--report", "html=-"]).out;
    let blocks = page.matches("<script type=\"text/plain\"").count();
    assert_eq!(page.matches("<script").count(), blocks + 1, "data, and one script of our own");
    assert_eq!(page.matches("</script").count(), blocks + 1);
    assert!(!page.contains("<!--") && !page.contains("=cmd|'"), "text of the log is escaped");
    let head = page.find("Content-Security-Policy").expect("a policy");
    assert!(head < page.find("<style").expect("a style"), "the policy stands before what it judges");
    let policy = page[head..].split("content=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a policy");
    assert!(policy.starts_with("default-src 'none'; script-src 'sha256-") && !policy.contains("unsafe"), "{policy}");
    let elsewhere = ["src=\"", "href=\"http:", "url(", "@import", "style=\""];
    assert!(elsewhere.iter().all(|word| !page.split("<script>").next().is_some_and(|still| still.contains(word))));
}

#[test]
fn a_spreadsheet_gets_no_formula() {
    let sql = "select '=1+1' as a, '+1' as b, '-1' as c, '@x' as d, -1 as e, '=\"a,b\"' as f";
    let said = run(&["query", "samples/mcp/good.jsonl", sql, "--format", "csv"]);
    assert_eq!(said.out, "a,b,c,d,e,f\n'=1+1,'+1,'-1,'@x,-1,\"'=\"\"a,b\"\"\"\n");
}

/// What breaks the outputs that have markup of their own, in one tool name.
const MARKUP: &str =
    "a]]>&<b x='\"'>|`c` @team #12 ; end\u{1b}\u{fffe}\r\n::error::x --> %% [l](http://e.x) {0} </script>";

#[test]
fn nothing_breaks_out_of_a_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let name = serde_json::to_string(MARKUP).expect("a string");
    let mut text = std::fs::read_to_string(top().join("samples/faults/06-result-after-cancel.jsonl")).expect("it");
    // The tool that was called, and the reason of the cancel.
    let call = text.lines().find(|line| line.contains("tools/call") && line.contains("index_repo"));
    let call = call.expect("a call").to_string();
    let (_, rest) = call.split_once("\"name\":").expect("a name");
    let old = rest.split_inclusive('"').take(2).collect::<String>();
    text = text.replace(&format!("\"name\":{old}"), &format!("\"name\":{name}"));
    text = text.replace("\"reason\":\"", "\"reason\":\"SECRET ");
    let log = file(folder.path(), "log.jsonl", text);
    let report = |kind: &str| {
        let said = run(&["check", &log, "--report", &format!("{kind}=-")]);
        assert!(!said.out.contains(is_hostile), "{kind}: {:?}", said.out);
        assert!(!said.out.contains("SECRET"), "{kind}: {}", said.out);
        said.out
    };
    let sarif: serde_json::Value = serde_json::from_str(&report("sarif")).expect("JSON");
    assert_eq!(crate::sarif::errors(&sarif), [""; 0]);
    let junit = report("junit");
    let suites = quick_junit::Report::deserialize_from_str(&junit).expect("JUnit").test_suites;
    assert!(suites[0].tests > 40 && !junit.contains('\u{fffe}') && !junit.contains("<b "), "{junit}");
    assert!(report("github").lines().all(|line| !line.starts_with("::error::")));
    let md = report("md");
    assert!(md.contains("a&#93;&#93;") && !md.contains("<b ") && !md.contains("@team") && !md.contains(" #12"), "{md}");
    assert!(md.lines().filter(|line| line.starts_with("| ")).all(|line| line.matches('|').count() == 7), "{md}");
    let diagram = run(&["export", &log, "--as", "mermaid"]).out;
    let arrows = diagram.lines().skip(1).filter_map(|line| line.split_once(": ")).map(|(_, text)| text);
    for text in arrows {
        assert!(!text.contains([';', '<', '>', '%', '#', '"', '`', '[', '{']), "{text}");
        assert!(!text.split(' ').any(|word| word.eq_ignore_ascii_case("end")), "{text}");
    }
}

/// A name of several lines holds its secret on one of them; escaped, it is one line, in which nothing tells that.
/// What is left of a secret that was cut is none that can be found: names are cut when no secret is in them any more.
#[test]
fn secrets_in_names_that_are_cut_stay_behind() {
    let secret = "ghp_Qtool0123456789KLMNOPQRSTUVWXYZabcdef";
    let folder = tempfile::tempdir().expect("a folder");
    let line = |at: u32, dir: &str, msg: &str| {
        format!("{{\"ts\":\"2026-01-01T00:00:{at:02}Z\",\"dir\":\"{dir}\",\"msg\":{{\"jsonrpc\":\"2.0\",{msg}}}}}\n")
    };
    let call = |id: u32| format!("\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"{secret}\"}}");
    let text = [
        line(
            0,
            "c2s",
            "\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}",
        ),
        line(
            0,
            "s2c",
            "\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}",
        ),
        line(1, "c2s", &call(2)),
        line(2, "c2s", &call(3)),
        line(5, "c2s", "\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":3}"),
        line(40, "s2c", "\"id\":3,\"result\":{\"content\":[]}"),
        line(50, "c2s", "\"method\":\"notifications/initialized\""),
        "{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":\n".to_string(),
    ];
    let log = file(folder.path(), &format!("log-{secret}-with-a-long-name.jsonl"), text.concat());
    let page = folder.path().join("page.html").display().to_string();
    let html = format!("html={page}");
    let runs: [&[&str]; 7] = [
        &["why", &log, "--width", "140"],
        &["why", &log, "--width", "80"],
        &["why", &log, "--at", "00:00:03Z"],
        &["why", &log, "--all", "--format", "json"],
        &["check", &log, "--report", &html],
        &["replay", &log, "--dry-run", "--width", "100", "--", "x"],
        &["diff", &log, &log, "--width", "100"],
    ];
    for args in runs {
        let said = run(args);
        let read = [&secret[..12], &secret[secret.len() - 12..]];
        assert!(read.iter().all(|part| !said.out.contains(part)), "{args:?}: {}", said.out);
    }
    let page = std::fs::read_to_string(page).expect("a page");
    assert!(!page.contains(&secret[..12]), "{page}");
}

#[test]
fn secrets_in_names_of_several_lines_stay_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let name = r"- name: DB_PASSWORD\n  value: Tr0ub4dor3xQ\n";
    let call = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{name}"}}}}"#);
    let log =
        file(folder.path(), "log.jsonl", call + "\n" + r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"# + "\n");
    for flags in [vec!["--dry-run"], vec!["--dry-run", "--allow-all", "--explain-schedule"]] {
        let said = run(&[vec!["replay", &log], flags].concat());
        assert!(said.out.contains("DB_PASSWORD") && !said.out.contains("Tr0ub4dor3xQ"), "{}", said.out);
    }
}
