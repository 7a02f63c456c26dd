//! Which server is played against: a command line, an address, or an entry of a client's configuration.

use std::path::{Path, PathBuf};

use rpctape::error::{Error, ErrorKind, Result};
use rpctape::live::{Access, Command, Target};
use rpctape::output;
use serde::Deserialize;

use super::access::{Filled, access};
use super::args::TargetArgs;
use crate::cli::args::config::ReplayConfig;
use crate::cli::args::jsonc;
use rpctape::error::nearest;
use rpctape::report::shell;

/// The live side, ready to be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// What is started or connected to.
    pub target: Target,
    /// In words: `stdio: node build/index.js`.
    pub label: String,
    /// True if it is not on this machine.
    pub remote: bool,
    /// What it wants beside its address.
    pub access: Access,
    /// Values that were filled in or given as headers: they are shown nowhere.
    pub secrets: Vec<String>,
}

impl Server {
    /// What the flags name; `None` where they name nothing.
    /// The configuration is asked where the flags name none.
    pub fn of(args: &TargetArgs, config: &ReplayConfig) -> Result<Option<Server>> {
        let mut filled = Filled::default();
        let mut headers: Vec<String> = Vec::new();
        let mut target = if let (Some(config), Some(name)) = (&args.config, &args.server) {
            let (target, own) = entry(config, name, &mut filled)?;
            headers = own;
            target
        } else if let Some(url) = &args.url {
            url_target(url)?
        } else if let Some(place) = &args.connect {
            address(place)?
        } else if !args.command.is_empty() {
            command(&args.command)
        } else if let Some(url) = &config.url {
            url_target(url)?
        } else if let Some(place) = &config.connect {
            address(place)?
        } else if config.command.is_empty() {
            // What is wrong with the flags is said also where no server is needed.
            access(&args.header, &args.ca, &[], &mut filled)?;
            return Ok(None);
        } else {
            command_in(config.folder.clone(), &config.command)
        };
        match &mut target {
            Target::Command(command) => command.env.extend(args.env.iter().cloned()),
            _ if !args.env.is_empty() => {
                let error = Error::new(ErrorKind::Usage, "--env is for a server that is started here");
                return Err(error.hint("this one runs already"));
            }
            _ => {}
        }
        let by_hand = !args.header.is_empty();
        if by_hand && !matches!(target, Target::Http(_) | Target::HttpSse(_) | Target::Ws(_)) {
            let error = Error::new(ErrorKind::Usage, "--header is for servers over HTTP and WebSocket");
            return Err(error.hint("name one with --url, or with --connect sse:URL or ws:URL"));
        }
        let access = access(&args.header, &args.ca, &headers, &mut filled)?;
        let mut server = Server::new(target);
        server.label = filled.unfilled(&server.label);
        Ok(Some(Server { access, secrets: filled.values, ..server }))
    }

    /// The same from one word: a URL, an address as in --connect, or a command line.
    pub fn read(text: &str) -> Result<Server> {
        let scheme = text.split_once(':').map(|(scheme, _)| scheme);
        let target = match scheme {
            Some("http" | "https") => url_target(text)?,
            Some("tcp" | "unix" | "ws" | "wss" | "sse") => address(text)?,
            _ => command(&shlex::split(text).ok_or_else(|| {
                let message = format!("the command {text} ends within quotes, or behind a backslash");
                Error::new(ErrorKind::Usage, message).hint("it is taken apart as a shell does; quote what holds blanks")
            })?),
        };
        Ok(Server::new(target))
    }

    fn new(target: Target) -> Server {
        let (label, remote) = match &target {
            Target::Command(command) => (format!("stdio: {}", shown(command)), false),
            Target::Http(url) => (format!("http: {url}"), !is_local(host(url))),
            Target::HttpSse(url) => (format!("sse: {url}"), !is_local(host(url))),
            Target::Ws(url) => (format!("ws: {url}"), !is_local(host(url))),
            Target::Tcp(address) => {
                let host = address.rsplit_once(':').map_or(address.as_str(), |(host, _)| host);
                (format!("tcp: {address}"), !is_local(host))
            }
            Target::Unix(path) => (format!("unix: {}", path.display()), false),
        };
        Server { target, label, remote, access: Access::default(), secrets: Vec::new() }
    }

    /// Its secrets, as shapes that are replaced wherever they stand. Short ones stand in too much other text.
    pub fn hidden(&self) -> Vec<String> {
        let secrets = self.secrets.iter().filter(|value| value.len() >= super::SHORTEST_SECRET);
        secrets.map(|value| regex::escape(value)).collect()
    }

