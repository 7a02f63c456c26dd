//! Several recordings as one run: what is played, in which order, what the one report says, and what a signal does.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::bench::example;
use super::{in_time, one_call, one_cancel, while_it_runs};
use crate::common::{Said, file, program, rpctape};

/// A folder of recordings, and the server that they are played against.
struct Suite {
    folder: tempfile::TempDir,
    script: Value,
}

impl Suite {
    fn new(script: Value) -> Suite {
        Suite { folder: tempfile::tempdir().expect("a folder"), script }
    }

    fn has(self, name: &str, text: &str) -> Suite {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        file(self.folder.path(), name, text);
        self
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    fn arguments(&self, words: &[&str]) -> Vec<String> {
        self.arguments_as(words, "jsonl")
    }

    fn arguments_as(&self, words: &[&str], format: &str) -> Vec<String> {
        let server = example("fixture-stdio").display().to_string();
        let usual = ["replay", "--allow-all", "--format", format];
        let given = usual.iter().chain(words).map(ToString::to_string);
        given.chain(["--".into(), server, "--log".into(), "server.log".into(), self.script.to_string()]).collect()
    }

    fn play(&self, words: &[&str]) -> (Said, Vec<Value>) {
        let said = self.said(self.arguments(words));
        let lines = lines(&said.out);
        (said, lines)
    }

    fn said(&self, arguments: Vec<String>) -> Said {
        let output = rpctape().current_dir(self.folder.path()).args(arguments).output().expect("it starts");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Said { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
    }
}

fn lines(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// The files and their verdicts, in the order of the report.
fn verdicts(lines: &[Value]) -> Vec<(&str, &str)> {
    let summaries = lines.iter().filter(|line| line["type"] == "summary");
    summaries.filter_map(|line| Some((line["recording"].as_str()?, line["verdict"].as_str()?))).collect()
}

/// One that this server answers otherwise.
fn changed() -> String {
    one_call().rec().replace(r#"\\\"x\\\":1}\"#, r#"\\\"x\\\":2}\"#)
}

#[test]
fn a_folder_is_one_run_with_one_report() {
    let suite = Suite::new(json!({}))
        .has("s/b.rec.jsonl", &changed())
        .has("s/a/x.rec.jsonl", &one_call().rec())
        .has("s/c.run.jsonl", &changed())
        .has("x.rec.jsonl", &one_call().rec());
    let reports = ["--report", "junit=out/x.xml", "--report", "md=out/x.md"];
    for jobs in ["1", "3"] {
        let (said, lines) =
            suite.play(&[&["s", "x.rec.jsonl", "s/b.rec.jsonl", "--jobs", jobs][..], &reports].concat());
        assert_eq!(said.code, 1, "{}{}", said.out, said.err);
        let names = ["s/a/x.rec.jsonl", "s/b.rec.jsonl", "x.rec.jsonl"];
        assert_eq!(verdicts(&lines), [(names[0], "pass"), (names[1], "fail"), (names[2], "pass")]);
        let whole = json!({"type": "suite", "v": 1, "files": 3, "pass": 2, "fail": 1, "inconclusive": 0, "error": 0, "exit": 1});
        assert_eq!(lines.last(), Some(&whole), "{}", said.out);
        let xml = suite.read("out/x.xml");
        let suites: Vec<&str> =
            xml.split("<testsuite name=\"").skip(1).filter_map(|part| part.split('"').next()).collect();
        assert_eq!(suites, names);
        assert!(suite.read("out/x.md").lines().take(12).any(|line| line.contains("a/x.rec.jsonl")), "files come first");
        let kept = std::fs::read_dir(suite.path("out")).expect("a folder").filter_map(Result::ok);
        let kept = kept.filter(|entry| entry.path().display().to_string().ends_with(".run.jsonl"));
        assert_eq!(kept.count(), 3, "live sessions have files of their own");
    }
}

/// A recording in two parts, of which the second begins with the answer to the last request.
fn in_parts(recording: &str) -> [String; 2] {
    let lines: Vec<&str> = recording.lines().collect();
    let answer = lines.iter().rposition(|line| line.contains(r#"\"result\":"#)).expect("an answer");
    let head = |part: u32| {
        let mut header: Value = serde_json::from_str(lines[0]).expect("a header");
        header["part"] = part.into();
        header.to_string()
    };
    let file = |part: u32, lines: &[&str]| format!("{}\n{}\n", head(part), lines.join("\n"));
    [file(1, &lines[1..answer]), file(2, &lines[answer..])]
}

#[test]
fn parts_of_a_recording_are_played_as_one_session() {
    for (text, verdict, code) in [(one_call().rec(), "pass", 0), (changed(), "fail", 1)] {
        let [one, two] = in_parts(&text);
        // Names tell nothing of their order.
        let suite = Suite::new(json!({})).has("s/b.rec.jsonl", &one).has("s/a.rec.jsonl", &two);
        for named in [&["s"][..], &["s/a.rec.jsonl", "s/b.rec.jsonl"]] {
            let (said, lines) = suite.play(named);
            assert_eq!((said.code, verdicts(&lines)), (code, vec![("s/b.rec.jsonl", verdict)]), "{}", said.err);
        }
        let (said, _) = suite.play(&["s", "--update=changed"]);
        assert!(said.code == 2, "{}", said.err);
        assert_eq!((suite.read("s/b.rec.jsonl"), suite.read("s/a.rec.jsonl")), (one, two));
    }
}

/// What a run is given as a secret is one in the answer of a suite, too, and in the reports beside it.
#[test]
fn a_suite_shows_no_secret() {
    let asks = r#"\"arguments\":{\"x\":1}"#;
    let secret = one_call().rec().replace(asks, r#"\"arguments\":{\"x\":\"<<secret:token#1>>\"}"#);
    assert!(secret.contains("secret:token"), "{secret}");
    let suite = Suite::new(json!({})).has("s/a.rec.jsonl", &secret).has("token", "hunter2hunter2");
    let reports = ["--report", "jsonl=x.jsonl", "--report", "junit=x.xml"];
    let (said, lines) = suite.play(&[&["s", "--secret", "token#1=file:token"][..], &reports].concat());
    assert_eq!((said.code, verdicts(&lines)), (1, vec![("s/a.rec.jsonl", "fail")]), "{}{}", said.out, said.err);
    let shown = suite.read("x.jsonl") + &suite.read("x.xml") + &said.out + &said.err;
    assert!(shown.contains("/x") && !shown.contains("hunter2"), "{shown}");
}

#[test]
fn a_report_is_no_recording_of_the_next_run() {
    let suite = Suite::new(json!({})).has("s/a.rec.jsonl", &one_call().rec());
    let (said, _) = suite.play(&["s", "--report", "junit=s/out.rec.jsonl"]);
    assert_eq!(said.code, 2, "{}{}", said.out, said.err);
    assert!(said.err.contains("s/out.rec.jsonl would be played by the next run"), "{}", said.err);
    assert!(!suite.path("s/out.rec.jsonl").exists());
    assert_eq!(suite.play(&["s", "--report", "junit=s/out.xml"]).0.code, 0, "no recording is called so");
}

#[test]
fn what_cannot_be_played_is_an_error_of_the_report_and_the_rest_is_played() {
    let suite = Suite::new(json!({}))
        .has("s/a.rec.jsonl", &one_call().rec())
        .has("s/broken.rec.jsonl", "{{{\n")
        .has("s/empty.rec.jsonl", "")
        .has("none/x.txt", "");
    let (said, lines) = suite.play(&["s", "gone.rec.jsonl", "--no-keep", "--report", "junit=x.xml"]);
    assert_eq!(said.code, 2, "{}", said.err);
    assert_eq!(
        (&lines.last().expect("a line")["error"], &lines.last().expect("a line")["pass"]),
        (&json!(3), &json!(1))
    );
    assert_eq!(suite.read("x.xml").matches("<error").count(), 3);
    assert_eq!(suite.play(&["none"]).0.code, 2, "a folder without recordings is no green run");
}

/// How the program ends.
#[cfg(target_os = "linux")]
fn ended(child: &mut std::process::Child) -> Option<i32> {
    in_time("the end of the program", || child.try_wait().expect("it can be waited for")).code()
}

#[test]
#[cfg(target_os = "linux")]
fn a_signal_ends_a_suite_with_a_report_of_what_was_played() {
    for jobs in ["1", "2"] {
        let suite = Suite::new(json!({}));
        let suite = ["b", "c", "d"].iter().fold(suite.has("s/a.rec.jsonl", &one_call().rec()), |suite, name| {
            suite.has(&format!("s/{name}.rec.jsonl"), &one_cancel().rec())
        });
        let words = ["s", "--jobs", jobs, "--linger", "10m", "--no-keep", "--report", "junit=x.xml"];
        let mut command = program();
        command.args(suite.arguments(&words)).current_dir(suite.folder.path());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
        // The first is played to its end, for which its server has seen the end of its input; another one is watched.
        while_it_runs(&mut child, "a cancel", || {
            let log = suite.read("server.log");
            log.contains("notifications/cancelled") && log.contains("\"eof\"")
        });
        assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().expect("a signal").success());
        let code = ended(&mut child);
        let mut out = String::new();
        std::io::Read::read_to_string(&mut child.stdout.take().expect("a pipe"), &mut out).expect("UTF-8");
        assert_eq!(code, Some(143), "{out}");
        let lines = lines(&out);
        let last = lines.last().expect("a line");
        assert_eq!((&last["type"], &last["exit"]), (&json!("suite"), &json!(143)), "{out}");
        assert!(verdicts(&lines).contains(&("s/a.rec.jsonl", "pass")), "{out}");
        assert!(Path::new(&suite.path("x.xml")).exists());
    }
}

/// Names are shortened in their middle, and what does not fit beside a name goes on under it.
#[test]
fn the_table_of_a_suite_fits_the_screen() {
    let long = "a-very-long-folder-of-the-team/another-name-that-tells-all-about-it/order-with-tax.rec.jsonl";
    let suite = Suite::new(json!({})).has(&format!("s/{long}"), &changed()).has("s/b.rec.jsonl", "no recording");
    let said = suite.said(suite.arguments_as(&["s", "--no-keep", "--width", "80"], "full"));
    assert_eq!(said.code, 2, "{}{}", said.out, said.err);
    assert!(said.out.contains("order-with-tax.rec.jsonl"), "{}", said.out);
    // What is to be copied is never broken.
    let wide: Vec<&str> =
        said.out.lines().filter(|line| line.chars().count() > 80 && !line.contains("rpctape replay")).collect();
    assert_eq!(wide, Vec::<&str>::new());
}

/// A request that differs in one recording of several is taken there; one that differs in none is an error, and nothing is written.
#[test]
fn requests_are_taken_where_they_differ() {
    let later = changed().replace(r#"\"id\":2,"#, r#"\"id\":7,"#);
    let suite = Suite::new(json!({})).has("s/a.rec.jsonl", &changed()).has("s/b.rec.jsonl", &later);
    let before = (suite.read("s/a.rec.jsonl"), suite.read("s/b.rec.jsonl"));
    let (said, _) = suite.play(&["s", "--update=2,99"]);
    assert_eq!((said.code, suite.read("s/a.rec.jsonl") == before.0), (2, true), "{}", said.err);
    let (said, _) = suite.play(&["s", "--update=7"]);
    assert_eq!((said.code, suite.read("s/a.rec.jsonl") == before.0), (1, true), "{}", said.err);
    assert_ne!(suite.read("s/b.rec.jsonl"), before.1, "{}", said.err);
    let (said, _) = suite.play(&["s", "--update=2"]);
    assert_eq!(said.code, 0, "{}", said.err);
}

/// Ctrl-C is no consent: what a broken-off run has found so far is not taken.
#[test]
#[cfg(target_os = "linux")]
fn an_interrupted_run_takes_nothing() {
    let text = changed();
    let cancelled = one_cancel().rec().replace(r#"\\\"x\\\":1}\"#, r#"\\\"x\\\":2}\"#);
    // Not answered by itself: on a busy machine the answer could come before the cancel is sent.
    let silent = json!({"handlers": [{"on": "tools/call:slow", "do": []}]});
    let suite = Suite::new(silent).has("s/a.rec.jsonl", &text).has("s/b.rec.jsonl", &cancelled);
    let mut command = program();
    command.args(suite.arguments(&["s", "--linger", "10m", "--update=changed"])).current_dir(suite.folder.path());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    while_it_runs(&mut child, "a cancel", || suite.read("server.log").contains("notifications/cancelled"));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("a signal").success());
    assert_eq!(ended(&mut child), Some(130));
    assert!(suite.read("s/a.rec.jsonl") == text && suite.read("s/b.rec.jsonl") == cancelled);
}

/// One that nobody has named is one all the same.
#[test]
fn what_is_for_one_recording_is_for_the_only_one_of_a_project() {
    let one = Suite::new(json!({})).has("rpctape/a.rec.jsonl", &one_call().rec());
    let (said, _) = one.play(&["--keep", "kept.jsonl"]);
    assert!(said.code == 0 && one.path("kept.jsonl").is_file(), "{}{}", said.out, said.err);
    let two = one.has("rpctape/b.rec.jsonl", &one_call().rec());
    let (said, _) = two.play(&["--keep", "kept.jsonl"]);
    assert!(said.code == 2 && said.err.contains("--keep is for one recording, and there are 2"), "{}", said.err);
}
