//! What the engine remembers of the step in front, and of each exchange.

use crate::jsonrpc::Id;
use crate::replay::options::Anchor;

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// The link is not ready.
    Connecting,
    /// Steps are being sent.
    Playing,
    /// All is sent; answers, and the horizons of cancels, are waited for.
    Closing,
    /// The peer was asked to end.
    Ending,
    /// It has.
    Done,
}

/// The step in front. Times in microseconds of the run.
#[derive(Clone, Debug, Default)]
pub(super) struct Front {
    /// True once its waits were added to what is owed.
    pub entered: bool,
    /// When the answers that it waits for were there.
    pub hard_us: Option<i64>,
    /// When everything was that it waits for.
    pub free_us: Option<i64>,
    /// True if it was held back because answers to cancelled requests were due.
    pub held: bool,
    /// When it is to be looked at again, at the latest.
    pub wake_us: Option<i64>,
}

/// One exchange, beside what the log says of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Live {
    /// The id it has on the wire.
    pub id: Option<Id>,
    /// When it last showed a sign of life.
    pub sign_us: i64,
    /// When each progress came.
    pub progress: Vec<i64>,
    /// The HTTP stream that carries it.
    pub stream: Option<u32>,
    /// Anchor and number of the cancel that the plan has for it.
    pub cancel_planned: Option<(Anchor, u32)>,
    /// True if the cancel was the close of its stream: nothing can be seen after it.
    pub unobservable: bool,
    /// True if its HTTP request failed: no answer will ever come.
    pub refused: bool,
    /// Of a request of the server: it was cancelled by its issuer.
    pub withdrawn: bool,
    /// Of a request of the server: its answer is sent, or never will be.
    pub settled: bool,
    /// Of a request of the server: its step was passed over before it came.
    pub passed: bool,
}

/// Notifications of one method.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    /// In the recording, those that belong to an exchange left out.
    pub recorded: u32,
    /// From the live side, likewise.
    pub live: u32,
    /// All from the live side.
    pub came: u32,
    /// Not waited for any longer.
    pub missed: u32,
    /// When the first came that the recording does not have.
    pub extra_us: Option<i64>,
}

/// A request of the live side, as it is answered.
#[derive(Clone, Debug)]
pub(super) struct Asked<'a> {
    /// The whole text.
    pub text: &'a str,
    /// Its id as it is spelled.
    pub id_text: &'a str,
    /// Its method.
    pub method: &'a str,
    /// The exchange of the client that it serves, as far as can be told.
    pub parent: Option<usize>,
}
