use super::read::config;
use super::*;
use rpctape::replay::options::{Matcher, Speed};

const GOOD: &str = r#"
[audit]
fail-on = "warning"
select = ["ALL"]
ignore = ["progress-not-increasing", "CAP"]
stuck-after = "45s"
race-slack = "20ms"
race-factor = 3

[audit.rule."response-after-cancel"]
severity = "error"

[[suppress]]
rule = "response-after-cancel"
method = "tools/call"
name = "legacy_search"
reason = "vendor bug ACME-112"
until = 2027-01-31

[[suppress]]
rule = "CAN011"
connection = "a.jsonl/1"
reason = "the same"
until = "2027-02-28"

[redact]
set = "default"
keys = ["tenant_key"]
values = ["ACME-[0-9]{6}"]

[replay]
speed = "x2"
max-idle = "0"
allow = ["tools/call:read_*"]
ignore = "/result/_meta"
set-list = ["/result/items by /id"]
fail-on = ["stuck", "violates-any"]

[[replay.match]]
at = "/result/total"
kind = "1%"

[[replay.flow]]
from = "create /result/id"
to = "get  /params/arguments/id"

[[replay.capture]]
from = "a /result"
to = "b /params/x"
"#;

#[test]
fn every_key_is_read() {
    let read = config(GOOD, "rpctape.toml").expect("it is good");
    assert_eq!(read.fail_on, Some(FailOn::Warning));
    assert_eq!(read.ignore.as_deref(), Some(&["progress-not-increasing".to_string(), "CAP".to_string()][..]));
    assert_eq!((read.stuck_after, read.slack, read.factor), (Some(45_000_000), Some(20_000), Some(3.0)));
    assert_eq!(read.severities.get("CAN010"), Some(&Severity::Error));
    let [first, second] = &read.suppressions[..] else { panic!("{:?}", read.suppressions) };
    assert_eq!((first.code.as_str(), first.until.to_string().as_str()), ("CAN010", "2027-01-31"));
    assert_eq!((first.place.as_str(), second.place.as_str()), ("rpctape.toml:13", "rpctape.toml:20"));
    assert_eq!(second.connection.as_deref(), Some("a.jsonl/1"));
    assert_eq!(read.secrets.keys, ["tenant_key"]);
    let replay = &read.replay;
    assert_eq!((replay.speed, replay.max_idle), (Some(Speed::Times(2.0)), Some(None)));
    assert_eq!((replay.ignore.len(), replay.sets.len(), replay.fail_on.as_ref().map(Vec::len)), (1, 1, Some(2)));
    assert_eq!(replay.matches, [("/result/total".to_string(), Matcher::Relative(0.01))]);
    let flows: Vec<_> = replay.flows.iter().map(|flow| (flow.from.as_str(), flow.to_at.as_str())).collect();
    assert_eq!(flows, [("create", "/params/arguments/id"), ("a", "/params/x")]);
}

#[test]
fn what_is_wrong_is_named_with_its_line_and_the_nearest_word() {
    let cases = [
        ("[audit]\nfail-onn = \"error\"", "c:2: ", "did you mean fail-on?"),
        ("[adit]\n", "c:1: ", "did you mean audit?"),
        ("[audit]\n\nselect = [\"CAN\",\n \"respons-after-cancel\"]", "c:4: ", "did you mean response-after-cancel?"),
        ("[audit]\nfail-on = \"errors\"", "c:2: ", "did you mean error?"),
        ("[audit]\nfail-on = 3", "c:2: ", ""),
        ("[audit]\nstuck-after = \"30\"", "c:2: stuck-after", ""),
        ("[audit]\nrace-factor = -1", "c:2: race-factor", ""),
        ("[audit.rule.\"nonsense\"]\nseverity = \"error\"", "c:1: ", ""),
        ("[[suppress]]\nrule = \"CAN010\"\nuntil = 2027-01-01", "c:1: this [[suppress]] has no reason", ""),
        ("[[suppress]]\nrule = \"CAN010\"\nreason = \"x\"", "c:1: this [[suppress]] has no until", ""),
        ("[[suppress]]\nrule = \"CAN010\"\nreason = \"x\"\nuntil = \"soon\"", "c:4: until", ""),
        ("[suppress]\nrule = \"CAN010\"", "c:1: suppress is a list", ""),
        ("[redact]\nvalues = [\"(\"]", "c:2: values", ""),
        ("[redact]\npaths = [\"params/pin\"]", "c:2: paths: `params/pin` is no JSON pointer", ""),
        ("[replay]\nspeed = \"quick\"", "c:2: speed", ""),
        ("[replay]\nalow = []", "c:2: ", "did you mean allow?"),
        ("[replay]\nfail-on = \"+slower,-stuk\"", "c:2: fail-on: there is no verdict stuk; did you mean stuck?", ""),
        ("[replay]\nfail-on = \"stuk\"", "c:2: fail-on: there is no verdict stuk; did you mean stuck?", ""),
        ("[replay.match]\nat = \"/x\"", "c:1: match is a list", ""),
        ("[[replay.match]]\nat = \"/x\"", "c:1: this [[replay.match]] has no kind", ""),
        ("[[replay.match]]\nat = \"x\"\nkind = \"uuid\"", "c:2: match: `x` is no JSON pointer", ""),
        ("[[replay.ignore]]\nat = \"/x\"\nfor = \" \"", "c:1: ignore: for: an empty text", ""),
        ("[replay]\nallow = [\n\"\"]", "c:3: allow: an empty text", ""),
        ("[[replay.flow]]\nfrom = \"create\"\nto = \"get /x\"", "c:2: write a method", ""),
        (
            "[[replay.flow]]\nfrom = \"a /b -> /c\"\nto = \"get /x -> /y\"",
            "c:3: a value is put in the place of another",
            "",
        ),
        ("[audit\n", "c:1: ", "TOML"),
    ];
    for (text, place, hint) in cases {
        let error = config(text, "c").expect_err(text);
        assert!(error.message.starts_with(place), "{text}: {}", error.message);
        assert!(error.hint.as_deref().unwrap_or_default().contains(hint), "{text}: {:?}", error.hint);
    }
}

