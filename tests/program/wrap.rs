//! `wrap` and `unwrap` as a user meets them: each client by its name, in a home of its own.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::common::{self, Said, said};

/// A file as each client writes it, and where.
const CLIENTS: [(&str, &str, &str); 11] = [
    (
        "claude-desktop",
        ".config/Claude/claude_desktop_config.json",
        "{\n  \"mcpServers\": {\n    \"files\": {\n      \"command\": \"npx\",\n      \"args\": [\n        \"-y\",\n        \"server\"\n      ]\n    }\n  }\n}",
    ),
    (
        "claude-code",
        ".claude.json",
        "{\"numStartups\":7,\"projects\":{\"/home/me/p\":{\"mcpServers\":{\"x\":{\"type\":\"stdio\",\"command\":\"node\",\"args\":[\"a.js\"],\"env\":{}}},\"history\":[]}}}",
    ),
    (
        "vscode",
        ".config/Code/User/mcp.json",
        "// mine\r\n{\r\n\t\"servers\": {\r\n\t\t\"py\": { \"command\": \"${workspaceFolder}/s\", \"args\": [\"--k=${input:key}\",], }, // here\r\n\t},\r\n\t\"inputs\": [],\r\n}\r\n",
    ),
    (
        "cursor",
        ".cursor/mcp.json",
        "\u{feff}{\"mcpServers\": {\"c\": {\"command\": \"sh\", \"args\": [/* why */ \"-c\", \"echo \\\"\u{fc}\\\"\"]}}}\n",
    ),
    (
        "windsurf",
        ".codeium/windsurf/mcp_config.json",
        "{\"mcpServers\":{\"w\":{\"command\":\"s\",\"disabled\":true},\"r\":{\"serverUrl\":\"https://x/sse\"}}}\n\n",
    ),
    (
        "zed",
        ".config/zed/settings.json",
        "{\n  \"theme\": \"One\", // dark\n  \"context_servers\": {\n    \"n\": { \"enabled\": true, \"args\": [], \"command\": \"s\" },\n    \"o\": { \"source\": \"custom\", \"command\": { \"path\": \"s\", \"args\": [\"x\"], \"env\": null } },\n  },\n}",
    ),
    (
        "neovim",
        ".config/mcphub/servers.json",
        "{\"mcpServers\": {\"a\": {\"command\": \"s\", \"args\": [\"1\"]}}, \"nativeMCPServers\": {}}",
    ),
    (
        "copilot",
        ".copilot/mcp-config.json",
        "{\"mcpServers\": {\"a\": {\"type\": \"local\", \"command\": \"s\", \"args\": [], \"tools\": [\"*\"]}}}",
    ),
    (
        "gemini",
        ".gemini/settings.json",
        "{\n  // mine\n  \"mcpServers\": {\n    \"a\": { \"command\": \"s\", \"cwd\": \"/x\", \"trust\": false },\n    \"b\": { \"httpUrl\": \"https://x/mcp\" }\n  }\n}\n",
    ),
    (
        "junie",
        ".junie/mcp/mcp.json",
        "{\"mcpServers\": {\"a\": {\"command\": \"s\", \"args\": [\"1\"], \"env\": {}}}}\n",
    ),
    (
        "opencode",
        ".config/opencode/opencode.jsonc",
        "{\n  \"mcp\": {\n    \"a\": { \"type\": \"local\", \"command\": [\"bun\", \"x\", \"s\"], \"enabled\": true, },\n    \"b\": { \"type\": \"remote\", \"url\": \"https://x/mcp\" },\n  },\n}\n",
    ),
];

fn run(home: &TempDir, args: &[&str]) -> Said {
    let mut command = common::rpctape();
    command.env("HOME", home.path()).current_dir(home.path()).args(args);
    said(command.output().expect("the program starts"))
}

fn put(home: &TempDir, place: &str, text: &str) -> PathBuf {
    let path = home.path().join(place);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(&path, text).expect("a file");
    path
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("a file")
}

