//! Layers import downward only. Every `crate::` path in the library is held against the list, brace forms included.

use std::fs;
use std::path::{Path, PathBuf};

/// The layers of the library, from the top down.
const LAYERS: [&str; 14] = [
    "pipeline", "policy", "report", "conform", "replay", "live", "store", "rules", "finding", "session", "capture",
    "protocol", "jsonrpc", "redact",
];

/// Modules that any layer may import.
const EVERYWHERE: [&str; 3] = ["base64", "error", "output"];

/// Pairs that must not know each other although one stands above the other, and the reason.
const STRANGERS: [(&str, &str, &str); 6] = [
    ("replay", "store", "replay works on recordings, not on rows"),
    ("live", "store", "the recorder knows no SQLite"),
    ("live", "rules", "transports do not judge"),
    ("store", "rules", "the store keeps what rules found, it does not judge"),
    ("report", "session", "reports read rows, not the state of a fold"),
    ("report", "capture", "reports read rows, not captures"),
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
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

/// First segments of all `crate::` paths: `crate::a::b`, `crate::{a::b, c}`.
fn imports(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (at, _) in text.match_indices("crate::") {
        if text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let rest = &text[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(group) => names.extend(heads(group)),
            None => names.push(word(rest)),
        }
    }
    names
}

/// The first segments inside a brace group, nested groups skipped.
fn heads(group: &str) -> Vec<String> {
    let (mut names, mut depth, mut start) = (Vec::new(), 0, true);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => start = true,
            c if start && !c.is_whitespace() => {
                names.push(word(&group[at..]));
                start = false;
            }
            _ => {}
        }
    }
    names
}

fn word(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

fn rank(layer: &str) -> Option<usize> {
    LAYERS.iter().position(|name| *name == layer)
}

#[test]
fn imports_go_downward() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let (mut errors, mut seen) = (Vec::new(), 0);
    for path in files {
        let inner = path.strip_prefix(&root).expect("below src").to_path_buf();
        let layer = inner.components().next().expect("a part").as_os_str().to_string_lossy().replace(".rs", "");
        let Some(own) = rank(&layer) else { continue };
        for name in imports(&code_only(&fs::read_to_string(&path).expect("a source"))) {
            if name == layer || EVERYWHERE.contains(&name.as_str()) {
                continue;
            }
            seen += 1;
            let place = inner.display();
            match rank(&name) {
                Some(other) if other > own => {}
                Some(_) => errors.push(format!("{place}: {layer} imports {name}, which stands above it")),
                None => errors.push(format!("{place}: {name} is no layer")),
            }
            if let Some((.., why)) = STRANGERS.iter().find(|(from, to, _)| *from == layer && *to == name) {
                errors.push(format!("{place}: {layer} imports {name}: {why}"));
            }
        }
    }
    assert!(errors.is_empty(), "{}", errors.join("\n"));
    assert!(seen > 50, "the guard has looked at {seen} imports only: does it still find them?");
}

#[test]
fn the_guard_reads_brace_imports() {
    let names = imports("use crate::{store::rows, report::{a, b}, jsonrpc};\nlet x = crate::rules::find(1);");
    assert_eq!(names, ["store", "report", "jsonrpc", "rules"]);
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
        if text.contains("rusqlite") && !inner.starts_with("store") && inner != "capture/formats/lsp_devtools.rs" {
            errors.push(format!("{inner} names rusqlite"));
        }
        if !binary && ["println!", "eprintln!", "print!", "eprint!"].iter().any(|name| text.contains(name)) {
            errors.push(format!("{inner} prints"));
        }
    }
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}
