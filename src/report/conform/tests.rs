//! Cards as text.

use super::*;
use crate::conform::{ClauseCard, Server, Verdict};

fn card(name: &str, verdict: Verdict) -> Card {
    let clause = ClauseCard {
        id: "mcp.ids-typed".to_string(),
        title: "ids are typed",
        level: "MUST",
        verdict,
        quote: Some("MUST include"),
        url: None,
        known: false,
        probes: Vec::new(),
    };
    let server = Server { name: name.to_string(), protocol: "mcp 2025-11-25".to_string(), ..Server::default() };
    Card { server, clauses: vec![clause], ..Card::default() }
}

#[test]
fn a_table_has_one_row_for_each_server_and_keeps_what_stands_around_it() {
    let first = merge(&card("a|b", Verdict::Honoured), "# Scores\n\nRead this.\n");
    let second = merge(&card("<b>", Verdict::Violates), &first);
    let again = merge(&card("a|b", Verdict::Violates), &second);
    assert!(again.starts_with("# Scores\n\nRead this.\n\n| server |"), "{again}");
    let rows: Vec<&str> = again.lines().filter(|line| line.contains("mcp 2025")).collect();
    assert_eq!(rows.len(), 2, "{again}");
    assert!(rows.iter().all(|row| row.contains("| 0/1 |") && row.contains("| ids-typed |")), "{again}");
    assert!(!again.contains("<b>") && !again.contains("a|b"), "{again}");
    assert_eq!(merge(&card("a|b", Verdict::Violates), &again), again);
    let tail = merge(&card("c", Verdict::Honoured), &(again.clone() + "\nThe end.\n"));
    assert!(tail.ends_with("|\n\nThe end.\n"), "{tail}");
}

#[test]
fn a_badge_has_the_score_and_nothing_of_the_server() {
    let svg = badge::badge(&card("</title><script>", Verdict::Honoured));
    assert!(svg.contains("cancel: 1/1 MUST") && !svg.contains("script"), "{svg}");
    assert!(badge::badge(&card("a", Verdict::Violates)).contains("#c62828"));
}

#[test]
fn what_was_not_seen_is_skipped_and_what_is_known_passes() {
    let unseen = junit::junit(&card("a", Verdict::NotObserved)).expect("XML");
    assert!(unseen.contains("<skipped") && unseen.contains("tests=\"1\""), "{unseen}");
    let mut known = card("a", Verdict::Violates);
    assert!(junit::junit(&known).expect("XML").contains("<failure"));
    known.clauses[0].known = true;
    assert!(!junit::junit(&known).expect("XML").contains("<failure") && known.exit() == 0);
}
