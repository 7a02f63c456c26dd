//! Flags about reading, and the way from what the user names (files, folders, standard input, a database) to a store.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::num::NonZero;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};
use rpctape::capture::{self, Overrides, Skip, Vantage};
use rpctape::error::{Error, ErrorKind, Result};
use rpctape::number::{count, plural};
use rpctape::output;
use rpctape::pipeline::{self, Hops, Met, Options, Progress, Taken};
use rpctape::protocol::{self, Profile};
#[cfg(feature = "live")]
use rpctape::replay::recording::Recording;
use rpctape::session::Settings;
use rpctape::store::{self, Keep, Payload, Store};

use super::judge::JudgeArgs;
use crate::cli::screen::io::{apart, say};
use crate::cli::screen::progress::Bar;
use crate::cli::signals::Stop;

/// What the user says about a log, and how it is read.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Reading")]
pub struct ReadArgs {
    /// Read the files as this format, instead of telling it from their content: a name, or a definition (FILE.toml)
    #[arg(long, value_name = "FORMAT")]
    pub format_in: Option<String>,
    #[command(flatten)]
    pub said: SaidArgs,
    /// Zone of times that tell none: UTC, or an offset such as +02:00
    #[arg(long, value_name = "ZONE", value_parser = zone, allow_hyphen_values = true)]
    pub tz: Option<i32>,
    /// The day on which a log of times of day begins
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
    pub date: Option<chrono::NaiveDate>,
    /// The logs show their connections from the first message on: what is not in them was not sent
    #[arg(long)]
    pub whole: bool,
    /// What tells connections apart: a field or a JSON pointer, several with commas; in lines of text a name with a value, word:N
    /// (the Nth word), part:N, field:N (between colons, too), after:N (behind the message) or ends (the names around an arrow);
    /// text:NAME in texts of records
    #[arg(long, value_name = "KEY", value_delimiter = ',')]
    pub connection_key: Option<Vec<String>>,
    /// Links in folders are read only where what they lead to is in this one: what serves a folder serves nothing else
    #[arg(long, value_name = "DIR", hide = true)]
    pub within: Option<PathBuf>,
    /// How many threads read and judge, in commands that let the user say it.
    #[arg(skip)]
    pub jobs: Option<NonZero<usize>>,
}

/// Logs of one link each, of requests that pass several.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Reading")]
pub struct HopArgs {
    /// The log of a hop, from the client's to the last server's: requests are followed from each to the next. Twice or more
    #[arg(long = "hop", value_name = "NAME=LOG", value_parser = hop())]
    pub hops: Vec<(String, String)>,
}

impl HopArgs {
    /// The logs that are read: those of the hops, else those that were named without one.
    pub fn files(&self, files: &[String]) -> Result<Vec<String>> {
        let count = self.named().len();
        match (count, files) {
            (0, files) => Ok(files.to_vec()),
            (1, _) => {
                Err(Error::new(ErrorKind::Usage, "--hop names one hop, and a request is followed from one to the next")
                    .hint("name the hops from the client on: --hop client=A.jsonl --hop gateway=B.jsonl"))
            }
            (_, []) => Ok(self.hops.iter().map(|(_, log)| log.clone()).collect()),
            (_, [file, ..]) => Err(Error::new(ErrorKind::Usage, format!("{file} is the log of no hop"))
                .hint("with --hop every log has the name of its hop: --hop NAME=LOG")),
        }
    }

    /// The flags as they are typed; nothing where they cannot be.
    pub fn typed(&self) -> Option<String> {
        let word = |(name, log): &(String, String)| rpctape::report::shell::shown(&format!("{name}={log}"));
        let words: Option<Vec<String>> = self.hops.iter().map(word).collect();
        words.map(|words| words.iter().map(|word| format!("--hop {word}")).collect::<Vec<_>>().join(" "))
    }

    /// Which hop each of the logs is of, folders and archives opened.
    fn hops(&self, overrides: &Overrides) -> Result<Hops> {
        let names = self.named();
        let mut of = BTreeMap::new();
        for (name, log) in &self.hops {
            let at = names.iter().position(|other| other == name).unwrap_or_default();
            let paths = capture::expand(std::slice::from_ref(log), overrides)?.paths;
            of.extend(paths.into_iter().map(|path| (path, at)));
        }
        Ok(Hops { names, of })
    }

