//! Edits of a client's configuration: splices into its text, so that every other byte stays as it is.
//!
//! The old command is moved into the arguments as it is spelled, and `--wrapped` marks what was put there. Unwrapping is the same splice
//! backwards, wherever else the file was edited meanwhile.

use std::ops::Range;

use jsonc_parser::ast::{Array, Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, parse_to_ast};
use rpctape::error::{Error, ErrorKind, Result};

use crate::cli::args::jsonc;

/// Where clients keep the servers that they start, wherever it stands.
const MAPS: [&str; 2] = ["mcpServers", "context_servers"];

/// How deep such an object may lie: `projects.PATH.mcpServers`.
const DEPTH: usize = 3;

/// The mark among the arguments of a server that was wrapped.
pub const MARK: &str = "--wrapped";

/// The mark where there were no arguments at all before.
pub const MARK_ARGS: &str = "--wrapped=args";

/// What became of one server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Done {
    /// It is recorded from now on, or not any more.
    Edited,
    /// It is left alone, and why.
    Left(&'static str),
}

/// A server of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// Its name.
    pub name: String,
    /// What became of it.
    pub done: Done,
}

/// The new text, and what became of each server in it.
#[derive(Debug)]
pub struct Edited {
    /// The text.
    pub text: String,
    /// The servers, in their order.
    pub servers: Vec<Server>,
}

/// What the recorder is started with.
pub trait Recorder {
    /// The path of the program.
    fn program(&self) -> String;
    /// The arguments before the mark, for a server of this name.
    fn args(&self, server: &str) -> Vec<String>;
    /// True if this server is meant.
    fn takes(&self, server: &str) -> bool;
}

/// Replaces a stretch of the text.
type Splice = (Range<usize>, String);

/// Puts the recorder before the command of every server.
pub fn wrap(text: &str, recorder: &dyn Recorder) -> Result<Edited> {
    edit(text, |text, name, server| {
        if !recorder.takes(name) {
            return Ok((Done::Left("not named"), Vec::new()));
        }
        Ok(match launch(server) {
            Launch::None(why) => (Done::Left(why), Vec::new()),
            launch if words(&launch).iter().any(|word| *word == MARK || *word == MARK_ARGS) => {
                (Done::Left("is recorded already"), Vec::new())
            }
            Launch::Array(command) => wrap_array(name, command, recorder),
            Launch::Pair(command, args) => {
                (Done::Edited, wrap_pair(text, name, command, args.map(|(_, args)| args), recorder))
            }
        })
    })
}

/// Takes the recorder out again.
pub fn unwrap(text: &str) -> Result<Edited> {
    edit(text, |text, _, server| {
        let launch = launch(server);
        let words = words(&launch);
        let Some(mark) = words.iter().position(|word| *word == MARK || *word == MARK_ARGS) else {
            return Ok((Done::Left("is not recorded"), Vec::new()));
        };
        let fault = || {
            let at = line_of(text, server.range.start);
            Error::new(
                ErrorKind::Input,
                format!("line {at}: what wrap put there was edited since, and is not understood"),
            )
            .hint("put the command back by hand, or take the copy that wrap kept")
        };
        if words.get(mark + 1) != Some(&"--") {
            return Err(fault());
        }
        let splices = match launch {
            Launch::Array(command) => unwrap_array(text, command, mark),
            // Where somebody added arguments to ours, the list is his.
            Launch::Pair(command, Some((_, args))) if words[mark] == MARK || words.len() > mark + 3 => {
                unwrap_args(text, command, args, mark)
            }
            Launch::Pair(command, Some((property, args))) => unwrap_inserted(text, command, property, args, mark),
            Launch::Pair(..) | Launch::None(_) => None,
        };
        Ok((Done::Edited, splices.ok_or_else(fault)?))
    })
}

