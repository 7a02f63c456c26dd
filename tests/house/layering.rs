//! Layers import downward only, and files of a layer import each other in no circle. Every path of the sources that begins with
//! `crate`, `super`, `self` or the name of a child is held against the list, brace forms included.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The layers of the library, from the top down.
const LAYERS: [&str; 17] = [
    "pipeline", "policy", "report", "conform", "replay", "live", "facts", "store", "rules", "finding", "session",
    "capture", "protocol", "shape", "jsonrpc", "wire", "redact",
];

/// Modules that any layer may import.
const EVERYWHERE: [&str; 6] = ["base64", "error", "json", "name", "number", "output"];

/// Pairs that must not know each other although one stands above the other, and the reason.
const STRANGERS: [(&str, &str, &str); 6] = [
    ("replay", "store", "replay works on recordings, not on rows"),
    ("live", "store", "the recorder knows no SQLite"),
    ("live", "rules", "transports do not judge"),
    ("store", "rules", "the store keeps what rules found, it does not judge"),
    ("report", "session", "reports read rows, not the state of a fold"),
    ("report", "capture", "reports read rows, not captures"),
];

pub fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Drops comments and strings, so that prose about other layers is no import.
fn code_only(text: &str) -> String {
    text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

/// A module as its path: `session::race`; the root is empty.
type Module = Vec<String>;

/// The module of a source, by its place below `src`.
fn module_of(inner: &Path) -> Module {
    let mut names: Module = inner.with_extension("").iter().map(|name| name.to_string_lossy().into_owned()).collect();
    if names.last().is_some_and(|last| last == "mod") || names == ["lib"] {
        names.pop();
    }
    names
}

/// All paths in a text, from the root, where a module `own` has these modules around it.
fn paths(own: &[String], modules: &BTreeMap<Module, PathBuf>, text: &str) -> Vec<Module> {
    let mut found = Vec::new();
    for (at, word) in words(text) {
        let starts = !text[..at].ends_with("::") && text[at + word.len()..].starts_with("::");
        let child: Module = own.iter().cloned().chain([word.to_string()]).collect();
        let in_use = || text[..at].rsplit([';', '}']).next().is_some_and(|before| before.trim_start().contains("use "));
        let base = match word {
            "crate" => Module::new(),
            "self" => own.to_vec(),
            "super" => own[..own.len().saturating_sub(1)].to_vec(),
            _ if starts && modules.contains_key(&child) && in_use() => child,
            _ => continue,
        };
        if starts {
            follow(base, &text[at + word.len() + 2..], &mut found);
        }
    }
    found
}

/// The words of a text, and where each begins.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let begins = move |(at, c): &(usize, char)| part(*c) && !text[..*at].ends_with(part);
    text.char_indices().filter(begins).map(move |(at, _)| (at, word(&text[at..])))
}

/// Follows a path behind `base::` into all branches of its braces.
fn follow(mut base: Module, rest: &str, found: &mut Vec<Module>) {
    let rest = rest.trim_start();
    if let Some(group) = rest.strip_prefix('{') {
        for branch in branches(group) {
            follow(base.clone(), branch, found);
        }
        return;
    }
    let name = word(rest);
    match name {
        "super" => drop(base.pop()),
        "self" | "" => {}
        _ => base.push(name.to_string()),
    }
    match rest[name.len()..].strip_prefix("::") {
        Some(more) if !name.is_empty() => follow(base, more, found),
        _ => found.push(base),
    }
}