    /// The names, each once, in their order.
    fn named(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for (name, _) in &self.hops {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }
}

/// Reads `NAME=LOG`.
fn hop() -> impl TypedValueParser<Value = (String, String)> {
    name().try_map(|text| match text.split_once('=') {
        Some((name, log)) if !name.is_empty() && !log.is_empty() => Ok((name.to_string(), log.to_string())),
        _ => Err("write NAME=LOG, as in gateway=gateway.jsonl"),
    })
}

/// What the user says about the traffic itself, also after it was ingested.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Reading")]
pub struct SaidArgs {
    /// What the log speaks: mcp, acp, lsp, dap or jsonrpc, with a revision where needed ('mcp 2025-11-25')
    #[arg(long, value_name = "PROTOCOL", value_parser = profile)]
    pub proto: Option<&'static Profile>,
    /// Where the log was taken: client, server or proxy
    #[arg(long, value_name = "SIDE", value_parser = vantage)]
    pub vantage: Option<Vantage>,
    /// Show no progress
    #[arg(long)]
    pub no_progress: bool,
}

impl SaidArgs {
    /// What the user says, where the log itself is not read again.
    pub fn overrides(&self) -> Overrides {
        Overrides { vantage: self.vantage, profile: self.proto, ..Overrides::default() }
    }
}

impl ReadArgs {
    /// The same, with as many threads.
    pub fn with_jobs(&self, jobs: Option<NonZero<usize>>) -> ReadArgs {
        ReadArgs { jobs, ..self.clone() }
    }

    /// What the user says about the logs.
    pub fn overrides(&self) -> Overrides {
        Overrides {
            format: self.format_in.clone(),
            tz: self.tz,
            date: self.date,
            whole: self.whole,
            connection_key: self.connection_key.clone(),
            within: self.within.clone(),
            ..self.said.overrides()
        }
    }

    /// The same flags as they are typed, each with a space before it, for a command that reads the same log again.
    pub fn typed(&self) -> String {
        let zone = |minutes: i32| {
            let sign = if minutes < 0 { '-' } else { '+' };
            format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
        };
        let said = [
            ("--format-in", self.format_in.clone()),
            ("--proto", self.said.proto.map(Profile::label)),
            ("--vantage", self.said.vantage.map(|vantage| vantage.as_str().to_string())),
            ("--tz", self.tz.map(zone)),
            ("--date", self.date.map(|date| date.to_string())),
            ("--connection-key", self.connection_key.as_ref().map(|keys| keys.join(","))),
        ];
        let typed = |(flag, value): (&str, Option<String>)| {
            Some(format!(" {flag} {}", rpctape::report::shell::shown(&value?)?))
        };
        said.into_iter().filter_map(typed).collect()
    }

    /// True if a flag overrules what a database says of its logs.
    fn overrules(&self) -> bool {
        let times = self.tz.is_some() || self.date.is_some();
        let said = self.format_in.is_some() || self.said.proto.is_some() || self.said.vantage.is_some();
        said || times || self.whole || self.connection_key.is_some()
    }
}

/// Reads the name of a source: any file name, also one that is no UTF-8.
pub fn name() -> impl TypedValueParser<Value = String> {
    OsStringValueParser::new().map(|name| capture::name_of(&name))
}

/// Reads a protocol as a user names it.
pub fn profile(text: &str) -> std::result::Result<&'static Profile, String> {
    let (name, revision) = match text.trim().split_once([' ', '/', ':', '@']) {
        Some((name, revision)) => (name, Some(revision.trim())),
        None => (text.trim(), None),
    };
    protocol::by_name(&name.to_lowercase(), revision).ok_or_else(|| {
        let known: Vec<String> = protocol::profiles().map(Profile::label).collect();
        format!("no such protocol; there are {}", known.join(", "))
    })
}

/// The same for a protocol that is to be spoken.
#[cfg(feature = "live")]
pub fn spoken(text: &str) -> std::result::Result<&'static Profile, String> {
    let profile = profile(text)?;
    if profile.is_spoken() { Ok(profile) } else { Err(UNSPOKEN.to_string()) }
}

/// An error for a recording in a protocol that is read, and not spoken.
#[cfg(feature = "live")]
pub fn must_be_spoken(recording: &Recording) -> Result<()> {
    match recording.connections.iter().all(|connection| connection.profile.is_spoken()) {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::Usage, UNSPOKEN)),
    }
}

#[cfg(feature = "live")]
const UNSPOKEN: &str = "the Debug Adapter Protocol is read (--format-in dap), and not spoken: its logs can be checked, not played or recorded";

fn vantage(text: &str) -> std::result::Result<Vantage, String> {
    let taken = Vantage::from_name(text).filter(|vantage| *vantage != Vantage::Merged);
    taken.ok_or_else(|| "write client, server, proxy or unknown".to_string())
}

