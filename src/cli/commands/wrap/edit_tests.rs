//! Configurations as clients have them, wrapped and unwrapped.

use super::*;

struct Here;

impl Recorder for Here {
    fn program(&self) -> String {
        "/bin/rpctape".to_string()
    }
    fn args(&self, server: &str) -> Vec<String> {
        vec!["-o".to_string(), format!("/rec/{server}/")]
    }
    fn takes(&self, server: &str) -> bool {
        server != "not-me"
    }
}

const CLAUDE: &str = r#"{
  "mcpServers": {
    "files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/data"], "env": {"A": "b"} },
    "bare": { "command": "C:\\Tools\\s.exe" },
    "empty": {"command":"uvx","args":[ ]},
    "remote": { "url": "https://example.com/mcp" }
  },
  "globalShortcut": ""
}
"#;
const CODE: &str = "{\"numStartups\": 3,\r\n\t\"projects\": {\"/home/me/p\": {\"mcpServers\": {\"x\": {\"type\": \"stdio\", \"args\": [\r\n\t\t\"a\",\r\n\t\t\"b\"\r\n\t], \"command\": \"n\\u006fde\"}}}}}";
const VSCODE: &str = r#"// servers of this folder
{
	"inputs": [ { "id": "key", "type": "promptString" }, ],
	"servers": {
		/* the usual one */
		"py": { "type": "stdio", "command": "${workspaceFolder}/s", "args": ["--key=${input:key}", ], "envFile": ".env" }, // here
	},
}
"#;
const VSCODE_USER: &str = r#"{"editor.servers": {"servers": {"no": {"command": "x"}}}, "mcp": {"servers": {"a": {"command": "b", "args": []}}}}"#;
const CURSOR: &str = "\u{feff}{\n  // mine\n  \"mcpServers\": {\"c\": {\"command\": \"sh\", \"args\": [/* why */ \"-c\", \"echo \\\"ü\\\"\"]}}\n}";
const ZED: &str = r#"{
  "theme": "One", // dark
  "context_servers": {
    "old": { "source": "custom", "command": { "path": "s", "args": ["x"], "env": null } },
    "new": { "enabled": true, "command": "s", "args": ["x"] },
    "extension": { "settings": {} },
  },
}"#;
const NEOVIM: &str =
    r#"{"mcpServers": {"a": {"command": "s", "args": ["1", 2]}, "not-me": {"command": "t"}}, "nativeMCPServers": {}}"#;
const WINDSURF: &str = "{\"mcpServers\":{\"w\":{\"command\":\"s\",\"args\":[\"a\"],\"disabled\":true},\"r\":{\"serverUrl\":\"https://x/sse\"}}}\n\n";
const OPENCODE: &str =
    r#"{"mcp": {"o": {"type": "local", "command": ["bun", "x", "s"], "environment": {}}, "e": {"command": []}}}"#;

const ALL: [&str; 9] = [CLAUDE, CODE, VSCODE, VSCODE_USER, CURSOR, ZED, NEOVIM, WINDSURF, OPENCODE];

fn edited(text: &str) -> usize {
    wrap(text, &Here).expect("a configuration").servers.iter().filter(|one| one.done == Done::Edited).count()
}

#[test]
fn unwrapping_gives_every_byte_back() {
    for (config, servers) in ALL.into_iter().zip([3, 1, 1, 1, 1, 2, 1, 1, 1]) {
        assert_eq!(edited(config), servers, "{config}");
        let wrapped = wrap(config, &Here).expect("a configuration").text;
        assert_ne!(wrapped, config);
        assert_eq!(unwrap(&wrapped).expect("a configuration").text, config);
        let again = wrap(&wrapped, &Here).expect("a configuration");
        assert_eq!(again.text, wrapped, "what is wrapped is left alone");
    }
}