#[test]
fn every_client_gets_its_file_back_byte_for_byte() {
    for (client, place, text) in CLIENTS {
        let home = TempDir::new().expect("a folder");
        let path = put(&home, place, text);
        let kept = PathBuf::from(format!("{}.before-rpctape", path.display()));
        let dry = run(&home, &["wrap", client]);
        assert_eq!((dry.code, read(&path).as_str(), kept.exists()), (0, text, false), "{client}: {}", dry.err);
        assert!(dry.out.contains("recorded") && dry.err.contains("nothing was changed"), "{client}: {}", dry.err);
        let wrapped = run(&home, &["wrap", client, "--write", "--max-size", "10M", "--max-total", "1G"]);
        assert_eq!((wrapped.code, read(&kept).as_str()), (0, text), "{client}: {}", wrapped.err);
        let changed = read(&path);
        let caps = ["--wrapped", "\"--max-size\", \"10M\", \"--max-total\", \"1G\""];
        assert!(caps.iter().all(|cap| changed.contains(cap)), "{client}: {changed}");
        let again = run(&home, &["wrap", client, "--write"]);
        assert_eq!((again.code, read(&path)), (0, changed), "{client}: wrapped once is enough");
        let back = run(&home, &["unwrap", client, "--write"]);
        assert_eq!((back.code, read(&path).as_str(), kept.exists()), (0, text, false), "{client}: {}", back.err);
    }
}

/// Clients read their file, and write it anew with more in it.
#[test]
fn what_a_client_rewrote_stays() {
    let home = TempDir::new().expect("a folder");
    let path =
        put(&home, "c.json", "{\"mcpServers\":{\"a\":{\"command\":\"s\",\"args\":[\"x\"]},\"b\":{\"command\":\"t\"}}}");
    let before: serde_json::Value = serde_json::from_str(&read(&path)).expect("JSON");
    assert_eq!(run(&home, &["wrap", "c.json", "--write"]).code, 0);
    let mut rewritten: serde_json::Value = serde_json::from_str(&read(&path)).expect("JSON");
    rewritten["theme"] = "dark".into();
    fs::write(&path, serde_json::to_string_pretty(&rewritten).expect("JSON")).expect("a file");
    let back = run(&home, &["unwrap", "c.json", "--write"]);
    assert!(back.code == 0 && back.err.contains("what else was edited since stays"), "{}", back.err);
    let after: serde_json::Value = serde_json::from_str(&read(&path)).expect("JSON");
    assert_eq!((&after["mcpServers"], &after["theme"]), (&before["mcpServers"], &"dark".into()));
}

#[test]
fn links_modes_and_files_that_are_read_only_stay() {
    let home = TempDir::new().expect("a folder");
    let text = "{\"mcpServers\":{\"a\":{\"command\":\"s\"}}}";
    let real = put(&home, "dotfiles/claude.json", text);
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("a mode");
    let link = put(&home, ".config/Claude/claude_desktop_config.json", "");
    fs::remove_file(&link).expect("a file");
    symlink(&real, &link).expect("a link");
    assert_eq!(run(&home, &["wrap", "claude-desktop", "--write"]).code, 0);
    let mode = || fs::metadata(&real).expect("a file").permissions().mode() & 0o777;
    assert!(fs::symlink_metadata(&link).expect("a link").is_symlink() && read(&real).contains("--wrapped"));
    assert_eq!(mode(), 0o640);
    assert_eq!(run(&home, &["unwrap", "claude-desktop", "--write"]).code, 0);
    assert_eq!((read(&real).as_str(), mode()), (text, 0o640));
    fs::set_permissions(&real, fs::Permissions::from_mode(0o444)).expect("a mode");
    let refused = run(&home, &["wrap", "claude-desktop", "--write"]);
    assert!(refused.code == 2 && refused.err.contains("read-only"), "{}", refused.err);
    assert_eq!(read(&real), text);
    assert_eq!(fs::read_dir(link.parent().expect("a folder")).expect("a folder").count(), 1, "no copy is left");
    let missing = run(&home, &["wrap", "cursor"]);
    assert!(missing.code == 2 && missing.err.contains("looked for .cursor/mcp.json"), "{}", missing.err);
}