fn zone(text: &str) -> std::result::Result<i32, String> {
    capture::zone_minutes(text).ok_or_else(|| "write UTC or an offset such as +02:00".to_string())
}

fn day(text: &str) -> std::result::Result<chrono::NaiveDate, String> {
    text.parse().map_err(|_| "write a day as 2026-11-21".to_string())
}

/// Where what is read goes.
#[derive(Clone, Copy, Debug)]
pub enum To<'p> {
    /// Into a database of the user's, which keeps payloads as is said; one that is there, as it does.
    File(&'p Path, Option<Payload>),
    /// Into one that leaves nothing behind.
    Passing(Keep),
}

/// Into a database that leaves nothing behind and can be asked everything.
pub const PASSING: To<'static> = To::Passing(Keep::Everything);

impl To<'_> {
    fn open(self) -> Result<Store> {
        match self {
            To::File(path, None) => Store::write(path),
            To::File(path, Some(payload)) => Store::write(path)?.keeping(payload),
            To::Passing(keep) => Store::passing(keep),
        }
    }
}

/// A store with what the user asked about in it.
pub struct Loaded {
    /// The store: the user's database, or a temporary one.
    pub store: Store,
    /// What this run did.
    pub summary: pipeline::Summary,
    /// Files that were passed over, and why.
    pub passed_over: Vec<(String, String)>,
    /// Archives whose end is missing.
    pub torn: Vec<String>,
}

impl Loaded {
    /// What is lost of a source, in words: a part that nobody knows was not read, and it is never clean.
    pub fn loss(&self) -> Option<String> {
        self.harm().find(|(skip, _)| skip.is_loss()).map(|(_, told)| told)
    }

    fn harm(&self) -> impl Iterator<Item = (Skip, String)> {
        let sources = self.summary.sources.iter().flat_map(|source| harm_of(&source.name, &source.skipped));
        let archives = self.torn.iter().filter_map(|archive| told_harm(archive, Skip::Torn));
        sources.chain(archives)
    }

    /// Says what became of a source, where what is printed does not.
    pub fn warn(&self) {
        if let Some((_, told)) = self.harm().min_by_key(|(skip, _)| !skip.is_loss()) {
            say(&format!("warning: {}", told));
        }
    }

    /// Names the files that were passed over, where what is printed does not.
    pub fn tell_passed_over(&self) {
        for (file, why) in &self.passed_over {
            say(&format!("passed over: {}: {}", file, why));
        }
    }
}

/// That a source is not whole, or no longer what was read.
pub fn harm_of(source: &str, skipped: &[(String, u64, u64)]) -> impl Iterator<Item = (Skip, String)> {
    skipped.iter().filter_map(move |(why, ..)| told_harm(source, Skip::from_name(why)?))
}

fn told_harm(source: &str, skip: Skip) -> Option<(Skip, String)> {
    Some((skip, format!("{source} {}", skip.harm()?)))
}

/// The options of a run.
pub fn options(overrides: Overrides, judge: &JudgeArgs, stop: &Stop) -> Result<Options> {
    let (settings, selection) = (judge.settings(), judge.selection()?);
    if let Some(id) = selection.unheard() {
        let message = format!("{id} is about payloads, which are looked at only with --schema");
        return Err(Error::new(ErrorKind::Usage, message).hint("give --schema, too, or `schema = true` under [audit]"));
    }
    let interrupt = Some(stop.flag());
    Ok(Options { settings, selection, overrides, redact: None, hops: Hops::default(), jobs: None, interrupt })
}

/// The options of a run that reads logs.
pub fn reading(read: &ReadArgs, judge: &JudgeArgs, stop: &Stop) -> Result<Options> {
    Ok(Options { jobs: read.jobs, ..options(read.overrides(), judge, stop)? })
}

/// Reads and judges the logs of hops, where such are named; else as [`load`] does.
pub fn load_hops(
    files: &[String],
    hops: &HopArgs,
    read: &ReadArgs,
    judge: &JudgeArgs,
    to: To<'_>,
    stop: &Stop,
) -> Result<Loaded> {
    let files = hops.files(files)?;
    if hops.hops.is_empty() {
        return judged(&files, read, judge, to, stop);
    }
    let mut options = reading(read, judge, stop)?;
    options.hops = hops.hops(&options.overrides)?;
    let loaded = ingest(&files, to, &options, read.said.no_progress)?;
    for hop in &loaded.summary.followed {
        let ((upper, lower), of) = (&hop.names, plural(hop.requests, "request"));
        let why = hop.lacks.map_or(String::new(), |why| format!("; {why}"));
        say(&format!("followed from {upper} to {lower}: {} of {of}{why}", count(hop.found)));
    }
    Ok(loaded)
}

