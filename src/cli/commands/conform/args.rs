//! The flags of `conform`, in the groups of its help text.

use std::path::{Path, PathBuf};

use clap::Args;
use rpctape::conform::{Call, PRELUDE, PROBES, Probe, Speech};
use rpctape::error::{Error, ErrorKind, Result, nearest};
use rpctape::protocol::{Profile, Spoken};

use crate::cli::args::input::spoken;

/// How many requests a storm has.
const STORM: usize = 100;

/// How many with `--fast`: a server that gives one answer after another takes the time of all of them.
const GALE: usize = 20;

/// What is asked for.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "What is asked for")]
pub struct AskArgs {
    /// What the server speaks: mcp, acp, lsp or jsonrpc, with a revision where needed [default: it is asked]
    #[arg(long, value_name = "PROTOCOL", value_parser = spoken)]
    pub proto: Option<&'static Profile>,
    /// The tool whose calls are cancelled [default: the slowest of those that only read and need no arguments]
    #[arg(long, value_name = "NAME", conflicts_with = "slow_request")]
    pub slow_tool: Option<String>,
    /// The request that is cancelled, where there are no tools
    #[arg(long, value_name = "METHOD")]
    pub slow_request: Option<String>,
    /// ACP: the prompt that is cancelled. Prompts may cost money: there is none by default
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["slow_tool", "slow_request"])]
    pub prompt: Option<String>,
    /// LSP: the document that --slow-request is about; it is opened first
    #[arg(long, value_name = "PATH", requires = "slow_request")]
    pub file: Option<PathBuf>,
    /// Arguments of the tool, or parameters of the request: a JSON object
    #[arg(long, value_name = "JSON", value_parser = object, default_value = "{}", hide_default_value = true)]
    pub args: String,
}

/// What is played.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Probes")]
pub struct ProbeArgs {
    /// Say what would be sent and which sentences there are; starts nothing
    #[arg(long)]
    pub list: bool,
    /// Only these probes
    #[arg(long, value_name = "PROBE,...", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Not these
    #[arg(long, value_name = "PROBE,...", value_delimiter = ',')]
    pub skip: Vec<String>,
    /// Play each probe so often whose moment matters
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=20))]
    pub repeat: u8,
    /// Play each probe once
    #[arg(long)]
    pub fast: bool,
    /// Cancel so many requests at once; 0 leaves that out [default: 100, with --fast 20, and 0 for a server that is not on this
    /// machine]
    #[arg(long, value_name = "N", value_parser = storm)]
    pub storm: Option<usize>,
}

impl ProbeArgs {
    /// How many requests a storm has, where nobody says it.
    pub fn storm(&self, remote: bool) -> usize {
        let usual = if self.fast { GALE } else { STORM };
        self.storm.unwrap_or(if remote { 0 } else { usual })
    }
}

/// What may be called.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "What may be sent")]
pub struct PermitArgs {
    /// Call also what is not known to be read-only: METHOD or METHOD:TOOL, `*` for anything
    #[arg(long, value_name = "PATTERN")]
    pub allow: Vec<String>,
    /// Never call these; wins over everything
    #[arg(long, value_name = "PATTERN")]
    pub deny: Vec<String>,
    /// Call everything that is not denied
    #[arg(long)]
    pub allow_all: bool,
}

/// What is known already, and what fails.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "What fails")]
pub struct KnownArgs {
    /// Violations that are known fail nothing; one that is known and not there any more fails
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Write what is violated now into the baseline; notes in it are kept
    #[arg(long, requires = "baseline")]
    pub write_baseline: bool,
    /// What could not be observed fails too
    #[arg(long)]
    pub strict: bool,
}

fn object(text: &str) -> std::result::Result<String, String> {
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(serde_json::Value::Object(_)) => Ok(text.to_string()),
        Ok(_) => Err("it is JSON, but no object: write {\"path\": \"big\"}".to_string()),
        Err(error) => Err(format!("it is no JSON: {error}")),
    }
}

fn storm(text: &str) -> std::result::Result<usize, String> {
    text.parse().ok().filter(|count| *count <= 1_000).ok_or_else(|| "write a number up to 1000".to_string())
}