    /// An error where it may not be used.
    pub fn admit(&self, remote: bool) -> Result<()> {
        if !self.remote || remote {
            return Ok(());
        }
        let message = format!("{} is not on this machine", self.label);
        Err(Error::new(ErrorKind::Usage, message)
            .hint("what is replayed has effects there: see what would be sent with --dry-run, then add --remote"))
    }
}

fn command(words: &[String]) -> Target {
    command_in(None, words)
}

fn command_in(cwd: Option<PathBuf>, words: &[String]) -> Target {
    let (program, args) =
        words.split_first().map_or((String::new(), Vec::new()), |(first, rest)| (first.clone(), rest.to_vec()));
    Target::Command(Command { program, args, cwd, ..Command::default() })
}

fn shown(command: &Command) -> String {
    shell::words(std::iter::once(command.program.as_str()).chain(command.args.iter().map(String::as_str)))
}

fn url_target(url: &str) -> Result<Target> {
    match url.split_once("://") {
        Some(("http" | "https", rest)) if !rest.is_empty() && !rest.starts_with('/') => {
            Ok(Target::Http(url.to_string()))
        }
        Some(("ws" | "wss", _)) => Ok(Target::Ws(url.to_string())),
        _ => Err(Error::new(ErrorKind::Usage, format!("{url} is no URL of an HTTP server"))
            .hint("write it whole: --url http://127.0.0.1:3000/mcp")),
    }
}

fn address(place: &str) -> Result<Target> {
    let fault = |why: &str| {
        Error::new(ErrorKind::Usage, format!("cannot connect to {place}: {why}"))
            .hint("write tcp:HOST:PORT, unix:PATH, ws:URL, wss:URL or sse:URL")
    };
    let (kind, rest) = place.split_once(':').ok_or_else(|| fault("it is no address"))?;
    match kind {
        _ if rest.is_empty() => Err(fault("nothing stands behind the colon")),
        "tcp" => match rest.rsplit_once(':') {
            Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok() => Ok(Target::Tcp(rest.to_string())),
            _ => Err(fault("the port is missing or no number")),
        },
        "unix" => Ok(Target::Unix(PathBuf::from(rest))),
        // `ws:URL` with the URL's own scheme, or the URL alone, or without the scheme.
        "ws" | "wss" if rest.starts_with("//") => Ok(Target::Ws(place.to_string())),
        "ws" | "wss" if rest.starts_with("ws://") || rest.starts_with("wss://") => Ok(Target::Ws(rest.to_string())),
        "ws" | "wss" => Ok(Target::Ws(format!("{kind}://{rest}"))),
        "sse" if rest.starts_with("http://") || rest.starts_with("https://") => Ok(Target::HttpSse(rest.to_string())),
        "http" | "https" => url_target(place),
        _ => Err(fault(&format!("there is no way to connect called {kind}"))),
    }
}

/// The host of a URL, without user, port and brackets.
fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    match authority.strip_prefix('[') {
        Some(inner) => inner.split(']').next().unwrap_or(inner),
        None => authority.split(':').next().unwrap_or(authority),
    }
}

fn is_local(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
    let address: Option<std::net::IpAddr> = host.parse().ok();
    host == "localhost" || host.ends_with(".localhost") || address.is_some_and(|address| address.is_loopback())
}

/// A client's configuration, as the MCP Inspector, Claude Desktop and editors write it.
#[derive(Deserialize)]
struct Clients {
    #[serde(rename = "mcpServers", alias = "servers")]
    servers: std::collections::BTreeMap<String, Entry>,
}

#[derive(Deserialize)]
struct Entry {
    #[serde(rename = "type", alias = "transport")]
    kind: Option<String>,
    command: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: std::collections::BTreeMap<String, String>,
    cwd: Option<PathBuf>,
    url: Option<String>,
    #[serde(default)]
    headers: std::collections::BTreeMap<String, String>,
}

