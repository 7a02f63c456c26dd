//! The flags of `replay`, in the groups of its help text.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueEnum};

use super::values::{self, Delay};
use crate::cli::args::comparing::CompareArgs;
use crate::cli::args::values::{duration, pair, span, speed};
use rpctape::replay::options::Speed;

/// How a recording is played against a server.
#[derive(Args, Clone, Debug)]
pub struct PlayArgs {
    #[command(flatten)]
    pub target: TargetArgs,
    #[command(flatten)]
    pub send: SendArgs,
    #[command(flatten)]
    pub pace: PaceArgs,
    #[command(flatten)]
    pub cancel: CancelArgs,
    #[command(flatten)]
    pub life: LifeArgs,
    #[command(flatten)]
    pub rewrite: RewriteArgs,
    #[command(flatten)]
    pub compare: CompareArgs,
}

/// The live server.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Server")]
pub struct TargetArgs {
    /// The server to start, after `--`
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
    /// An MCP server over Streamable HTTP
    #[arg(long, value_name = "URL", conflicts_with_all = ["command", "connect"])]
    pub url: Option<String>,
    /// tcp:HOST:PORT, unix:PATH, ws:URL, or sse:URL for the HTTP+SSE of 2024-11-05; tried for five seconds
    #[arg(long, value_name = "WHERE", conflicts_with = "command")]
    pub connect: Option<String>,
    /// With --server: a client's configuration (mcpServers) that names the server. Alone: read this rpctape.toml
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Which server of that configuration
    #[arg(long, value_name = "NAME", requires = "config", conflicts_with_all = ["command", "connect", "url"])]
    pub server: Option<String>,
    /// A header for every request to a server in the network: NAME: VALUE, with ${VARIABLE} and ${VARIABLE:-default} filled in
    #[arg(long, value_name = "NAME: VALUE", conflicts_with = "command")]
    pub header: Vec<String>,
    /// Trust the authorities in this PEM file besides those of this machine
    #[arg(long, value_name = "FILE")]
    pub ca: Vec<PathBuf>,
    /// Let requests go to a server that is not on this machine
    #[arg(long)]
    pub remote: bool,
    /// Believe what a remote server says of its own tools (readOnlyHint)
    #[arg(long)]
    pub trust_hints: bool,
    /// How messages are framed on byte streams [default: as they were recorded, or as the protocol has it]
    #[arg(long, value_enum, value_name = "FRAMING")]
    pub frame: Option<Frame>,
    /// A variable for the server; the others are those of this shell
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    pub env: Vec<(String, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Frame {
    /// One message a line
    Lines,
    /// A Content-Length header before each message
    ContentLength,
}

/// What is sent.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "What is sent")]
pub struct SendArgs {
    /// Say what would be sent, and what not and why; starts nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Say for each message what it waits for; starts nothing
    #[arg(long)]
    pub explain_schedule: bool,
    /// Propose values that seem to flow from an answer into a later request; starts nothing
    #[arg(long)]
    pub suggest: bool,
    /// Send also requests that are not known to be read-only: METHOD or METHOD:TOOL, `*` for anything
    #[arg(long, value_name = "PATTERN", value_parser = NonEmptyStringValueParser::new())]
    pub allow: Vec<String>,
    /// Never send these; wins over everything
    #[arg(long, value_name = "PATTERN", value_parser = NonEmptyStringValueParser::new())]
    pub deny: Vec<String>,
    /// Send everything that is not denied
    #[arg(long)]
    pub allow_all: bool,
    /// Let any request be sent twice (--control, --repeat, --cancel-sweep and the like)
    #[arg(long)]
    pub allow_repeat: bool,
    /// Only these requests: patterns, or #7
    #[arg(long, value_name = "PATTERN", value_parser = NonEmptyStringValueParser::new())]
    pub only: Vec<String>,
    /// Not these
    #[arg(long, value_name = "PATTERN", value_parser = NonEmptyStringValueParser::new())]
    pub skip: Vec<String>,
    /// From this request on; the handshake is sent all the same
    #[arg(long, value_name = "REQUEST")]
    pub from: Option<String>,
    /// Up to this request
    #[arg(long, value_name = "REQUEST")]
    pub to: Option<String>,
    /// Only this connection of the capture (its key, or its number in `rpctape ls`)
    #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
    pub connection: Vec<String>,
    /// Only the connections of this session
    #[arg(long, value_name = "SESSION")]
    pub session: Option<String>,
}

/// When it is sent.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "When")]
pub struct PaceArgs {
    /// recorded, fast (as causality allows), wall (the full recorded time), or a factor such as x2 [default: recorded]
    #[arg(long, value_name = "SPEED", value_parser = speed)]
    pub speed: Option<Speed>,
    /// The longest pause between two messages; 0 for no limit [default: 1s]
    #[arg(long, value_name = "DURATION", value_parser = values::max_idle)]
    pub max_idle: Option<values::MaxIdle>,
    /// Play the session so often, each time on a fresh server, and tell how often each outcome came
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeat: u32,
}

/// Cancels.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Cancels")]
pub struct CancelArgs {
    /// Send cancels so long after their anchor, instead of as recorded
    #[arg(long, value_name = "DURATION", value_parser = span)]
    pub cancel_delay: Option<i64>,
    /// What cancels are timed from [default: the last progress before them, or the request]
    #[arg(long, value_enum, value_name = "ANCHOR")]
    pub cancel_anchor: Option<AnchorArg>,
    /// What becomes of a cancel whose request is answered already
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    pub cancel_race: Race,
    /// Send a harmless request right behind each cancel: an answer to the cancelled request that comes after its answer is late,
    /// whatever the time. Not over HTTP, where order proves nothing
    #[arg(long)]
    pub witness: bool,
    /// Play again with half the delay, so often, where a cancel came too late
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub cancel_retry: u32,
    /// Play with each of these delays and show what came of it: 0,10ms,50% (of the time the request takes by itself)
    #[arg(long, value_name = "DELAY,...", value_delimiter = ',', value_parser = values::delay)]
    pub cancel_sweep: Vec<Delay>,
    /// First play the cancelled requests without their cancels, on a fresh server, to learn how long they take
    #[arg(long)]
    pub control: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AnchorArg {
    /// The last progress before them
    Progress,
    /// The request itself
    Elapsed,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Race {
    /// It is not sent: the cancel counts as raced
    #[default]
    Skip,
    /// It is sent all the same; that is no fault of the server
    Send,
}

/// How long things may take.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "How long")]
pub struct LifeArgs {
    /// A request without a sign of life is stuck after this, or after so many times what it took [default: 30s]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub stuck_min: Option<i64>,
    /// How many times [default: 5]
    #[arg(long, value_name = "FACTOR", value_parser = values::factor)]
    pub stuck_factor: Option<f64>,
    /// What becomes of what waits for a stuck request
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    pub on_stuck: OnStuck,
    /// How long an answer is watched for after a cancel, at least [default: 5s]
    #[arg(long, value_name = "DURATION", value_parser = span)]
    pub linger: Option<i64>,
    /// A request is stuck after this, whatever its progress [default: 60s]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub max_request: Option<i64>,
    /// The run is broken off after this [default: 10m]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub deadline: Option<i64>,
    /// What becomes of a lost HTTP session
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub reinit: Reinit,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OnStuck {
    /// It is sent once the request is given up
    #[default]
    Continue,
    /// Nothing more is sent
    Stop,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Reinit {
    /// Nothing more is sent
    #[default]
    Never,
    /// One new initialize after a 404
    #[value(name = "on-404")]
    On404,
}

/// Noise.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Noise")]
pub struct NoiseArgs {
    /// Play the session so often on fresh servers and propose rules for what differs from run to run [default: 2]
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "2",
        value_parser = clap::value_parser!(u32).range(2..=20), conflicts_with = "allow_added")]
    pub learn_noise: Option<u32>,
    /// Learn from this server, which is known to be good: a command in quotes, or a URL
    #[arg(long, value_name = "SERVER")]
    pub noise_from: Option<String>,
}

/// What is changed on the way.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "What is changed on the way")]
pub struct RewriteArgs {
    /// The value of a placeholder: NAME=env:VARIABLE or NAME=file:PATH; NAME is what stands in <<secret:NAME>>
    #[arg(long, value_name = "NAME=PLACE")]
    pub secret: Vec<String>,
    /// Another path for this one, also in file:// URIs
    #[arg(long, value_name = "OLD=NEW", value_parser = pair)]
    pub map_path: Vec<(String, String)>,
    /// Put this JSON in the place of what stands at the pointer, in every request that has it
    #[arg(long, value_name = "POINTER=JSON", value_parser = values::set)]
    pub set: Vec<(String, String)>,
    /// The protocol revision to ask for, instead of the recorded one
    #[arg(long, value_name = "REVISION")]
    pub ask_version: Option<String>,
    /// Fresh ids and tokens for everything
    #[arg(long)]
    pub renumber: bool,
}
