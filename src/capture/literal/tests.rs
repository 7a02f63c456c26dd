//! What is printed in each dialect is read back.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::render::render;
use super::{Dialect, translate_into, unquote_into};

const ALL: [Dialect; 4] = [Dialect::Lua, Dialect::Lisp, Dialect::Python, Dialect::Node];

/// The JSON, the text after the literal, and whether something was lost.
fn read(dialect: Dialect, text: &str) -> (String, &str, bool) {
    let mut json = String::new();
    let read = translate_into(dialect, text, &mut json).unwrap_or_else(|fault| panic!("{text}: {fault:?}"));
    assert!(serde_json::from_str::<Value>(&json).is_ok(), "{text} gave {json}");
    (json, &text[read.end..], read.lost)
}

fn json(dialect: Dialect, text: &str) -> String {
    let (json, rest, lost) = read(dialect, text);
    assert_eq!((rest, lost), ("", false), "{text}");
    json
}

#[test]
fn lua_tables() {
    let lua = |text| json(Dialect::Lua, text);
    assert_eq!(
        lua("{  id = 1,  jsonrpc = \"2.0\",  params = {    [\"end\"] = { 1, 2.5 }  }}"),
        r#"{"id":1,"jsonrpc":"2.0","params":{"end":[1,2.5]}}"#
    );
    assert_eq!(
        lua("{ a = vim.NIL, b = vim.empty_dict(), c = {}, params = {} }"),
        r#"{"a":null,"b":{},"c":[],"params":{}}"#
    );
    assert_eq!(lua(r#"{ 'say "hi"', "it's\n\t\0271\\" }"#), r#"["say \"hi\"","it's\n\t\u001b1\\"]"#);
    assert_eq!(lua("{ a = <1>{ x = 1 }, b = <table 1> }"), r#"{"a":{"x":1},"b":{"x":1}}"#);
    assert_eq!(lua("{ <metatable> = { __tostring = nil } }"), "{}");
    assert_eq!(lua("{ [1] = true, [3] = false }"), r#"{"1":true,"3":false}"#);
    assert_eq!(lua("{ id = 12345678901234567890 }"), r#"{"id":12345678901234567890}"#);
    assert_eq!(read(Dialect::Lua, "{ f = <function 1>, 2 }\tmore"), (r#"{"f":null}"#.into(), "\tmore", true));
    assert_eq!(read(Dialect::Lua, "<1>{ me = <table 1> }").0, r#"{"me":null}"#);
}

#[test]
fn property_lists() {
    let lisp = |text| json(Dialect::Lisp, text);
    assert_eq!(
        lisp("(:jsonrpc \"2.0\" :id 1 :params nil :x nil :y t\n\t :z :json-false)"),
        r#"{"jsonrpc":"2.0","id":1,"params":{},"x":null,"y":true,"z":false}"#
    );
    assert_eq!(lisp(r#"(:a ["q\"\\" (:b 1.5)] :error nil)"#), r#"{"a":["q\"\\",{"b":1.5}]}"#);
    assert_eq!(
        lisp("(:o #s(hash-table size 65 data\n ()) :p #s(hash-table data (\"k v\" 1)))"),
        r#"{"o":{},"p":{"k v":1}}"#
    );
    assert_eq!(
        lisp("((:direction . outgoing) (:object (a . 1) (b . [2])) (c 1 2))"),
        r#"{"direction":"outgoing","object":{"a":1,"b":[2]},"c":[1,2]}"#
    );
    assert_eq!(lisp("(:label #(\"io\" 0 2\n (item #1)) :x 1)"), r#"{"label":"io","x":1}"#);
    assert!(read(Dialect::Lisp, "(:b #<buffer x.el> :c ...)").2);
}

#[test]
fn python_reprs() {
    let python = |text| json(Dialect::Python, text);
    assert_eq!(
        python("{'a': None, 'b': [True, (1,), (2, 3), ()], 'c': b'\\xc3\\xa9', 'd': '\\xe9'}"),
        r#"{"a":null,"b":[true,[1],[2,3],[]],"c":"é","d":"é"}"#
    );
    assert_eq!(
        python(
            "root=JSONRPCRequest(method='tools/call', params={'_meta': {'progressToken': 1}}, jsonrpc='2.0', id='x')"
        ),
        r#"{"method":"tools/call","params":{"_meta":{"progressToken":1}},"jsonrpc":"2.0","id":"x"}"#
    );
    assert_eq!(
        python("JSONRPCMessage(root=JSONRPCNotification(method='a', params=None, jsonrpc='2.0'))"),
        r#"{"method":"a","jsonrpc":"2.0"}"#
    );
    assert_eq!(
        python("{'at': datetime.datetime(2024, 1, 2, 3, 4), 'uri': AnyUrl('file:///a'), 'l': <Level.info: 'info'>}"),
        r#"{"at":"datetime.datetime(2024, 1, 2, 3, 4)","uri":"file:///a","l":"info"}"#
    );
    assert_eq!(python("{1: {2, 3}, None: frozenset({4})}"), r#"{"1":[2,3],"null":[4]}"#);
    assert!(read(Dialect::Python, "{'r': <starlette.requests.Request object at 0x7f>}").2);
}

#[test]
fn inspected_objects() {
    let node = |text| json(Dialect::Node, text);
    assert_eq!(
        node("{\n  jsonrpc: '2.0',\n  'a-b': [ 1, -2.5 ],\n  gone: undefined,\n  s: 'a' +\n    \"b'\"\n}"),
        r#"{"jsonrpc":"2.0","a-b":[1,-2.5],"s":"ab'"}"#
    );
    assert_eq!(
        node("[Object: null prototype] { id: 12n, at: 2024-01-02T03:04:05.678Z }"),
        r#"{"id":12,"at":"2024-01-02T03:04:05.678Z"}"#
    );
    assert_eq!(
        read(Dialect::Node, "{ result: { tools: [ [Object], [Array] ] } }"),
        (r#"{"result":{"tools":[null,null]}}"#.into(), "", true)
    );
    assert_eq!(read(Dialect::Node, "[ 1, ... 3 more items ] tail"), ("[1]".into(), " tail", true));
    assert_eq!(
        read(Dialect::Node, "<ref *1> Foo { me: [Circular *1], f: [Function: x] }").0,
        r#"{"me":null,"f":null}"#
    );
}

#[test]
fn what_ends_too_early_is_cut_and_what_is_wrong_is_not() {
    let fault = |dialect, text| translate_into(dialect, text, &mut String::new()).expect_err(text);
    for (dialect, text) in [
        (Dialect::Lua, "{ a = \"x"),
        (Dialect::Lisp, "(:a (:b"),
        (Dialect::Python, "{'a': ["),
        (Dialect::Node, "{ a: {"),
    ] {
        assert!(fault(dialect, text).cut, "{text}");
    }
    for (dialect, text) in [
        (Dialect::Lua, "{ a = ] }"),
        (Dialect::Lisp, "(:a ])"),
        (Dialect::Python, "{'a': ]}"),
        (Dialect::Node, "{ a: ) }"),
    ] {
        assert!(!fault(dialect, text).cut, "{text}");
    }
}

#[test]
fn depth_and_growth_are_bounded() {
    for (dialect, open) in [
        (Dialect::Lua, "{"),
        (Dialect::Lua, "<1>"),
        (Dialect::Lisp, "("),
        (Dialect::Lisp, "'"),
        (Dialect::Python, "["),
        (Dialect::Python, "f("),
        (Dialect::Python, "<a: "),
        (Dialect::Node, "["),
        (Dialect::Node, "A "),
    ] {
        assert!(translate_into(dialect, &open.repeat(100_000), &mut String::new()).is_err(), "{open}");
    }
    let doubling: String = (2..60).map(|n| format!(", <{n}>{{ <table {}>, <table {}> }}", n - 1, n - 1)).collect();
    let mut json = String::new();
    let text = format!("{{ <1>{{ 1 }}{doubling} }}");
    assert!(translate_into(Dialect::Lua, &text, &mut json).is_err());
    assert!(json.len() < 100 * text.len());
}

#[test]
fn strings_alone() {
    let mut bytes = Vec::new();
    assert_eq!(unquote_into(Dialect::Python, "b'a\\n\\xff' x", &mut bytes), Ok(10));
    assert_eq!(bytes, b"a\n\xff");
    assert_eq!(unquote_into(Dialect::Lua, "'a\"b\\\\'", &mut bytes), Ok(7));
    assert!(unquote_into(Dialect::Python, "b'{\"id\": 1", &mut bytes).is_err_and(|fault| fault.cut));
    assert_eq!(bytes, b"{\"id\": 1");
}

proptest! {
    #[test]
    fn what_json_escapes_is_found_where_it_is(text in "[a-zé\"'\\\\\n\u{1f}\u{80}\u{a2} ]{0,40}") {
        let slow = |byte: u8| byte < 0x20 || matches!(byte, b'"' | b'\\' | b'\'');
        prop_assert_eq!(super::quoted::special(text.as_bytes(), b'\''), text.bytes().position(slow));
        let mut json = String::new();
        super::push_string(&mut json, &text);
        prop_assert_eq!(serde_json::from_str::<String>(&json).expect("JSON"), text);
    }
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<i32>().prop_map(|eighths| Value::from(f64::from(eighths) / 8.0)),
        "\\PC{0,12}".prop_map(Value::from),
        "[a-z\"'\\\\\n\t\u{1}\u{1b}é☃😀]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::btree_map("[a-z_][a-zA-Z0-9_]{0,6}|end|[a-z $./'-]{1,8}", inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().filter(|(key, _)| key != "error").collect())),
        ]
    })
}

proptest! {
    #[test]
    fn a_value_comes_back_from_every_dialect(value in value()) {
        for dialect in ALL {
            let value = if dialect == Dialect::Lua && value == json!([]) { json!([0]) } else { value.clone() };
            let text = render(dialect, &value, "");
            let (got, rest, lost) = read(dialect, &text);
            let got: Value = serde_json::from_str(&got).expect("JSON");
            prop_assert_eq!((&got, rest, lost), (&value, "", false), "{:?}: {}", dialect, text);
        }
    }

    #[test]
    fn a_literal_cut_anywhere_is_no_panic(value in value(), part in 0.0..1.0f64) {
        for dialect in ALL {
            let text = render(dialect, &value, "");
            let cut = (0..=(text.len() as f64 * part) as usize).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            let _ = translate_into(dialect, &text[..cut], &mut String::new());
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,60}", signs in "[\\[\\]{}()<>'\"\\\\:=,.#;?a-c0-2 _`+-]{0,60}") {
        for dialect in ALL {
            for text in [&text, &signs] {
                let mut json = String::new();
                if translate_into(dialect, text, &mut json).is_ok() {
                    prop_assert!(serde_json::from_str::<Value>(&json).is_ok(), "{:?}: {} gave {}", dialect, text, json);
                }
                let _ = unquote_into(dialect, text, &mut Vec::new());
            }
        }
    }
}