impl AskArgs {
    /// The request that was named, and what a client says before it.
    pub fn call(&self, speech: &mut Speech) -> Result<()> {
        let profile = speech.profile;
        let none = |what: &str, hint: &str| {
            Err(Error::new(ErrorKind::Usage, format!("{} has no {what}", profile.label())).hint(hint))
        };
        if let Some(text) = &self.prompt {
            let folder = cwd();
            let Some((prelude, method, params)) = profile.prompting(PRELUDE, &folder, text) else {
                return none("prompts", "name a tool: --slow-tool NAME, or a request: --slow-request METHOD");
            };
            speech.prelude = prelude;
            speech.slow = Some(Call { method: method.to_string(), params, tool: None });
        } else if let Some(method) = &self.slow_request {
            let mut params = self.args.clone();
            if let Some(path) = &self.file {
                let Some((prelude, about)) = document(profile, path)? else {
                    return none("documents", "leave --file out");
                };
                speech.prelude = prelude;
                params = joined(&about, &params);
            }
            speech.slow = Some(Call { method: method.clone(), params, tool: None });
        } else if let Some(tool) = &self.slow_tool {
            let Some((method, params)) = profile.tool_call(tool, &self.args) else {
                return none("tools", "name a request: --slow-request METHOD --args JSON, or --prompt TEXT");
            };
            speech.slow = Some(Call { method: method.to_string(), params, tool: Some(tool.clone()) });
        }
        Ok(())
    }
}

/// Where the program was called: a session needs a folder.
#[expect(clippy::disallowed_methods, reason = "only the command line knows where it was called")]
fn cwd() -> String {
    std::env::current_dir().map_or_else(|_| "/".to_string(), |path| path.display().to_string())
}

/// The members of two objects; those of the second stand last, and count.
fn joined(first: &str, second: &str) -> String {
    let inner = |text: &str| text.trim().trim_start_matches('{').strip_suffix('}').unwrap_or("").trim().to_string();
    let own = second.trim().strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or("").trim().to_string();
    if own.is_empty() || own.contains("\"textDocument\"") {
        return if own.is_empty() { first.to_string() } else { second.to_string() };
    }
    format!("{{{},{own}}}", inner(first))
}

/// What opens a document, and the parameters of a request about it.
fn document(profile: &Profile, path: &Path) -> Result<Option<(Spoken, String)>> {
    let name = path.display().to_string();
    let fault = |error: std::io::Error| Error::io("read", &name, &error);
    let text = std::fs::read_to_string(path).map_err(fault)?;
    let whole = std::fs::canonicalize(path).map_err(fault)?;
    let language = match whole.extension().and_then(|end| end.to_str()).unwrap_or("") {
        "rs" => "rust",
        "py" => "python",
        "ts" => "typescript",
        "js" => "javascript",
        "cc" | "cpp" | "h" | "hpp" => "cpp",
        "" => "plaintext",
        other => other,
    };
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    let uri: String = whole
        .display()
        .to_string()
        .bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect();
    Ok(profile.document(&format!("file://{uri}"), language, &text))
}

impl ProbeArgs {
    /// The probes that are played.
    pub fn chosen(&self) -> Result<Vec<&'static Probe>> {
        let fits = |probe: &Probe, name: &String| {
            probe.name == name || probe.name.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('-'))
        };
        for name in self.only.iter().chain(&self.skip) {
            if !PROBES.iter().any(|probe| fits(probe, name)) {
                let error = Error::new(ErrorKind::Usage, format!("there is no probe {name}"));
                let near = nearest(name, PROBES.iter().map(|probe| probe.name));
                return Err(error.hint(match near {
                    Some(near) => format!("did you mean {near}?"),
                    None => "--list names them".to_string(),
                }));
            }
        }
        let wanted = |probe: &&Probe| {
            (self.only.is_empty() || self.only.iter().any(|name| fits(probe, name)))
                && !self.skip.iter().any(|name| fits(probe, name))
        };
        Ok(PROBES.iter().filter(wanted).collect())
    }
}
