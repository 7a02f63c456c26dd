//! One question of a small log each.
//!
//! `run` is the command; `must` and `must_not` are checks: `finding`, `no_finding`, `text`, `same_line`, `exit`, `sql` with `rows`,
//! `summary`, `any`. `check_out`: what the command writes is a log, and the findings are those of it. `run_fifo`: every
//! file is given as a named pipe, or (`"fd"`) as the shell's `<(...)`. `same_as`: another command that says the same.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use regex::Regex;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;

use super::{Said, call, folder, objects, rpctape};

/// What does not hold of a case, in words.
pub fn wrong(name: &str, spec: &Value) -> Vec<String> {
    let case = Case { folder: folder("truth").join("cases").join(name), spec };
    let run = case.run();
    if run.code.is_none() {
        return vec!["it was killed, or took too long".to_string()];
    }
    let checks = |key: &str| spec[key].as_array().cloned().unwrap_or_default();
    let mut said = Vec::new();
    for check in checks("must").iter().filter(|check| !case.holds(check, &run)) {
        said.push(format!("must: {check}"));
    }
    for check in checks("must_not").iter().filter(|check| case.holds(check, &run)) {
        said.push(format!("must not: {check}"));
    }
    if let Some(other) = strings(&spec["same_as"]) {
        let other = call(rpctape(), &other, &case.folder, None);
        if (other.code, tally(&other.out)) != (run.code, tally(&run.out)) {
            said.push(format!(
                "it ends with {:?}, the file itself with {:?}, or finds something else",
                run.code, other.code
            ));
        }
    }
    said
}

struct Case<'a> {
    folder: PathBuf,
    spec: &'a Value,
}

impl Case<'_> {
    fn args(&self) -> Vec<String> {
        strings(&self.spec["run"]).expect("a case has a command")
    }

    /// The files among the arguments.
    fn files(&self) -> Vec<String> {
        let is_file = |arg: &String| arg == "." || self.folder.join(arg).is_file();
        self.args().into_iter().skip(1).filter(is_file).collect()
    }

    fn run(&self) -> Said {
        self.given(&self.args())
    }

    /// Runs a command with its files, or with pipes in their place.
    fn given(&self, args: &[String]) -> Said {
        if self.spec["run_fifo"].is_null() {
            return call(rpctape(), args, &self.folder, None);
        }
        let is_shell = self.spec["run_fifo"] == "fd";
        let pipes = tempfile::tempdir().expect("a folder");
        let (mut before, mut words) = (String::new(), vec![rpctape().to_string()]);
        for (at, arg) in args.iter().enumerate() {
            let is_file = self.files().contains(arg);
            let pipe = pipes.path().join(at.to_string()).display().to_string();
            words.push(match (is_file, is_shell) {
                (false, _) => format!("'{arg}'"),
                (true, true) => format!("<(cat '{arg}')"),
                (true, false) => {
                    before.push_str(&format!("mkfifo '{pipe}'; cat '{arg}' >'{pipe}' 2>/dev/null & "));
                    pipe
                }
            });
        }
        // A pipe that nobody reads would keep its writer for ever.
        let script = format!("{before}{}; code=$?; kill $(jobs -p) 2>/dev/null; exit $code", words.join(" "));
        call("bash", &["-c".to_string(), script], &self.folder, None)
    }

    /// The objects that `check` says of the log: of the command itself where it is one, or of what it wrote.
    fn checked(&self, run: &Said) -> Vec<Value> {
        let args = self.args();
        let check = |more: &[&str]| {
            [&["check", "--format", "jsonl"], more].concat().iter().map(|arg| arg.to_string()).collect::<Vec<_>>()
        };
        if self.spec["check_out"] == true {
            return objects(&call(rpctape(), &check(&["-"]), &self.folder, Some(&run.out)).out);
        }
        if args[0] == "check" && args.iter().any(|arg| arg == "jsonl") {
            return objects(&run.out);
        }
        let files = self.files();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        objects(&self.given(&check(&files)).out)
    }

    fn holds(&self, check: &Value, run: &Said) -> bool {
        let text = || format!("{}\n{}", run.out, run.err);
        let findings =
            || self.checked(run).into_iter().filter(|object| object["type"] == "finding").collect::<Vec<_>>();
        if let Some(any) = check["any"].as_array() {
            any.iter().any(|check| self.holds(check, run))
        } else if check["finding"].is_object() {
            findings().iter().any(|finding| fits(finding, &check["finding"]))
        } else if check["no_finding"].is_object() {
            !findings().iter().any(|finding| fits(finding, &check["no_finding"]))
        } else if let Some(wanted) = check["summary"].as_object() {
            let all = self.checked(run);
            let summary = all.iter().find(|object| object["type"] == "summary");
            summary.is_some_and(|summary| wanted.iter().all(|(path, want)| is(summary, path, want)))
        } else if let Some(sql) = check["sql"].as_str() {
            self.rows(sql).is_some_and(|rows| Value::from(rows) == check["rows"])
        } else if let Some(code) = check["exit"].as_i64() {
            run.code.map(i64::from) == Some(code)
        } else if let Some(pattern) = check["text"].as_str() {
            Regex::new(&format!("(?m){pattern}")).expect("a pattern").is_match(&text())
        } else {
            let patterns = strings(&check["same_line"]).unwrap_or_else(|| panic!("there is no such check: {check}"));
            let patterns: Vec<Regex> = patterns.iter().map(|pattern| Regex::new(pattern).expect("a pattern")).collect();
            text().lines().any(|line| patterns.iter().all(|pattern| pattern.is_match(line)))
        }
    }

    /// The rows of a query over the files of the command; `None` where it cannot be answered.
    fn rows(&self, sql: &str) -> Option<Vec<Value>> {
        let mut args: Vec<String> = ["query", "--format", "jsonl"].map(String::from).to_vec();
        args.extend(self.files());
        args.push(sql.to_string());
        let said = call(rpctape(), &args, &self.folder, None);
        let rows = said.out.lines().filter(|line| line.starts_with('{'));
        let values = |row: &str| serde_json::from_str(row).map(|Row(values)| Value::from(values)).ok();
        let is_row = |row: &&str| !row.starts_with("{\"type\":\"summary\"");
        (said.code == Some(0)).then(|| rows.filter(is_row).filter_map(values).collect())
    }
}

