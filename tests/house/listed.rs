//! What is written is used: a file that nobody declares, or a rule that stands in no table, would be there without a word.

use std::collections::BTreeMap;
use std::fs;

use crate::common::top;
use crate::layering::modules;
use rpctape::rules::RULES;

/// A file that its folder does not declare is compiled by nobody.
#[test]
fn every_source_is_declared_where_it_belongs() {
    let modules = modules();
    let texts: BTreeMap<_, _> =
        modules.iter().map(|(module, path)| (module, fs::read_to_string(path).expect("a source"))).collect();
    let roots = ["lib", "main"].map(|root| fs::read_to_string(top().join(format!("src/{root}.rs"))).expect("a root"));
    let named = |line: &str| Some(line.trim().strip_prefix("#[path = \"")?.trim_end_matches("\"]").to_string());
    let by_path: Vec<String> = texts.values().flat_map(|text| text.lines().filter_map(named)).collect();
    for (module, path) in modules.iter().filter(|(module, _)| !module.is_empty() && module[..] != ["main"]) {
        let (name, parent) = module.split_last().expect("a name");
        let own =
            if parent.is_empty() { roots.concat() } else { texts.get(&parent.to_vec()).cloned().unwrap_or_default() };
        let declared = own.lines().any(|line| line.trim_end().ends_with(&format!("mod {name};")));
        let declared = declared || by_path.iter().any(|named| path.ends_with(named));
        assert!(declared, "nobody declares {}: {parent:?} lacks `mod {name};`", path.display());
    }
}

/// A rule that is not in the table never speaks, and a page without its rule explains nothing.
#[test]
fn every_rule_and_every_page_is_in_the_table() {
    let table = fs::read_to_string(top().join("src/rules/mod.rs")).expect("the table");
    for (module, path) in modules() {
        let [room, family, slug] = &module[..] else { continue };
        if room == "rules" && fs::read_to_string(&path).expect("a source").contains("\npub static RULE: Rule") {
            let entry = format!("&{family}::{slug}::RULE,");
            assert!(table.contains(&entry), "{}: `{entry}` is missing in src/rules/mod.rs", path.display());
        }
    }
    for page in fs::read_dir(top().join("docs/rules")).expect("the pages") {
        let path = page.expect("an entry").path();
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned());
        let known = RULES.iter().any(|rule| Some(rule.name) == name.as_deref());
        assert!(known, "{} is the page of no rule in src/rules/mod.rs", path.display());
    }
}
