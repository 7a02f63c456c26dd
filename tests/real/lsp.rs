//! Language servers: a request that is cancelled and answered all the same.

use std::path::Path;

use serde_json::{Value, json};

use super::client::Framing;
use super::{Client, Pair, after_dashes, audited, command, installed, ours, replayed};

/// What is asked of a language server.
struct Document {
    language: &'static str,
    file: &'static str,
    text: String,
    /// Where the symbol stands that is asked about.
    line: u32,
    character: u32,
}

fn holds(pair: &Pair, document: &Document) {
    let folder = tempfile::tempdir().expect("a folder");
    let recording = folder.path().join("real.rec.jsonl");
    let root = format!("file://{}", folder.path().display());
    let uri = format!("{root}/{}", document.file);
    std::fs::write(folder.path().join(document.file), &document.text).expect("the document");
    let mut client = Client::recorded(&recording, Framing::ContentLength, &pair.server);
    client.ask(
        1,
        "initialize",
        json!({"processId": null, "rootUri": root, "capabilities": {}, "workspaceFolders": [{"uri": root, "name": "w"}]}),
    );
    client.notify("initialized", json!({}));
    let item = json!({"uri": uri, "languageId": document.language, "version": 1, "text": document.text});
    client.notify("textDocument/didOpen", json!({"textDocument": item}));
    let place =
        json!({"textDocument": {"uri": uri}, "position": {"line": document.line, "character": document.character}});
    let hover = client.ask(2, "textDocument/hover", place.clone());
    assert!(hover["result"].is_object(), "{}: nothing to hover over: {hover}", pair.what);
    client.ask(3, "textDocument/documentSymbol", json!({"textDocument": {"uri": uri}}));
    let mut references = place.clone();
    references["context"] = json!({"includeDeclaration": true});
    client.request(4, "textDocument/references", references);
    client.notify("$/cancelRequest", json!({"id": 4}));
    client.answer(&json!(4));
    client.ask(5, "textDocument/hover", place);
    client.ask(6, "shutdown", Value::Null);
    client.notify("exit", Value::Null);
    client.finish();

    let (findings, exit) = audited(&recording);
    assert_eq!(exit, 0, "{}: {findings:?}", pair.what);

    let same = replayed(&recording, &[], &after_dashes(&pair.server));
    assert_eq!(same.exit, 0, "{}: {}", pair.what, same.differences());
    assert_eq!(same.verdict(&json!(5)), "same", "{}: {}", pair.what, same.differences());
    let cancelled = same.verdict(&json!(4));
    assert!(["same", "raced"].contains(&cancelled.as_str()), "{}: {}", pair.what, same.differences());

    let changed = replayed(&recording, &[], &after_dashes(&pair.changed));
    assert_eq!(changed.exit, 1, "{}: {}", pair.what, changed.differences());
    assert_eq!(changed.verdict(&json!(2)), "changed", "{}: {}", pair.what, changed.differences());
    println!("checked: {}: recorded, audited, replayed, and told from a changed build", pair.what);
}

/// The same server behind a filter that changes a word of its answers.
fn filtered(what: &str, server: &[String], old: &str, new: &str) -> Option<Vec<String>> {
    let mut words = command(what, &["python3", &ours("filter.py")])?;
    words.extend([old.to_string(), new.to_string()]);
    words.extend_from_slice(server);
    Some(words)
}

#[test]
fn clangd() {
    let what = "clangd";
    let Some(server) = command(what, &["clangd", "--background-index=false", "-j=1"]) else { return };
    let Some(changed) = filtered(what, &server, "parrot", "walrus") else { return };
    let mut text = String::from("#include <map>\n#include <regex>\n#include <string>\n#include <vector>\n");
    for number in 0..200 {
        text += &format!("int parrot{number}(std::map<int, std::string> m) {{ return m.size() + {number}; }}\n");
    }
    let document = Document { language: "cpp", file: "birds.cpp", text, line: 10, character: 5 };
    holds(&Pair { what, server, changed }, &document);
}

#[test]
fn pyright() {
    let what = "pyright";
    let script = installed().join("npm/node_modules/pyright/langserver.index.js");
    assert!(!script.exists() || Path::new(&script).is_file());
    let Some(server) = command(what, &["node", &script.display().to_string(), "--stdio"]) else { return };
    let Some(changed) = filtered(what, &server, "parrot", "walrus") else { return };
    let mut text = String::new();
    for number in 0..200 {
        text += &format!("def parrot{number}(m: dict[int, str]) -> int:\n    return len(m) + {number}\n\n");
    }
    let document = Document { language: "python", file: "birds.py", text, line: 3, character: 6 };
    holds(&Pair { what, server, changed }, &document);
}