#[test]
fn the_nearest_file_on_the_way_up_is_taken() {
    let top = tempfile::tempdir().expect("a folder");
    let below = top.path().join("a/b");
    std::fs::create_dir_all(&below).expect("folders");
    assert_eq!(find(&below).filter(|(_, path)| path.starts_with(top.path())), None);
    let hidden = top.path().join(".rpctape.toml");
    std::fs::write(&hidden, "").expect("a file");
    assert_eq!(find(&below), Some((top.path().to_path_buf(), hidden)));
    let nearer = top.path().join("a/rpctape.toml");
    std::fs::write(&nearer, "").expect("a file");
    assert_eq!(find(&below), Some((top.path().join("a"), nearer)));
}

#[test]
fn the_file_that_init_writes_is_good_and_changes_nothing() {
    let text = crate::cli::commands::init::TEMPLATE;
    let read = config(text, "rpctape.toml").expect("it is good");
    assert!(read.suppressions.is_empty() && read.severities.is_empty());
    let all: String = text.lines().map(|line| format!("{}\n", line.strip_prefix("#: ").unwrap_or(line))).collect();
    let read = config(&all, "rpctape.toml").expect("what is commented out is good too");
    assert_eq!(read.suppressions.len(), 1);
}

/// What is said of a file that was found, and what is left of it.
fn narrowed(text: &str, foreign: bool, uses: Uses) -> (Vec<String>, Config) {
    let mut read = config(text, "up/rpctape.toml").expect("it is good");
    read.found = Some(FileFound { name: "up/rpctape.toml".to_string(), foreign });
    (read.narrow(uses), read)
}

#[test]
fn a_found_file_is_named_by_what_goes_by_it() {
    let cases = [
        ("[audit]\nignore = [\"ALL\"]", [true, false, false, true]),
        ("[audit]\nrace-slack = \"1h\"", [true, true, false, true]),
        ("[redact]\nkeys = [\"own\"]", [true, true, true, true]),
        ("[replay]\nspeed = \"fast\"", [false, false, false, true]),
        ("[audit]\n[replay]\n[redact]\nset = \"default\"", [false; 4]),
    ];
    for (text, named) in cases {
        for (uses, named) in [Uses::Judging, Uses::Bounds, Uses::Showing, Uses::Comparing].into_iter().zip(named) {
            let (said, _) = narrowed(text, false, uses);
            assert_eq!(
                said,
                if named { vec!["settings are those of up/rpctape.toml"] } else { vec![] },
                "{text} {uses:?}"
            );
        }
    }
}

#[test]
fn what_was_found_shows_no_secrets_and_sends_nothing_more() {
    let text = "[redact]\nset = \"off\"\nkeys = [\"own\"]\n[replay]\nallow = [\"tools/call\"]\nspeed = \"fast\"";
    let (said, left) = narrowed(text, false, Uses::Playing);
    assert_eq!((left.redact, left.secrets.keys.len(), left.replay.allow.len()), (None, 1, 0));
    assert!(left.replay.speed.is_some() && said.len() == 3, "{said:?}");
    assert!(said[1].contains("[redact] set is not used") && said[1].contains("--config up/rpctape.toml"), "{said:?}");
    let (said, _) = narrowed(text, false, Uses::Showing);
    assert!(said.len() == 2 && said[1].ends_with("--redact off says it"), "{said:?}");
    // It was named.
    let mut read = config(text, "own.toml").expect("it is good");
    assert!(read.narrow(Uses::Playing).is_empty());
    assert_eq!((read.redact, read.replay.allow.len()), (Some(false), 1));
}

#[test]
fn another_users_file_takes_nothing_away() {
    let (said, left) = narrowed(GOOD, true, Uses::Judging);
    assert!(left.ignore.is_none() && left.select.is_none() && left.fail_on.is_none() && left.severities.is_empty());
    assert!(left.suppressions.is_empty() && left.slack.is_none() && left.replay.matches.is_empty());
    assert_eq!(left.secrets.keys, ["tenant_key"]);
    assert_eq!(said[0], "settings are those of up/rpctape.toml");
    assert!(
        said[1].starts_with("its [audit], [[suppress]] are not used, because the file belongs to another"),
        "{said:?}"
    );
    let (said, _) = narrowed("[replay]\ncommand = [\"evil\"]", true, Uses::Playing);
    assert!(said[1].starts_with("its [replay] is not used"), "{said:?}");
    assert!(narrowed("[audit]\nignore = [\"ALL\"]", true, Uses::Showing).0.is_empty());
}
