//! Connections whose ids never clash: what names them tells them apart, or their ids do.

use super::{Record, read, wrapped};

/// Two connections of a revision without handshakes, whose ids never clash: one counts, and one has ids as `make` makes them.
fn without_handshakes(make: impl Fn(u32) -> String) -> Vec<(u32, &'static str, &'static str, String)> {
    let asked = |id: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#);
    let answered = |id: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[]}}}}"#);
    let exchange = |nth: u32| {
        let (a, b) = (nth.to_string(), make(nth));
        let at = nth * 50;
        [
            (at, "a", "c2s", asked(&a)),
            (at + 10, "b", "c2s", asked(&b)),
            (at + 20, "b", "s2c", answered(&b)),
            (at + 30, "a", "s2c", answered(&a)),
        ]
    };
    (1..5).flat_map(exchange).collect()
}

fn borrowed<'a>(records: &'a [(u32, &'a str, &'a str, String)]) -> Vec<Record<'a>> {
    records.iter().map(|(at, value, dir, text)| (*at, *value, *dir, text.as_str())).collect()
}

#[test]
fn connections_whose_ids_never_clash_are_told_apart_by_what_names_them_or_by_their_ids() {
    let two = |records: &[Record<'_>], key: &str| {
        read(&wrapped(records, &format!("\"{key}\":\"KEY\","))).0.names().len() == 2
    };
    let (labelled, random) =
        (without_handshakes(|nth| format!("\"req-{nth}\"")), without_handshakes(|nth| format!("\"b8a1{nth}e-ff\"")));
    let further = without_handshakes(|nth| (nth + 40).to_string());
    for key in ["backend", "pod", "worker", "serverId", "x"] {
        assert!(two(&borrowed(&labelled), key) && two(&borrowed(&further), key), "{key}");
    }
    assert!(two(&borrowed(&random), "backend"));
    // Who counts asks in that order: five before two is another one's.
    let mut one = without_handshakes(|nth| (nth + 4).to_string());
    assert!(two(&borrowed(&one), "x"), "two counts by turns");
    one.sort_by_key(|(_, value, ..)| *value);
    one.iter_mut().zip(0..).for_each(|(record, nth)| record.0 = nth * 10);
    assert!(!two(&borrowed(&one), "x"), "a count that goes on under another value");
}

#[test]
fn a_name_that_takes_exchanges_apart_names_no_connections_though_nothing_clashes() {
    let mut records = without_handshakes(|nth| format!("\"req-{nth}\""));
    records[6].1 = "a";
    let (kept, reason) = read(&wrapped(&borrowed(&records), "\"backend\":\"KEY\","));
    assert_eq!(kept.names(), [None], "{reason}");
}