/// How a server is started.
enum Launch<'o, 'a> {
    /// A command, and its arguments where there are any.
    Pair(&'o ObjectProp<'a>, Option<(&'o ObjectProp<'a>, &'o Array<'a>)>),
    /// One list of both.
    Array(&'o Array<'a>),
    /// It is not started, or not in a way that is understood.
    None(&'static str),
}

fn launch<'o, 'a>(server: &'o Object<'a>) -> Launch<'o, 'a> {
    let Some(command) = server.get("command") else {
        let remote = ["url", "serverUrl", "httpUrl"].into_iter().any(|key| server.get(key).is_some());
        return Launch::None(if remote {
            "is reached over HTTP: `rpctape record --http` stands before it"
        } else {
            "has no command"
        });
    };
    match &command.value {
        Value::StringLit(_) => pair(server, command),
        Value::Array(array) if array.elements.is_empty() => Launch::None("has an empty command"),
        Value::Array(array) => Launch::Array(array),
        // Zed until 2025: {"command": {"path": ..., "args": [...]}}.
        Value::Object(object) => match object.get("path") {
            Some(path) if matches!(path.value, Value::StringLit(_)) => pair(object, path),
            _ => Launch::None("has no command"),
        },
        _ => Launch::None("has no command"),
    }
}

fn pair<'o, 'a>(object: &'o Object<'a>, command: &'o ObjectProp<'a>) -> Launch<'o, 'a> {
    match object.get("args").map(|args| (args, &args.value)) {
        None => Launch::Pair(command, None),
        Some((property, Value::Array(args))) => Launch::Pair(command, Some((property, args))),
        Some(_) => Launch::None("has arguments that are no list"),
    }
}

/// The arguments that are text; any other value is an empty word.
fn words<'o>(launch: &'o Launch<'_, '_>) -> Vec<&'o str> {
    let list = match launch {
        Launch::Pair(_, Some((_, args))) => args,
        Launch::Array(array) => array,
        _ => return Vec::new(),
    };
    list.elements.iter().map(|word| word.as_string_lit().map_or("", |word| word.value.as_ref())).collect()
}

/// What stands before the old command: `"record", "-o", "DIR/", "--wrapped", "--", `.
fn opening(name: &str, mark: &str, recorder: &dyn Recorder) -> String {
    let mut words = vec!["record".to_string()];
    words.extend(recorder.args(name));
    words.extend([mark.to_string(), "--".to_string()]);
    words.iter().map(|word| format!("{}, ", quoted(word))).collect()
}

fn wrap_pair(
    text: &str,
    name: &str,
    command: &ObjectProp<'_>,
    args: Option<&Array<'_>>,
    recorder: &dyn Recorder,
) -> Vec<Splice> {
    let place = command.value.range();
    let old = &text[place.start..place.end];
    let program = quoted(&recorder.program());
    match args {
        Some(args) => {
            let after = args.range.start + 1;
            let comma = if args.elements.is_empty() { "" } else { ", " };
            let moved = format!("{}{old}{comma}", opening(name, MARK, recorder));
            vec![(place.start..place.end, program), (after..after, moved)]
        }
        None => {
            let moved = format!("{program}, \"args\": [{}{old}]", opening(name, MARK_ARGS, recorder));
            vec![(place.start..place.end, moved)]
        }
    }
}

fn wrap_array(name: &str, command: &Array<'_>, recorder: &dyn Recorder) -> (Done, Vec<Splice>) {
    let after = command.range.start + 1;
    let moved = format!("{}, {}", quoted(&recorder.program()), opening(name, MARK, recorder));
    (Done::Edited, vec![(after..after, moved)])
}

fn unwrap_args(text: &str, command: &ObjectProp<'_>, args: &Array<'_>, mark: usize) -> Option<Vec<Splice>> {
    let old = args.elements.get(mark + 2)?.range();
    let literal = text.get(old.start..old.end)?.to_string();
    let mut end = old.end;
    if args.elements.len() > mark + 3 {
        end += comma(text.get(end..)?)?;
    }
    let place = command.value.range();
    Some(vec![(place.start..place.end, literal), (args.range.start + 1..end, String::new())])
}

