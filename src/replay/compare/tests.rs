use super::*;
use crate::protocol::by_name;

fn profile() -> &'static Profile {
    by_name("mcp", Some("2025-11-25")).expect("a profile")
}

fn with(options: Compare, captured: &[&str], echoes: &[(&str, &str)], a: &str, b: &str) -> Comparison {
    let captured: Vec<String> = captured.iter().map(|text| text.to_string()).collect();
    let echoes: Vec<(String, String)> = echoes.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
    let terms = Terms { profile: profile(), captured: &captured, echoes: &echoes, due: &[], hidden: &[], asked: None };
    compare(&Rules::new(&options).expect("rules"), &terms, a, b)
}

fn plain(a: &str, b: &str) -> Comparison {
    with(Compare::default(), &[], &[], a, b)
}

fn places(found: &Comparison) -> Vec<&str> {
    found.differences.iter().filter(|it| !it.harmless).map(|it| it.at.as_str()).collect()
}

fn text(inner: &str) -> String {
    let text = serde_json::Value::from(inner);
    format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"content":[{{"type":"text","text":{text}}}]}}}}"#)
}

#[test]
fn order_matters_in_arrays_and_not_in_objects() {
    assert!(plain(r#"{"id":1,"result":{"a":1,"b":[1,2]}}"#, r#"{"result":{"b":[1,2.0],"a":1e0},"id":7}"#).is_same());
    assert_eq!(
        places(&plain(r#"{"result":{"b":[1,2]}}"#, r#"{"result":{"b":[2,1]}}"#)),
        ["/result/b/0", "/result/b/1"]
    );
    let found = plain(r#"{"result":{"a":1,"c~/":2}}"#, r#"{"result":{"b":1}}"#);
    assert_eq!(places(&found), ["/result/a", "/result/c~0~1", "/result/b"]);
    assert_eq!(found.differences[0].live, None);
}

#[test]
fn one_member_more_is_one_difference() {
    assert_eq!(places(&plain(r#"{"result":[1,2,3]}"#, r#"{"result":[0,1,2,3]}"#)), ["/result/0"]);
    assert_eq!(places(&plain(r#"{"result":[1,2,3,4]}"#, r#"{"result":[1,4]}"#)), ["/result/1", "/result/2"]);
    assert_eq!(places(&plain(r#"{"result":[1,1]}"#, r#"{"result":[1]}"#)), ["/result/1"]);
}

#[test]
fn lists_with_keys_are_maps() {
    let a = r#"{"result":{"tools":[{"name":"a","x":1},{"name":"b"},{"name":"c"}]}}"#;
    let moved = plain(a, r#"{"result":{"tools":[{"name":"b"},{"name":"a","x":1},{"name":"c"}]}}"#);
    assert!(moved.is_same() && moved.reordered, "{moved:?}");
    assert_eq!(moved.notes, ["order of 2 tools"]);
    let found = plain(a, r#"{"result":{"tools":[{"name":"d"},{"name":"a","x":2},{"name":"b"}]}}"#);
    assert_eq!(places(&found), ["/result/tools/0/x", "/result/tools/2", "/result/tools/0"]);
    let twice = plain(r#"{"result":{"tools":[{"name":"a"},{"name":"a"}]}}"#, r#"{"result":{"tools":[{"name":"a"}]}}"#);
    assert_eq!(places(&twice), ["/result/tools/1"]);
}

#[test]
fn users_name_lists_of_their_own() {
    let sets = vec![read_set("/result/items by /id").expect("a set")];
    let options = Compare { sets, ..Compare::default() };
    let a = r#"{"result":{"items":[{"id":1},{"id":2}]}}"#;
    let moved = with(options.clone(), &[], &[], a, r#"{"result":{"items":[{"id":2},{"id":1.0}]}}"#);
    assert!(moved.is_same() && moved.notes == ["order of 2 items"], "{moved:?}");
    let keyless = with(options, &[], &[], a, r#"{"result":{"items":[{"id":2},{}]}}"#);
    assert!(!keyless.is_same() && keyless.notes[0].contains("compared in order"), "{keyless:?}");
}

#[test]
fn json_in_text_is_compared_as_json() {
    let a = text(r#"{"total":3,"at":"2026-01-01T00:00:00Z"}"#);
    assert_eq!(
        places(&plain(&a, &text(r#"{"total":4,"at":"2026-01-01T00:00:00Z"}"#))),
        ["/result/content/0/text -> /total"]
    );
    assert!(plain(&a, &text(r#"{ "at": "2026-01-01T00:00:00Z", "total": 3.0 }"#)).is_same());
    let later = text(r#"{"total":3,"at":"2026-02-01T00:00:00Z"}"#);
    assert!(!plain(&a, &later).is_same());
    let matches = vec![read_match("/result/content/0/text -> /at=datetime").expect("a match")];
    assert!(with(Compare { matches, ..Compare::default() }, &[], &[], &a, &later).is_same());
    let unit = text(r#"{"total":3,"at":"2026-01-01T00:00:00Z","unit":"eur"}"#);
    assert_eq!(places(&plain(&a, &unit)), ["/result/content/0/text -> /unit"]);
    let added = with(Compare { allow_added: true, ..Compare::default() }, &[], &[], &a, &unit);
    assert!(added.is_same() && added.added == 1);
    assert_eq!(places(&plain(&text("{"), &text("["))), ["/result/content/0/text"]);
}

#[test]
fn only_a_rule_that_leads_into_a_text_makes_it_json() {
    let result = |note: &str| format!(r#"{{"result":{{"note":{}}}}}"#, serde_json::Value::from(note));
    let (a, b) = (result(r#"{"list":[{"k":1},{"k":2}]}"#), result(r#"{ "list": [{"k": 1},{"k":2}] }"#));
    let of = |place: &str| {
        let place = place.to_string();
        [
            Compare { ignore: vec![place.clone()], ..Compare::default() },
            Compare { matches: vec![(place.clone(), Matcher::LengthAtLeast(1))], ..Compare::default() },
            Compare { sets: vec![(place, "/k".into())], ..Compare::default() },
        ]
        .map(|options| with(options, &[], &[], &a, &b).is_same())
    };
    assert_eq!(of("/result/note -> /list"), [true; 3]);
    assert_eq!(of("/result/other"), [false; 3], "a rule for another place");
    assert_eq!(of("tools/call /result/note -> /list"), [false; 3], "a rule for other requests");
}

#[test]
fn nested_ids_and_meta_are_data() {
    let found = plain(
        r#"{"id":1,"result":{"structuredContent":{"id":"order-1","_meta":{"a":1}},"_meta":{"x":1},"ttlMs":5}}"#,
        r#"{"id":2,"result":{"structuredContent":{"id":"order-2","_meta":{"a":2}},"_meta":{"x":2},"ttlMs":6}}"#,
    );
    assert_eq!(places(&found), ["/result/structuredContent/id", "/result/structuredContent/_meta/a"]);
    assert_eq!(found.notes, ["ttlMs differs"]);
    assert!(plain(r#"{"result":{}}"#, r#"{"result":{"_meta":{"x":2}}}"#).is_same());
    let task = r#"{"result":{"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t"}}}}"#;
    assert!(!plain(r#"{"result":{}}"#, task).is_same());
}

#[test]
fn errors_are_strict_in_code_and_data_only() {
    let a = r#"{"id":3,"error":{"code":-32602,"message":"missing a","data":{"k":1}}}"#;
    let found = plain(a, r#"{"id":3,"error":{"code":-32602.0,"message":"a is missing","data":{"k":1}}}"#);
    assert!(found.is_same() && found.notes == ["the error message differs"], "{found:?}");
    assert_eq!(places(&plain(a, r#"{"error":{"code":-32603,"message":"missing a"}}"#)), ["/error/code", "/error/data"]);
    assert_eq!(places(&plain(a, r#"{"id":3,"result":{}}"#)), ["/error", "/result"]);
}

#[test]
fn a_key_that_was_captured_is_no_other_member() {
    let list = |run: &str, name: &str| {
        format!(r#"{{"result":{{"resources":[{{"uri":"file:///a"}},{{"uri":"file:///{run}/b","name":"{name}"}}]}}}}"#)
    };
    let of = |captured: &[&str], name: &str| with(Compare::default(), captured, &[], &list("1", "b"), &list("2", name));
    assert!(of(&["/result/resources/1/uri"], "b").is_same());
    assert_eq!(places(&of(&["/result/resources/1/uri"], "c")), ["/result/resources/1/name"]);
    let other = of(&[], "b");
    assert_eq!(places(&other), ["/result/resources/1"; 2], "one member is gone, and one is new");
}

#[test]
fn captured_values_are_there_and_of_their_type() {
    let a = r#"{"result":{"nextCursor":"abc","n":1}}"#;
    let captured = ["/result/nextCursor"];
    let of = |b: &str| with(Compare::default(), &captured, &[], a, b);
    assert!(of(r#"{"result":{"nextCursor":"xyz","n":1}}"#).is_same());
    assert_eq!(places(&of(r#"{"result":{"n":1}}"#)), captured);
    assert_eq!(places(&of(r#"{"result":{"nextCursor":7,"n":1}}"#)), captured);
}

#[test]
fn echoes_of_what_was_put_in_are_expected() {
    let echoes = [("\"cursor-1\"", "\"cursor-9\""), ("7", "8")];
    let of = |a: &str, b: &str| with(Compare::default(), &[], &echoes, a, b);
    let found =
        of(r#"{"result":{"t":"used cursor-1 twice","n":7}}"#, r#"{"result":{"t":"used cursor-9 twice","n":8}}"#);
    assert!(found.is_same(), "{found:?}");
    assert!(found.differences.iter().all(|it| it.harmless) && found.differences.len() == 2);
    assert_eq!(places(&of(r#"{"result":"used cursor-1"}"#, r#"{"result":"used cursor-8"}"#)), ["/result"]);
    // A short value is an echo only as a whole: inside of strings it would explain everything.
    assert_eq!(places(&of(r#"{"result":"n=7"}"#, r#"{"result":"n=8"}"#)), ["/result"]);
    let within = |old: &str, new: &str| {
        let echo = [(format!("\"{old}\""), format!("\"{new}\""))];
        let echo = echo.each_ref().map(|(old, new)| (old.as_str(), new.as_str()));
        let result = |value: &str| format!(r#"{{"result":"of {value}"}}"#);
        with(Compare::default(), &[], &echo, &result(old), &result(new)).is_same()
    };
    assert!(within("four", "more") && !within("two", "one"));
    // What was put in comes back as what was put in now: the old value alone explains nothing, nor does the new one.
    for (a, b) in [("7", "9"), ("6", "8")] {
        assert_eq!(
            places(&of(&format!(r#"{{"result":{a}}}"#), &format!(r#"{{"result":{b}}}"#))),
            ["/result"],
            "{a} {b}"
        );
    }
}

#[test]
fn where_another_value_was_asked_for_the_recorded_one_is_a_change() {
    let due = [("\"ord-00017\"", "\"ord-00042\""), ("\"alpha-one\"", "\"beta-two\""), ("1000017", "1000042")];
    let due: Vec<(String, String)> = due.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
    let terms = Terms { profile: profile(), captured: &[], echoes: &due, due: &due, hidden: &[], asked: None };
    let rules = Rules::new(&Compare::default()).expect("rules");
    let of =
        |a: &str, b: &str| compare(&rules, &terms, &format!(r#"{{"result":{a}}}"#), &format!(r#"{{"result":{b}}}"#));
    for (recorded, live) in [
        (r#""ord-00017""#, r#""ord-00042""#),
        (r#""order ord-00017 is ready""#, r#""order ord-00042 is ready""#),
        ("1000017", "1000042"),
    ] {
        assert!(of(recorded, live).is_same(), "{live}");
        assert_eq!(places(&of(recorded, recorded)), ["/result"], "{recorded}");
    }
    // A word may stand in a text for itself, as a text may name both.
    for text in [r#""one of alpha-one and others""#, r#""from ord-00017 to ord-00042""#, r#""gamma""#] {
        assert!(of(text, text).is_same(), "{text}");
    }
}

#[test]
fn rules_that_are_broken_or_idle_are_named() {
    let broken = Compare { matches: vec![("/result".into(), Matcher::Regex("(".into()))], ..Compare::default() };
    assert!(check(&broken).is_err_and(|error| error.message.contains("`(`")));
    assert!(check(&Compare { ignore: vec!["x".into()], ..Compare::default() }).is_err());
    let options = Compare {
        ignore: vec!["/result/a".into(), "/result/typo".into()],
        matches: vec![("/result/*/at".into(), Matcher::Datetime)],
        ..Compare::default()
    };
    let rules = Rules::new(&options).expect("rules");
    let terms = Terms { profile: profile(), captured: &[], echoes: &[], due: &[], hidden: &[], asked: None };
    assert!(compare(&rules, &terms, r#"{"result":{"a":1}}"#, r#"{"result":{"a":2}}"#).is_same());
    assert_eq!(
        rules.unused(),
        ["the ignore rule for /result/typo fitted nothing", "the match rule for /result/*/at fitted nothing"]
    );
}

#[test]
fn flags_read_matches() {
    assert_eq!(read_match("/a=b=uuid").expect("a match"), ("/a=b".into(), Matcher::Uuid));
    assert_eq!(read_match("/a=len>=2").expect("a match"), ("/a".into(), Matcher::LengthAtLeast(2)));
    assert_eq!(read_match("/a=regex:x=y").expect("a match"), ("/a".into(), Matcher::Regex("x=y".into())));
    assert!(read_match("/a=uid").is_err_and(|error| error.message.contains("`uid`")));
    assert!(read_match("/a").is_err() && read_match("a=uuid").is_err() && read_set("/a /b").is_err());
}

#[test]
fn what_is_opaque_is_never_shown() {
    let profile = by_name("mcp", Some("2026-07-28")).expect("a profile");
    let terms = Terms { profile, captured: &[], echoes: &[], due: &[], hidden: &[], asked: None };
    let rules = Rules::new(&Compare::default()).expect("rules");
    let a = r#"{"result":{"requestState":"S-111","resultType":"input_required"}}"#;
    for b in [r#"{"error":{"code":1,"data":{"requestState":"S-222"}}}"#, r#"{"result":{"requestState":"S-222"}}"#] {
        let told = format!("{:?}", compare(&rules, &terms, a, b).differences);
        assert!(!told.contains("S-111") && !told.contains("S-222") && told.contains("not shown"), "{told}");
    }
}

#[test]
fn a_placeholder_hides_on_either_side() {
    let (secret, plain_text) = (r#"{"result":"key <<secret:token#1>>"}"#, r#"{"result":"key abc"}"#);
    for (a, b) in [(secret, plain_text), (plain_text, secret), (secret, secret)] {
        assert!(plain(a, b).is_same(), "{a} {b}");
    }
    assert_eq!(places(&plain(secret, r#"{"result":"lock abc"}"#)), ["/result"]);
    assert_eq!(places(&plain(r#"{"result":"lock abc"}"#, secret)), ["/result"]);
}

#[test]
fn a_name_that_stands_twice_is_compared_occurrence_by_occurrence() {
    assert!(plain(r#"{"result":{"a":1,"a":2}}"#, r#"{"result":{"a":1,"a":2}}"#).is_same());
    assert_eq!(
        places(&plain(r#"{"result":{"a":1,"a":2}}"#, r#"{"result":{"a":2,"a":1}}"#)),
        ["/result/a", "/result/a"]
    );
    assert_eq!(places(&plain(r#"{"result":{"a":1,"a":2}}"#, r#"{"result":{"a":1}}"#)), ["/result/a"]);
}

#[test]
fn a_captured_key_stands_for_another_only_where_neither_list_has_both() {
    let list = |uris: [&str; 2]| {
        let member = |uri: &str| format!(r#"{{"uri":"{uri}"}}"#);
        format!(r#"{{"result":{{"resources":[{},{}]}}}}"#, member(uris[0]), member(uris[1]))
    };
    let captured = ["/result/resources/0/uri"];
    let of = |a, b| with(Compare::default(), &captured, &[], &list(a), &list(b));
    assert!(of(["x", "y"], ["z", "y"]).is_same(), "another key in the place of the captured one");
    let swapped = of(["x", "y"], ["y", "x"]);
    assert!(swapped.is_same() && swapped.reordered, "both are there: the order is another");
    let places = |found: Comparison| found.differences.into_iter().map(|it| it.at).collect::<Vec<_>>();
    let [first, second] = ["/result/resources/0", "/result/resources/1"];
    assert_eq!(places(of(["x", "y"], ["y", "z"])), [first, second], "the live key is that of another member");
    assert_eq!(places(of(["x", "y"], ["z", "x"])), [second, first], "the captured key stands elsewhere");
}

#[test]
fn members_of_a_keyed_list_that_came_new_are_counted_where_they_may_be_there() {
    let a = r#"{"result":{"tools":[{"name":"a"}]}}"#;
    let b = r#"{"result":{"tools":[{"name":"a"},{"name":"b"}]}}"#;
    let added = with(Compare { allow_added: true, ..Compare::default() }, &[], &[], a, b);
    assert_eq!((added.is_same(), added.added), (true, 1));
    assert_eq!(places(&plain(a, b)), ["/result/tools/1"]);
    let ignore = vec!["/result/tools/1".to_string()];
    let settled = with(Compare { allow_added: true, ignore, ..Compare::default() }, &[], &[], a, b);
    assert_eq!((settled.is_same(), settled.added), (true, 0), "what is ignored is not counted");
}

#[test]
fn a_tree_tells_its_kind_and_what_a_pointer_leads_to() {
    let kinds = ["{}", "[]", "\"\"", "-1", "null", "true", "false"].map(|text| Tree::read(text).map(|it| it.kind()));
    let want = ["object", "array", "string", "number", "null", "boolean", "boolean"];
    assert_eq!(kinds, want.map(Some));
    let tree = Tree::read(r#"{"~1":[10,20],"/":30,"a":{"":40}}"#).expect("JSON");
    let at = |pointer: &str| tree.at(pointer).map(|found| found.text);
    assert_eq!(
        [at("/~01/1"), at("/~1"), at("/a/"), at("/~01/2"), at("/b")],
        [Some("20"), Some("30"), Some("40"), None, None]
    );
}

#[test]
fn what_is_nested_too_deep_is_compared_as_text() {
    let nest = |depth: usize, inner: &str| format!("{}{inner}{}", "[".repeat(depth), "]".repeat(depth));
    for depth in [100, 5000] {
        let message = |inner: &str| format!(r#"{{"result":{}}}"#, nest(depth, inner));
        assert!(plain(&message("1"), &message("1")).is_same(), "{depth}");
        assert!(!plain(&message("1"), &message("2")).is_same(), "{depth}");
    }
}

#[test]
fn a_rule_that_ignores_is_used_wherever_it_fits() {
    let options = Compare { ignore: vec!["/result/*".into(), "/result/a".into()], ..Compare::default() };
    let rules = Rules::new(&options).expect("rules");
    let terms = Terms { profile: profile(), captured: &[], echoes: &[], due: &[], hidden: &[], asked: None };
    assert!(compare(&rules, &terms, r#"{"result":{"a":1}}"#, r#"{"result":{"a":2}}"#).is_same());
    assert!(rules.unused().is_empty(), "{:?}", rules.unused());
}

#[test]
fn many_differences_are_counted_and_few_are_kept() {
    let list = |n: usize| format!("{{\"result\":[{}]}}", vec![n.to_string(); 500].join(","));
    let found = plain(&list(1), &list(2));
    assert_eq!((found.differences.len(), found.more), (50, 450));
    assert_eq!(places(&plain("not json", "{}")), [""]);
    assert!(plain("not json", " not json\n").is_same());
}

proptest::proptest! {
    #[test]
    fn a_message_is_the_same_as_itself_in_any_spelling(value in json()) {
        let text = value.to_string();
        let pretty = serde_json::to_string_pretty(&value).expect("JSON");
        let (a, b) = (format!("{{\"result\":{text}}}"), format!("{{ \"result\" : {pretty} }}"));
        proptest::prop_assert!(plain(&a, &b).differences.is_empty());
        let tree = Tree::read(&text).expect("JSON");
        proptest::prop_assert_eq!(tree.canonical(&[]), Tree::read(&pretty).expect("JSON").canonical(&[]));
    }

    #[test]
    fn a_change_is_found_from_both_sides(a in json(), b in json()) {
        let message = |value: &serde_json::Value| format!("{{\"result\":{value}}}");
        let there = plain(&message(&a), &message(&b)).is_same();
        proptest::prop_assert_eq!(there, plain(&message(&b), &message(&a)).is_same());
        proptest::prop_assert!(there || a != b);
    }

    #[test]
    fn no_text_makes_it_panic(a in ".{0,60}", b in ".{0,60}") {
        plain(&a, &b);
    }
}

/// Small values without floats, so that `serde_json` and we agree on what is equal.
fn json() -> impl proptest::strategy::Strategy<Value = serde_json::Value> {
    use proptest::prelude::*;
    use serde_json::Value;
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3i64..3).prop_map(Value::from),
        "[a-c\\\\\"\u{e9}]{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-c]", inner, 0..4).prop_map(Value::from_iter),
        ]
    })
}
