//! Where clients keep their configuration, and where recordings go.

use std::path::{Path, PathBuf};

use rpctape::error::{Error, ErrorKind, Result};

use crate::cli::commands::sessions::{home, recordings};
use crate::cli::screen::env;

/// A client and the files in which it may keep its servers, the likeliest first. `~` is the home, `%` the folder for settings of programs
/// (`~/.config`, `~/Library/Application Support`, `%APPDATA%`).
const CLIENTS: [(&str, &[&str]); 11] = [
    ("claude-desktop", &["%/Claude/claude_desktop_config.json"]),
    ("claude-code", &[".mcp.json", "~/.claude.json"]),
    ("vscode", &[".vscode/mcp.json", "%/Code/User/mcp.json"]),
    ("cursor", &[".cursor/mcp.json", "~/.cursor/mcp.json"]),
    ("windsurf", &["~/.codeium/windsurf/mcp_config.json"]),
    ("zed", &[".zed/settings.json", "~/.config/zed/settings.json"]),
    ("neovim", &["~/.config/mcphub/servers.json"]),
    ("copilot", &["~/.copilot/mcp-config.json"]),
    ("gemini", &[".gemini/settings.json", "~/.gemini/settings.json"]),
    ("junie", &[".junie/mcp/mcp.json", "~/.junie/mcp/mcp.json"]),
    (
        "opencode",
        &["opencode.json", "opencode.jsonc", "~/.config/opencode/opencode.json", "~/.config/opencode/opencode.jsonc"],
    ),
];

/// The file that is meant: the one that is named, or the first that a client of this name has.
pub fn find(named: &Path) -> Result<PathBuf> {
    let client = CLIENTS.iter().find(|(name, _)| named.as_os_str() == *name);
    let Some((name, places)) = client.filter(|_| !named.exists()) else { return Ok(named.to_path_buf()) };
    let paths: Vec<PathBuf> = places.iter().filter_map(|place| resolved(place)).collect();
    paths.iter().find(|path| path.is_file()).cloned().ok_or_else(|| {
        let tried: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        Error::new(ErrorKind::Usage, format!("there is no configuration of {name}"))
            .hint(format!("looked for {}; name the file", tried.join(", ")))
    })
}

fn resolved(place: &str) -> Option<PathBuf> {
    match (place.strip_prefix("~/"), place.strip_prefix("%/")) {
        (Some(rest), _) => Some(home()?.join(rest)),
        (_, Some(rest)) => Some(settings()?.join(rest)),
        _ => Some(PathBuf::from(place)),
    }
}

fn settings() -> Option<PathBuf> {
    if cfg!(windows) {
        env("APPDATA").map(PathBuf::from)
    } else if cfg!(target_os = "macos") {
        Some(home()?.join("Library/Application Support"))
    } else {
        env("XDG_CONFIG_HOME").map(PathBuf::from).or_else(|| Some(home()?.join(".config")))
    }
}

/// The folder that is named, from the root on: a client is started anywhere.
pub fn folder(named: Option<&Path>) -> Result<PathBuf> {
    let Some(named) = named else { return recordings() };
    std::path::absolute(named).map_err(|error| Error::io("use", &named.display().to_string(), &error))
}