#[test]
fn the_server_is_started_as_before() {
    let strip = |text: &str| text.trim_start_matches('\u{feff}').to_string();
    for (config, map, name, argv) in [
        (CLAUDE, "/mcpServers", "files", vec!["npx", "-y", "@modelcontextprotocol/server-filesystem", "/data"]),
        (CLAUDE, "/mcpServers", "bare", vec!["C:\\Tools\\s.exe"]),
        (CLAUDE, "/mcpServers", "empty", vec!["uvx"]),
        (CODE, "/projects/~1home~1me~1p/mcpServers", "x", vec!["node", "a", "b"]),
        (WINDSURF, "/mcpServers", "w", vec!["s", "a"]),
    ] {
        let wrapped: serde_json::Value =
            serde_json::from_str(&strip(&wrap(config, &Here).expect("a configuration").text)).expect("JSON");
        let server = wrapped.pointer(map).and_then(|map| map.get(name)).expect("a server");
        let args: Vec<&str> =
            server["args"].as_array().expect("a list").iter().filter_map(|one| one.as_str()).collect();
        assert_eq!(server["command"], "/bin/rpctape");
        let folder = format!("/rec/{name}/");
        assert_eq!(args[..3], ["record", "-o", &folder]);
        let dashes = args.iter().position(|one| *one == "--").expect("the end of ours");
        assert_eq!(args[dashes + 1..], argv[..]);
    }
    let wrapped: serde_json::Value = serde_json::from_str(&wrap(OPENCODE, &Here).expect("one").text).expect("JSON");
    let argv = wrapped["mcp"]["o"]["command"].as_array().expect("a list");
    assert_eq!((argv[0].as_str(), argv[argv.len() - 3].as_str()), (Some("/bin/rpctape"), Some("bun")));
}

#[test]
fn other_edits_in_between_stay() {
    let wrapped = wrap(CLAUDE, &Here)
        .expect("a configuration")
        .text
        .replace("globalShortcut", "shortcut")
        .replace("/data", "/other");
    let text = unwrap(&wrapped).expect("a configuration").text;
    assert_eq!(text, CLAUDE.replace("globalShortcut", "shortcut").replace("/data", "/other"));
    let broken = wrapped.replacen("\"--\", ", "", 1);
    assert!(unwrap(&broken).expect_err("edited by hand").message.starts_with("line 3"));
}

/// Programs that write the file anew may sort its members, and people add arguments.
#[test]
fn arguments_that_were_put_there_go_wherever_they_stand() {
    let ours = |more: &str| format!(r#"["record", "-o", "/rec/s/", "--wrapped=args", "--", "s"{more}]"#);
    for (wrapped, before) in [
        (format!(r#"{{"args": {}, "command": "r"}}"#, ours("")), r#"{"command": "s"}"#),
        (format!("{{\n \"args\": {},\n \"command\": \"r\"}}", ours("")), "{\n \"command\": \"s\"}"),
        (format!(r#"{{"command": "r", "env": {{}}, "args": {}}}"#, ours("")), r#"{"command": "s", "env": {}}"#),
        (format!(r#"{{"command": "r", "args": {}}}"#, ours(r#", "-v""#)), r#"{"command": "s", "args": ["-v"]}"#),
    ] {
        let config = |server: &str| format!("{{\"mcpServers\": {{\"s\": {server}}}}}");
        assert_eq!(unwrap(&config(&wrapped)).expect(&wrapped).text, config(before));
    }
}

#[test]
fn what_is_left_alone_is_named_with_the_reason() {
    let left = |text: &str, name: &str| {
        let servers = wrap(text, &Here).expect("a configuration").servers;
        servers.into_iter().find(|one| one.name == name).map(|one| one.done)
    };
    assert!(matches!(left(CLAUDE, "remote"), Some(Done::Left(why)) if why.contains("HTTP")));
    assert_eq!(left(NEOVIM, "not-me"), Some(Done::Left("not named")));
    assert_eq!(left(ZED, "extension"), Some(Done::Left("has no command")));
    assert_eq!(left(VSCODE_USER, "no"), None, "servers of something else");
}

#[test]
fn what_is_not_understood_is_refused_with_its_line() {
    for (bad, line) in [("{\n'mcpServers': {}}", 2), ("{\n\n\"a\": }", 3), ("{a: 1}", 1), ("{\"a\" 1}", 1)] {
        let error = wrap(bad, &Here).expect_err(bad);
        assert!(error.message.starts_with(&format!("line {line}: ")), "{bad}: {}", error.message);
    }
    assert!(wrap("", &Here).expect("empty").servers.is_empty());
    assert!(wrap("[1]", &Here).expect("a list").servers.is_empty());
}

proptest::proptest! {
    #[test]
    fn any_command_comes_back(command in ".{0,12}", args in proptest::collection::vec(".{0,8}", 0..4), name in "[a-z]{1,5}") {
        let config = serde_json::json!({"mcpServers": {name: {"command": command, "args": args}}}).to_string();
        let wrapped = wrap(&config, &Here).expect("a configuration");
        // A command that already carries the mark is left alone.
        if wrapped.text != config {
            proptest::prop_assert_eq!(unwrap(&wrapped.text).expect("a configuration").text, config);
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in "[{}\\[\\]\",:a-z\\\\/*\n ]{0,60}") {
        let _ = wrap(&text, &Here);
        let _ = unwrap(&text);
    }
}