/// The branches of a brace group whose opening brace was read.
fn branches(group: &str) -> Vec<&str> {
    let (mut all, mut depth, mut from) = (Vec::new(), 0, 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                all.push(&group[from..at]);
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                all.push(&group[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    all
}

/// All modules below `src`.
pub(crate) fn modules() -> BTreeMap<Module, PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    files.into_iter().map(|path| (module_of(path.strip_prefix(&root).expect("below src")), path)).collect()
}

fn word(text: &str) -> &str {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("")
}

fn rank(layer: &str) -> Option<usize> {
    LAYERS.iter().position(|name| *name == layer)
}

#[test]
fn imports_go_downward() {
    let modules = modules();
    let (mut errors, mut seen) = (Vec::new(), 0);
    for (module, path) in &modules {
        let Some((layer, own)) = module.first().and_then(|layer| Some((layer, rank(layer)?))) else { continue };
        let text = code_only(&fs::read_to_string(path).expect("a source"));
        for name in paths(module, &modules, &text).into_iter().filter_map(|path| path.into_iter().next()) {
            if name == *layer || EVERYWHERE.contains(&name.as_str()) {
                continue;
            }
            // What `super` leads to from a module inside of a file may be no module at all.
            let Some(other) = rank(&name) else {
                if modules.contains_key(std::slice::from_ref(&name)) {
                    errors.push(format!("{}: {name} is no layer", path.display()));
                }
                continue;
            };
            seen += 1;
            if other <= own {
                errors.push(format!("{}: {layer} imports {name}, which stands above it", path.display()));
            }
            if let Some((.., why)) = STRANGERS.iter().find(|(from, to, _)| *from == *layer && *to == name) {
                errors.push(format!("{}: {layer} imports {name}: {why}", path.display()));
            }
        }
    }
    assert!(errors.is_empty(), "{}", errors.join("\n"));
    assert!(seen > 50, "the guard has looked at {seen} imports only: does it still find them?");
}

/// The floors of the command line, from the top down.
const FLOORS: [&str; 5] = ["commands", "content", "args", "screen", "signals"];

#[test]
fn the_command_line_imports_downward() {
    let floor = |module: &[String]| match module {
        [cli, name, ..] if cli == "cli" => FLOORS.iter().position(|floor| floor == name),
        _ => None,
    };
    let modules = modules();
    let (mut errors, mut seen) = (Vec::new(), 0);
    for (module, path) in modules.iter().filter(|(module, _)| !is_test(module)) {
        if module.first().is_some_and(|layer| layer == "cli") && module.len() > 1 && floor(module).is_none() {
            errors.push(format!("{}: no floor of the command line", path.display()));
        }
        let Some(own) = floor(module) else { continue };
        let text = code_only(&fs::read_to_string(path).expect("a source"));
        for to in paths(module, &modules, &text) {
            let Some(other) = floor(&to) else { continue };
            seen += 1;
            if other < own {
                errors.push(format!(
                    "{}: {} imports {}, which stands above it",
                    path.display(),
                    FLOORS[own],
                    to.join("::")
                ));
            }
        }
    }
    assert!(errors.is_empty(), "{}", errors.join("\n"));
    assert!(seen > 50, "the guard has looked at {seen} imports only: does it still find them?");
}

/// Whether a module holds tests only.
fn is_test(module: &Module) -> bool {
    module.iter().any(|name| name.ends_with("tests") || name == "testing")
}

/// Which files each file imports; a parent's own names do not count, and neither do tests.
fn graph(modules: &BTreeMap<Module, PathBuf>) -> BTreeMap<&Module, BTreeSet<&Module>> {
    let mut graph = BTreeMap::new();
    for (module, path) in modules.iter().filter(|(module, _)| !is_test(module)) {
        let text = fs::read_to_string(path).expect("a source");
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let mut to = BTreeSet::new();
        for path in paths(module, modules, &code_only(text)) {
            let named = (1..=path.len()).rev().find_map(|length| modules.get_key_value(&path[..length]));
            to.extend(named.map(|(named, _)| named).filter(|named| !module.starts_with(named)));
        }
        graph.insert(module, to);
    }
    graph
}

/// Everything that a file leads to, over as many imports as it takes.
fn reach<'g>(graph: &BTreeMap<&'g Module, BTreeSet<&'g Module>>, from: &'g Module) -> BTreeSet<&'g Module> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(next) = open.pop() {
        open.extend(graph.get(next).into_iter().flatten().copied().filter(|to| seen.insert(*to)));
    }
    seen
}

#[test]
fn files_import_each_other_in_no_circle() {
    let modules = modules();
    let graph = graph(&modules);
    let reached: BTreeMap<&Module, BTreeSet<&Module>> = graph.keys().map(|from| (*from, reach(&graph, from))).collect();
    let (mut circles, mut done) = (Vec::new(), BTreeSet::new());
    for (from, to) in &reached {
        if !to.contains(from) || !done.insert(*from) {
            continue;
        }
        let round: Vec<&Module> =
            to.iter().copied().filter(|other| reached.get(other).is_some_and(|back| back.contains(from))).collect();
        done.extend(&round);
        circles.push(round.iter().map(|module| module.join("::")).collect::<Vec<_>>());
    }
    let circles: Vec<String> = circles.iter().map(|circle| circle.join(" - ")).collect();
    assert!(circles.is_empty(), "files that import each other:\n{}", circles.join("\n"));
}

#[test]
fn the_guard_reads_brace_imports() {
    let modules: BTreeMap<Module, PathBuf> = [&["session"][..], &["session", "race"]]
        .map(|names| (names.iter().map(ToString::to_string).collect(), PathBuf::new()))
        .into();
    let own = ["session", "race"].map(String::from).to_vec();
    let text =
        "use crate::{store::rows, report::{a, b}, jsonrpc};\nlet x = super::super::rules::find(1);\nuse super::fold;";
    let heads: Vec<String> = paths(&own, &modules, text).iter().map(|path| path.join("::")).collect();
    assert_eq!(heads, ["store::rows", "report::a", "report::b", "jsonrpc", "rules::find", "session::fold"]);
    let parent = ["session"].map(String::from).to_vec();
    assert_eq!(paths(&parent, &modules, "pub use race::Basis;"), [["session", "race", "Basis"].map(String::from)]);
}

#[test]
fn only_the_store_names_rusqlite_and_only_the_binary_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut errors = Vec::new();
    for path in files {
        let inner = path.strip_prefix(&root).expect("below src").display().to_string();
        let text = code_only(&fs::read_to_string(&path).expect("a source"));
        let binary = inner.starts_with("cli") || inner == "main.rs";
        if text.contains("rusqlite") && !inner.starts_with("store") && inner != "capture/formats/sqlite/mod.rs" {
            errors.push(format!("{inner} names rusqlite"));
        }
        if !binary && ["println!", "eprintln!", "print!", "eprint!"].iter().any(|name| text.contains(name)) {
            errors.push(format!("{inner} prints"));
        }
    }
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}