/// Takes out arguments that were inserted, wherever a client has put them since.
fn unwrap_inserted(
    text: &str,
    command: &ObjectProp<'_>,
    property: &ObjectProp<'_>,
    args: &Array<'_>,
    mark: usize,
) -> Option<Vec<Splice>> {
    let (place, own) = (command.value.range(), property.range());
    let old = args.elements.get(mark + 2)?.range();
    let literal = text.get(old.start..old.end)?.to_string();
    let before = text.get(..own.start)?.trim_end();
    let gone = match before.strip_suffix(',') {
        Some(before) => before.len()..own.end,
        None => {
            let behind = text.get(own.end..)?;
            let next = behind.trim_start().strip_prefix(',')?.trim_start();
            own.start..own.end + behind.len() - next.len()
        }
    };
    Some(vec![(place.start..place.end, literal), (gone, String::new())])
}

fn unwrap_array(text: &str, command: &Array<'_>, mark: usize) -> Option<Vec<Splice>> {
    let dashes = command.elements.get(mark + 1)?.range();
    let end = dashes.end + comma(text.get(dashes.end..)?)?;
    Some(vec![(command.range.start + 1..end, String::new())])
}

/// How long the comma is that was put behind a value, with its blank.
fn comma(rest: &str) -> Option<usize> {
    rest.strip_prefix(',').map(|rest| 1 + usize::from(rest.starts_with(' ')))
}

/// Parses, asks `change` about each server (with the text that places count in), and splices what it says.
fn edit(text: &str, change: impl Fn(&str, &str, &Object<'_>) -> Result<(Done, Vec<Splice>)>) -> Result<Edited> {
    // A byte order mark is no part of JSON, and stays.
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let (bom, body) = text.split_at(mark);
    let parsed = parse_to_ast(body, &CollectOptions::default(), &jsonc::syntax()).map_err(|error| {
        let at = line_of(body, error.range().start);
        Error::new(ErrorKind::Input, format!("line {at}: {}", error.kind()))
            .hint("only JSON with comments and trailing commas can be edited; nothing was changed")
    })?;
    let mut servers = Vec::new();
    let mut found = Vec::new();
    if let Some(Value::Object(top)) = &parsed.value {
        maps("", top, DEPTH, &mut found);
    }
    let mut splices = Vec::new();
    for (name, server) in found {
        let (done, mut own) = change(body, name, server)?;
        splices.append(&mut own);
        servers.push(Server { name: name.to_string(), done });
    }
    splices.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    let mut edited = body.to_string();
    for (range, new) in splices {
        edited.replace_range(range, &new);
    }
    Ok(Edited { text: format!("{bom}{edited}"), servers })
}

/// All servers below an object of this name. `servers` means that (VS Code) only at the top and under `mcp`. Under `mcp` the entries
/// themselves may be servers, whose command is a list (opencode).
fn maps<'o, 'a>(within: &str, object: &'o Object<'a>, depth: usize, found: &mut Vec<(&'o str, &'o Object<'a>)>) {
    for property in &object.properties {
        let Value::Object(inner) = &property.value else { continue };
        let name = property.name.as_str();
        if MAPS.contains(&name) || name == "servers" && matches!(within, "" | "mcp") {
            found.extend(entries(inner));
        } else if depth > 1 {
            if name == "mcp" {
                let lists =
                    |server: &&Object<'_>| matches!(server.get("command").map(|one| &one.value), Some(Value::Array(_)));
                found.extend(entries(inner).filter(|(_, server)| lists(server)));
            }
            maps(name, inner, depth - 1, found);
        }
    }
}

fn entries<'o, 'a>(servers: &'o Object<'a>) -> impl Iterator<Item = (&'o str, &'o Object<'a>)> {
    servers.properties.iter().filter_map(|entry| Some((entry.name.as_str(), entry.value.as_object()?)))
}

/// A JSON string.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The line of a byte, from 1.
fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1
}

#[cfg(test)]
#[path = "edit_tests.rs"]
mod tests;