/// Opens a database of ours, or reads and judges logs; says which of them is not whole.
pub fn load(files: &[String], read: &ReadArgs, judge: &JudgeArgs, to: To<'_>, stop: &Stop) -> Result<Loaded> {
    let loaded = judged(files, read, judge, to, stop)?;
    loaded.warn();
    loaded.tell_passed_over();
    Ok(loaded)
}

fn judged(files: &[String], read: &ReadArgs, judge: &JudgeArgs, to: To<'_>, stop: &Stop) -> Result<Loaded> {
    let options = reading(read, judge, stop)?;
    if files.is_empty() {
        return Err(Error::new(ErrorKind::Usage, "no log was named")
            .hint("name files, folders or a database; `-` is standard input"));
    }
    let databases = files.iter().filter(|file| store::is_ours(&capture::path_of(file))).count();
    match (databases, files) {
        (0, _) => ingest(files, to, &options, read.said.no_progress),
        (1, [file]) if matches!(to, To::Passing(_)) => open(file, read, judge),
        _ => Err(Error::new(ErrorKind::Usage, "a database is asked alone, not together with logs or with --db")
            .hint("to add logs to a database: rpctape ingest LOG... --db FILE")),
    }
}

/// Reads and judges two logs of the same connections as one: that of the client, then that of the server.
pub fn load_merged(files: &[String], read: &ReadArgs, judge: &JudgeArgs, to: To<'_>, stop: &Stop) -> Result<Loaded> {
    let [client, server] = files else {
        return Err(Error::new(ErrorKind::Usage, format!("--merge takes two logs, not {}", files.len()))
            .hint("name the log of the client, then that of the server"));
    };
    let options = reading(read, judge, stop)?;
    let mut store = to.open()?;
    let mut meter = Meter::new(files, read.said.no_progress);
    let summary = pipeline::merge(&mut store, [client, server], &options, &mut meter)?;
    if let Some(met) = &summary.met {
        tell_met(met, client, server);
    }
    Ok(Loaded { store, summary, passed_over: Vec::new(), torn: Vec::new() })
}

/// Says how two logs met: of connections only where there is more than one.
fn tell_met(met: &Met, client: &str, server: &str) {
    let Met { paired, client: ours, server: theirs, messages } = met;
    let several = (*paired, ours.connections, theirs.connections) != (1, 0, 0);
    let in_doubt = [(client, ours), (server, theirs)].into_iter().filter(|(_, alone)| !alone.in_doubt.is_empty());
    if several {
        let of = plural(*paired, "connection");
        say(&format!(
            "in both logs: {of}; only in {client}: {}; only in {server}: {}",
            ours.connections, theirs.connections
        ));
    }
    for (log, alone) in in_doubt {
        let of = plural(alone.in_doubt.len() as u64, "connection");
        let named: Vec<_> = alone.in_doubt.iter().take(3).map(String::as_str).collect();
        let more = if alone.in_doubt.len() > named.len() { ", ..." } else { "" };
        say(&format!(
            "not merged: {of} of {log}; what they carry does not tell which of the other log's they are ({}{more})",
            named.join(", ")
        ));
    }
    if *paired == 0 {
        return;
    }
    let both = plural(*messages, "message");
    say(&format!("in both logs: {both}; only in {client}: {}; only in {server}: {}", ours.messages, theirs.messages));
    if *messages < ours.messages.min(theirs.messages) {
        say("most messages are in one log only: are these two logs of one connection?");
    }
}

fn open(file: &str, read: &ReadArgs, judge: &JudgeArgs) -> Result<Loaded> {
    let again = rpctape::report::shell::file(file);
    if judge.differs() || read.overrules() {
        let error = Error::new(ErrorKind::Usage, format!("{file} is a database: it holds the judgement made before"));
        return Err(error.hint(match read.overrules() {
            true => "how a log is read is said when it is read: rpctape ingest LOG --db FILE".to_string(),
            false => format!("judge it again with these flags: rpctape audit {again}"),
        }));
    }
    let path = capture::path_of(file);
    // Also to read it SQLite takes what lies beside it for its own.
    output::claim_database(&path)?;
    let store = Store::read(&path)?;
    let settings = judge.settings();
    if settings != Settings::default() && pipeline::judged_otherwise(&store, &settings)? {
        say(&format!(
            "note: this database was judged with other settings; to judge it with these: rpctape audit {again}"
        ));
    }
    let summary = pipeline::summary(&store)?;
    Ok(Loaded { store, summary, passed_over: Vec::new(), torn: Vec::new() })
}