/// The values of a row, in the order of its columns: a map would sort them.
struct Row(Vec<Value>);

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Row, D::Error> {
        deserializer.deserialize_map(Members)
    }
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Row;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a row")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Row, A::Error> {
        let mut row = Vec::new();
        while let Some((_, value)) = members.next_entry::<String, Value>()? {
            row.push(value);
        }
        Ok(Row(row))
    }
}

fn strings(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|item| item.as_str().map(String::from)).collect()
}

/// True if a member (dots go down) has a value; `">0"` is more than nothing.
fn is(object: &Value, path: &str, want: &Value) -> bool {
    let value = path.split('.').fold(object, |value, key| &value[key]);
    match want.as_str() {
        Some(">0") => value.as_u64().is_some_and(|n| n > 0) || value.as_array().is_some_and(|list| !list.is_empty()),
        _ => value == want,
    }
}

fn fits(finding: &Value, want: &Value) -> bool {
    let members = want.as_object().into_iter().flatten();
    members.into_iter().all(|(key, want)| match (key.as_str(), want) {
        ("evidence", line) => finding["evidence"].as_array().into_iter().flatten().any(|item| item["line"] == *line),
        ("code", Value::String(code)) => finding["code"].as_str().is_some_and(|found| found.starts_with(code.as_str())),
        (key, Value::Array(any)) => any.contains(&finding[key]),
        (key, want) => finding[key] == *want,
    })
}

/// How often each code was found with each certainty; notes on the capture itself are left out.
fn tally(out: &str) -> BTreeMap<(String, String), usize> {
    let mut tally = BTreeMap::new();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    for finding in objects(out).iter().filter(|object| object["type"] == "finding") {
        if !text(&finding["code"]).starts_with("CAP") {
            *tally.entry((text(&finding["code"]), text(&finding["certainty"]))).or_default() += 1;
        }
    }
    tally
}