/// The server of that name, and its headers.
fn entry(path: &Path, name: &str, filled: &mut Filled) -> Result<(Target, Vec<String>)> {
    let file = path.display().to_string();
    output::claim(path, "the client's configuration")?;
    let text = output::read_small(path).map_err(|error| Error::io("read", &file, &error))?;
    let read = |text: &str| serde_json::from_value(jsonc::read(text)?).map_err(|error| error.to_string());
    let clients: Clients = read(&text).map_err(|error| {
        Error::new(ErrorKind::Input, format!("{file} is no configuration of a client: {error}"))
            .hint("it is JSON, perhaps with comments, with mcpServers: {\"NAME\": {\"command\": ..., \"args\": [...]}}")
    })?;
    let Some(entry) = clients.servers.get(name) else {
        let names: Vec<&str> = clients.servers.keys().map(String::as_str).collect();
        let error = Error::new(ErrorKind::Usage, format!("{file} has no server {name}"));
        return Err(match nearest(name, names.iter().copied()) {
            Some(near) => error.hint(format!("did you mean {near}?")),
            None => error.hint(format!("it has {}", names.join(", "))),
        });
    };
    let what = format!("server {name} in {file}");
    let mut fill = |text: &String| filled.fill(text, &what);
    let target = match (&entry.command, &entry.url, entry.kind.as_deref()) {
        (Some(program), ..) => Target::Command(Command {
            program: fill(program)?,
            args: entry.args.iter().map(&mut fill).collect::<Result<_>>()?,
            env: entry.env.iter().map(|(name, value)| Ok((name.clone(), fill(value)?))).collect::<Result<_>>()?,
            cwd: entry.cwd.clone(),
        }),
        (None, Some(url), Some("sse")) => Target::HttpSse(fill(url)?),
        (None, Some(url), _) => url_target(&fill(url)?)?,
        (None, None, _) => {
            return Err(Error::new(ErrorKind::Input, format!("{what} has neither command nor url")));
        }
    };
    // Of a server that is started they go nowhere.
    let headers = match target {
        Target::Command(_) => Vec::new(),
        _ => entry.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect(),
    };
    Ok((target, headers))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_on_this_machine_is_remote() {
        for local in [
            "http://localhost:3000/mcp",
            "http://127.0.0.1/mcp",
            "http://[::1]:80/",
            "ws://a.localhost/x",
            "tcp:127.9.9.9:1",
            "unix:/tmp/x",
        ] {
            assert!(!Server::read(local).unwrap().remote, "{local}");
        }
        for far in [
            "https://example.com/mcp",
            "http://localhost@evil.example/",
            "http://127.0.0.1.evil.example/",
            "tcp:10.0.0.1:80",
            "ws://example.com",
        ] {
            let server = Server::read(far).unwrap();
            assert!(server.remote && server.admit(false).is_err() && server.admit(true).is_ok(), "{far}");
        }
    }

    #[test]
    fn addresses() {
        assert_eq!(address("tcp:[::1]:80").unwrap(), Target::Tcp("[::1]:80".into()));
        assert_eq!(address("ws:ws://h:1/p").unwrap(), Target::Ws("ws://h:1/p".into()));
        assert_eq!(address("ws://h:1/p").unwrap(), Target::Ws("ws://h:1/p".into()));
        assert_eq!(address("ws:h:1/p").unwrap(), Target::Ws("ws://h:1/p".into()));
        for secure in ["wss:wss://h:1/p", "wss://h:1/p", "wss:h:1/p", "ws:wss://h:1/p"] {
            assert_eq!(address(secure).unwrap(), Target::Ws("wss://h:1/p".into()), "{secure}");
        }
        for bad in ["", "tcp:", "tcp:h", "tcp:h:x", "udp:h:1", "sse:h"] {
            assert!(address(bad).is_err(), "{bad}");
        }
        assert!(url_target("localhost:3000").is_err());
    }

    #[test]
    fn a_client_s_configuration_names_servers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mcp.json");
        let text = r#"{"mcpServers":{"one":{"command":"node","args":["a.js"],"env":{"K":"v"}},"two":{"type":"sse","url":"http://localhost/sse"}}}"#;
        // As editors write it.
        let text = format!("\u{feff}// mine\n{}", text.replace("}}}", "},}/* all */}"));
        std::fs::write(&path, text).unwrap();
        let entry =
            |path: &Path, name: &str| super::entry(path, name, &mut Filled::default()).map(|(target, _)| target);
        let Target::Command(one) = entry(&path, "one").unwrap() else { panic!("a command") };
        assert_eq!((one.program.as_str(), one.env), ("node", vec![("K".to_string(), "v".to_string())]));
        assert_eq!(entry(&path, "two").unwrap(), Target::HttpSse("http://localhost/sse".into()));
        assert!(entry(&path, "oen").unwrap_err().hint.is_some_and(|hint| hint.contains("one")));
    }
}