/// Takes a database for this run alone, before anything is read or begun.
///
/// # Errors
///
/// Where it, or a file that SQLite keeps beside it, is one of the logs, is read besides, or is where an answer goes.
pub fn settle(db: &Path, files: &[String]) -> Result<()> {
    output::files_of_database(db).try_for_each(|file| apart(&file, files))?;
    output::claim_database(db)
}

/// Reads and judges logs.
pub fn ingest(files: &[String], to: To<'_>, options: &Options, no_progress: bool) -> Result<Loaded> {
    if let To::File(db, _) = to {
        settle(db, files)?;
    }
    let mut store = None;
    if let To::File(db, _) = to
        && store::is_ours(db)
    {
        store = Some(to.open()?);
    }
    let known =
        |file: &str| store.as_ref().is_some_and(|store| pipeline::unchanged(store, file, options).unwrap_or(false));
    let found = capture::expand_known(files, &options.overrides, &known)?;
    told_twice(files);
    if found.paths.is_empty() {
        let reasons: Vec<String> = found.skipped.iter().take(3).map(|(file, why)| format!("{file}: {why}")).collect();
        let error = no_log(files);
        return Err(if reasons.is_empty() { error } else { error.hint(reasons.join("; ")) });
    }
    for archive in &found.archives {
        let name = if archive.path == "-" { "standard input" } else { &archive.path };
        say(&format!("{name} is an archive: {} of the {} files in it read", archive.logs, archive.files));
    }
    let mut store = store.map_or_else(|| to.open(), Ok)?;
    let mut meter = Meter::new(&found.paths, no_progress);
    let summary = pipeline::ingest(&mut store, &found.paths, options, &mut meter)?;
    let torn = found.archives.into_iter().filter(|archive| archive.torn).map(|archive| archive.path).collect();
    let mut passed_over = found.skipped;
    if matches!(to, To::Passing(_)) {
        passed_over.extend(copies(&summary));
    }
    Ok(Loaded { store, summary, passed_over, torn })
}

/// The error where nothing was found to read.
pub fn no_log(files: &[String]) -> Error {
    Error::new(ErrorKind::Input, format!("there is no log in {}", files.join(", ")))
}

/// Says which names were given twice: each is read once.
pub fn told_twice(files: &[String]) {
    let again = |at: &usize| files[..*at].iter().filter(|file| **file == files[*at]).count() == 1;
    for at in (0..files.len()).filter(again) {
        say(&format!("note: {} is named more than once, and read once", files[at]));
    }
}

/// Files whose content another one had, which was read: why they were passed over. In a database it may be from an earlier run.
fn copies(summary: &pipeline::Summary) -> impl Iterator<Item = (String, String)> {
    let copies = summary.inputs.iter().filter(|input| input.taken == Taken::AlreadyThere);
    copies.map(|input| (input.name.clone(), "its content is that of another file, which was read".to_string()))
}

/// The text of a recording that is edited, read as a whole. `hint` says what kind of recordings are. A device that never
/// ends does not begin like one.
pub fn recording_text(name: &str, hint: &str) -> Result<String> {
    let fault = |error: std::io::Error| Error::io("read", name, &error).hint(hint);
    let mut log = BufReader::new(capture::bytes_of(name).map_err(fault)?);
    let head = log.fill_buf().map_err(fault)?;
    if !head.is_empty() && !head.trim_ascii_start().starts_with(b"{") {
        return Err(Error::new(ErrorKind::Input, format!("{name} is no recording: it holds no JSON lines")).hint(hint));
    }
    let mut text = String::new();
    log.read_to_string(&mut text).map_err(fault)?;
    Ok(text)
}

/// Takers what the pipeline tells into a bar over all files.
pub struct Meter {
    bar: Bar,
    total: Option<u64>,
    before: u64,
    current: u64,
}

impl Meter {
    /// A meter for these files.
    pub fn new(files: &[String], no_progress: bool) -> Meter {
        let size =
            |file: &String| capture::path_of(file).metadata().ok().filter(|file| file.is_file()).map(|file| file.len());
        let total = files.iter().map(size).sum::<Option<u64>>().filter(|total| *total > 0);
        Meter { bar: Bar::new(no_progress), total, before: 0, current: 0 }
    }
}

impl Progress for Meter {
    fn source(&mut self, _: &str, _: Option<u64>) {
        self.before += std::mem::take(&mut self.current);
    }
    fn bytes(&mut self, read: u64) {
        self.current = read;
        self.bar.at(self.before + read, self.total);
    }
}
