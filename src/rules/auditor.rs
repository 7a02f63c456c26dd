//! The auditor: runs the selected rules over events, and remembers which of them a log could not decide.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::occur::{of_connection, of_event};
use super::{Absence, Occasions, On, RULES, Rule, Whose};
use crate::capture::{Proof, Vantage};
use crate::finding::Finding;
use crate::protocol::{Profile, Side};
use crate::session::{Basis, Certainty, Connection, Directions, Event, FrameId, Ledger, Lost, Stretch, What};

/// Which rules run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Only these (codes, names, or prefixes of codes such as `CAN`); empty means all that are on by default.
    pub select: Vec<String>,
    /// Not these.
    pub ignore: Vec<String>,
    /// Payloads are held against schemas, too.
    pub schema: bool,
}

impl Selection {
    /// True if `rule` runs.
    pub fn takes(&self, rule: &Rule) -> bool {
        self.chooses(rule) && (self.schema || !rule.needs_schema())
    }

    /// True if `rule` is among those that are asked for, whether this run looks at payloads or not.
    pub fn chooses(&self, rule: &Rule) -> bool {
        let names = |list: &[String]| list.iter().any(|id| matches(id, rule));
        let wanted = if self.select.is_empty() { rule.default_on } else { names(&self.select) };
        wanted && !names(&self.ignore)
    }

    /// True if no rule runs: nothing is judged.
    pub fn is_none(&self) -> bool {
        !RULES.iter().any(|rule| self.takes(rule))
    }

    /// The first entry that names rules about payloads only, where payloads are not looked at.
    pub fn unheard(&self) -> Option<&str> {
        let mute = |id: &&String| {
            let mut named = RULES.iter().filter(|rule| matches(id, rule)).peekable();
            named.peek().is_some() && named.all(|rule| rule.needs_schema())
        };
        self.select.iter().filter(|_| !self.schema).find(mute).map(String::as_str)
    }

    /// The first entry that names no rule.
    pub fn unknown(&self) -> Option<&str> {
        let known = |id: &&String| RULES.iter().any(|rule| matches(id, rule));
        self.select.iter().chain(&self.ignore).find(|id| !known(id)).map(String::as_str)
    }
}

fn matches(id: &str, rule: &Rule) -> bool {
    id.eq_ignore_ascii_case("all") && rule.default_on
        || rule.name.eq_ignore_ascii_case(id)
        || !id.is_empty() && rule.code.get(..id.len()).is_some_and(|head| head.eq_ignore_ascii_case(id))
}

/// What a log of hops lacks of requests that could not be followed.
const SERVING: &str = "what shows which request of the next hop serves them";

/// A rule that could not be decided, why, and on how many events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undecided {
    /// Code of the rule.
    pub code: &'static str,
    /// What the log lacks, in words.
    pub lacks: Vec<&'static str>,
    /// How many events would have had to be judged.
    pub events: u64,
}

/// What a connection gave each side occasion to keep or to break, under one profile.
#[derive(Clone, Copy, Debug)]
pub struct Seized {
    /// The profile.
    pub profile: &'static Profile,
    /// Of the client.
    pub client: Occasions,
    /// Of the server.
    pub server: Occasions,
}

/// The selected rules, sorted by the event they look at.
pub struct Auditor {
    by_event: Vec<Vec<&'static Rule>>,
    lost: Lost,
    /// What connections that have not ended gave occasion to, profile by profile.
    seized: Vec<Vec<Seized>>,
    books: Books,
}

/// What is found and not reported.
struct Books {
    /// What the log cannot prove: by rule, what it lacks and how often.
    undecided: BTreeMap<&'static str, (Proof, u64)>,
    /// Which findings are heard of connections that were seen at two taps.
    merged: Heard,
    /// What was found of their servers and is not heard: by which rule, of which message.
    left: Left,
}

/// Rules, and messages in which they saw something.
pub type Left = FxHashSet<(&'static str, FrameId)>;

/// Which findings are heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Heard {
    All,
    /// All but those of the server.
    ButServer,
    Server,
}

impl Books {
    /// Reports a finding, or takes it down. Out of line: of most events nothing is found, and they pass by here one and all.
    #[inline(never)]
    fn weigh(
        &mut self,
        rule: &'static Rule,
        event: &Event<'_>,
        finding: Finding,
        report: &mut dyn FnMut(Finding, Certainty),
    ) {
        if !self.hears(event, &finding) {
            self.left.extend((self.merged == Heard::ButServer).then_some((finding.code, finding.frame)));
            return;
        }
        let lacking = event.connection.proof.lacking(rule.needs.in_context());
        if lacking == Proof::NONE || lacking == Proof::DIRECTION && told_by_messages(rule, event, &finding) {
            let own = finding.certainty;
            return report(proven(rule, event, finding), own);
        }
        let (lacks, events) = self.undecided.entry(rule.code).or_insert((Proof::NONE, 0));
        (*lacks, *events) = (lacks.and(lacking), *events + 1);
    }

    /// True unless the finding is one of the other fold. What hops show is judged once, whatever their taps.
    fn hears(&self, event: &Event<'_>, finding: &Finding) -> bool {
        let of_server = finding.by == Some(Side::Server);
        match self.merged {
            Heard::Server => of_server,
            Heard::ButServer if of_server => {
                event.connection.vantage != Vantage::Merged || matches!(event.what, What::Hop(_))
            }
            Heard::All | Heard::ButServer => true,
        }
    }
}

impl Auditor {
    /// An auditor for a selection.
    pub fn new(selection: &Selection) -> Auditor {
        let mut by_event = vec![Vec::new(); On::Capture as usize + 1];
        for rule in RULES.iter().copied().filter(|rule| selection.takes(rule)) {
            by_event[rule.on as usize].push(rule);
        }
        let books = Books { undecided: BTreeMap::new(), merged: Heard::All, left: Left::default() };
        Auditor { by_event, lost: Lost::default(), seized: Vec::new(), books }
    }

    /// The same, which leaves the servers of connections that were seen at two taps to [`Auditor::judge_servers`].
    pub fn without_servers(mut self) -> Auditor {
        self.books.merged = Heard::ButServer;
        self
    }

    /// From here on the servers of such connections are judged, and nobody else. Gives what was left of them so far.
    pub fn judge_servers(&mut self) -> Left {
        (self.books.merged, self.seized) = (Heard::Server, Vec::new());
        std::mem::take(&mut self.books.left)
    }

    /// True if any selected rule looks at such events.
    pub fn wants(&self, on: On) -> bool {
        !self.by_event[on as usize].is_empty()
    }

    /// Judges one event, and reports what is found, and how sure the rule itself is of it: the log may lack what would prove it.
    pub fn judge(&mut self, event: &Event<'_>, mut report: impl FnMut(Finding, Certainty)) {
        self.seize(event);
        for rule in &self.by_event[kind(&event.what) as usize] {
            if let Some(finding) = (rule.check)(event) {
                self.books.weigh(rule, event, finding, &mut report);
            }
        }
    }

    /// What a connection that has ended gave occasion to, profile by profile; it is forgotten here.
    pub fn seized(&mut self, connection: &Connection) -> Vec<Seized> {
        let (client, server) = of_connection(connection);
        let mut all = self.seized.get_mut(connection.id as usize).map(std::mem::take).unwrap_or_default();
        all.iter_mut().for_each(|seized| seized.add((client, server)));
        all
    }

    /// Notes what an event gives occasion to.
    fn seize(&mut self, event: &Event<'_>) {
        let Some(sender) = event.sender else { return };
        let (own, others) = of_event(event);
        let both = if sender == Side::Client { (own, others) } else { (others, own) };
        if both == (Occasions::NONE, Occasions::NONE) {
            return;
        }
        let at = event.connection.id as usize;
        if at >= self.seized.len() {
            self.seized.resize_with(at + 1, Vec::new);
        }
        let all = &mut self.seized[at];
        match all.iter_mut().find(|seized| std::ptr::eq(seized.profile, event.profile)) {
            Some(seized) => seized.add(both),
            None => {
                all.reserve_exact(1);
                all.push(Seized { profile: event.profile, client: both.0, server: both.1 });
            }
        }
    }

    /// Rules that would have spoken, had the log shown more.
    pub fn undecided(&self) -> Vec<Undecided> {
        let mut all: BTreeMap<_, _> = self.lost_at_hops().map(|undecided| (undecided.code, undecided)).collect();
        for (code, (lacks, events)) in &self.books.undecided {
            let undecided = all.entry(code).or_insert(Undecided { code, lacks: Vec::new(), events: 0 });
            undecided.lacks.extend(Proof::NONE.missing(*lacks));
            undecided.events += events;
        }
        all.into_values().collect()
    }

    /// Takes down what could not be followed from hop to hop.
    pub fn lost(&mut self, lost: Lost) {
        self.lost.requests += lost.requests;
        self.lost.given_up += lost.given_up;
        self.lost.results += lost.results;
    }

    /// The rules about hops, with the requests of which they say nothing because nobody knows what serves them: cancelled ones, or those
    /// with a result.
    fn lost_at_hops(&self) -> impl Iterator<Item = Undecided> + '_ {
        let cancels = Occasions::CANCELLED.and(Occasions::CANCELS).and(Occasions::PAST_CANCEL);
        let on_cancels = move |rule: &Rule| rule.duty.on.any(cancels);
        let rules = self.by_event[On::Hop as usize].iter();
        let told = rules.map(move |rule| {
            let events = if on_cancels(rule) { self.lost.given_up } else { self.lost.results };
            Undecided { code: rule.code, lacks: vec![SERVING], events }
        });
        told.filter(|undecided| undecided.events > 0)
    }
}

impl Seized {
    /// Of one side.
    pub fn of(&self, side: Side) -> Occasions {
        match side {
            Side::Client => self.client,
            Side::Server => self.server,
        }
    }

    #[inline]
    fn add(&mut self, (client, server): (Occasions, Occasions)) {
        self.client = self.client.then(client);
        self.server = self.server.then(server);
    }
}

/// True if a log that does not say who sent a message leaves no doubt about those that a finding rests on: only one side sends
/// such.
fn told_by_messages(rule: &Rule, event: &Event<'_>, finding: &Finding) -> bool {
    let frames = || finding.evidence.iter().map(|evidence| evidence.frame).chain([finding.frame]);
    let (first, last) = (frames().min().unwrap_or(finding.frame), frames().max().unwrap_or(finding.frame));
    let inferred = event.connection.directions == Directions::Inferred && event.sender.is_some();
    // Where nothing says what a record is, a request that stands twice may have been logged twice.
    inferred
        && rule.on != On::IdReused
        && match finding.absence.unwrap_or(rule.absence) {
            Absence::None => frames().all(|frame| event.ledger.guess(frame).is_none()),
            Absence::Between(_) | Absence::Reused(_) | Absence::Unsaid(..) => {
                event.ledger.guess_between(first, last).is_none()
            }
            // What is not there may be of a side of which the log has nothing.
            Absence::Before(_) | Absence::Since(_) | Absence::Within(..) => false,
        }
}

/// The finding as far as the log can prove it: the ledger is asked here and nowhere else.
fn proven(rule: &Rule, event: &Event<'_>, finding: Finding) -> Finding {
    if finding.certainty != Certainty::Violation {
        return finding;
    }
    let hole = hole(rule.absence, event, &finding)
        .or_else(|| doubt(rule, event, &finding))
        .or_else(|| guess(rule, event, &finding))
        .or_else(|| untimed(rule, event, &finding))
        .or_else(|| taken_out(rule, event, &finding));
    match hole {
        Some(stretch) => finding.undecidable(&stretch.reason()),
        None if event.ledger.revision_is_untold(finding.frame) && event.profile.depends_on_revision(rule.code) => {
            finding.undecidable("the log does not tell which revision is spoken, and they differ in this")
        }
        None => finding,
    }
}

/// A finding of a connection that has ended, at this time: what an earlier file shows, a later one may put into another order, and
/// where two connections turned out to stand in one stream, they did so before it showed. So it is where records are missing.
pub fn still_proven(finding: Finding, at_us: Option<i64>, ledger: Ledger<'_>) -> Finding {
    let lacks = || ledger.sampled().filter(|_| rests_on_absence(&finding));
    let back = || at_us.and_then(|at_us| ledger.went_back(at_us));
    match ledger.mixed().or_else(back).or_else(lacks) {
        Some(stretch) => finding.undecidable(&stretch.reason()),
        None => finding,
    }
}

/// True for a finding that is proven, and rests on the order of messages or on what is not in the log.
pub fn rests_on_order(finding: &Finding) -> bool {
    let rule = RULES.iter().find(|rule| rule.code == finding.code);
    finding.certainty == Certainty::Violation
        && rule.is_some_and(|rule| rule.absence != Absence::None || rule.needs.covers(Proof::DIRECTION))
}

/// True for a finding that something is not in the log. What a message itself says of what its sender knew needs nothing beside it.
fn rests_on_absence(finding: &Finding) -> bool {
    let rule = RULES.iter().find(|rule| rule.code == finding.code);
    finding.basis != Some(Basis::Content)
        && rule.is_some_and(|rule| finding.absence.unwrap_or(rule.absence) != Absence::None)
}

/// A stretch that should have been whole for this finding and is not.
fn hole<'a>(absence: Absence, event: &Event<'a>, finding: &Finding) -> Option<&'a Stretch> {
    let ledger = event.ledger;
    let frames = finding.evidence.iter().map(|evidence| evidence.frame).chain([finding.frame]);
    let first = frames.clone().min().unwrap_or(finding.frame);
    match finding.absence.unwrap_or(absence) {
        Absence::None => None,
        Absence::Before(whose) => ledger.hole_before(side(whose, event), finding.frame),
        // What is missed is an answer, or a request under the same id.
        Absence::Since(whose @ Whose::Owing) => ledger.call_hole(side(whose, event), first, FrameId::MAX),
        Absence::Reused(whose) => ledger.call_hole(side(whose, event), first, frames.max().unwrap_or(first)),
        Absence::Since(whose) => ledger.hole(side(whose, event), first, FrameId::MAX),
        Absence::Between(whose) | Absence::Unsaid(whose, _) => {
            ledger.hole(side(whose, event), first, frames.max().unwrap_or(first))
        }
        Absence::Within(whose, from, to) => ledger.hole(side(whose, event), from, to),
    }
}

/// The doubt whether one of its messages is one. What is said of the log itself needs no messages.
fn doubt<'a>(rule: &Rule, event: &Event<'a>, finding: &Finding) -> Option<&'a Stretch> {
    if rule.code.starts_with("CAP") {
        return None;
    }
    let mut frames = finding.evidence.iter().map(|evidence| evidence.frame).chain([finding.frame]);
    frames.find_map(|frame| event.ledger.doubt(frame))
}

/// A guess that the finding rests on: who sent its messages, or whose connection they belong to.
fn guess<'a>(rule: &Rule, event: &Event<'a>, finding: &Finding) -> Option<&'a Stretch> {
    if rule.absence == Absence::None && !rule.needs.covers(Proof::DIRECTION) {
        return None;
    }
    let frames = finding.evidence.iter().map(|evidence| evidence.frame).chain([finding.frame]);
    frames.into_iter().find_map(|frame| event.ledger.guess(frame))
}

/// An answer that the finding names, of which the log does not tell when it came, where that matters.
fn untimed<'a>(rule: &Rule, event: &Event<'a>, finding: &Finding) -> Option<&'a Stretch> {
    if !rule.needs.covers(Proof::ANSWER_TIME) {
        return None;
    }
    let mut frames = finding.evidence.iter().map(|evidence| evidence.frame).chain([finding.frame]);
    frames.find_map(|frame| event.ledger.untimed(frame))
}

/// A message that the finding rests on, or would have to hold what is absent, and of which a filter has taken something out.
fn taken_out<'a>(rule: &Rule, event: &Event<'a>, finding: &Finding) -> Option<&'a Stretch> {
    let reads = [Proof::PAYLOAD, Proof::CANCEL_TARGET, Proof::ERROR_CODE];
    if !reads.into_iter().any(|what| rule.needs.covers(what)) {
        return None;
    }
    let ledger = event.ledger;
    // Who reads no more than which request a cancel met reads the cancel alone.
    let cancel_alone = !rule.needs.covers(Proof::PAYLOAD) && !rule.needs.covers(Proof::ERROR_CODE);
    let cancels =
        || finding.evidence.iter().filter(|evidence| evidence.role == "cancel").map(|evidence| evidence.frame);
    let all = || finding.evidence.iter().map(|evidence| evidence.frame).chain([finding.frame]);
    let taken = |frame: FrameId| ledger.taken_out(None, frame, frame);
    let own = match cancel_alone && cancels().next().is_some() {
        true => cancels().find_map(taken),
        false => all().find_map(taken),
    };
    own.or_else(|| match finding.absence.unwrap_or(rule.absence) {
        Absence::None | Absence::Between(_) | Absence::Reused(_) => None,
        Absence::Unsaid(whose, about) => {
            let (first, last) = (all().min().unwrap_or(finding.frame), all().max().unwrap_or(finding.frame));
            ledger.unsaid(about, side(whose, event), first, last)
        }
        Absence::Within(whose, from, to) => ledger.taken_out(side(whose, event), from, to),
        Absence::Before(whose) => ledger.taken_out(side(whose, event), 0, finding.frame),
        Absence::Since(whose) => ledger.taken_out(side(whose, event), finding.frame, FrameId::MAX),
    })
}

/// The side that is meant; `None` for both.
fn side(whose: Whose, event: &Event<'_>) -> Option<Side> {
    match whose {
        Whose::Sender => event.sender,
        Whose::Peer => event.sender.map(Side::peer),
        Whose::Owing if event.profile.answers_cancelled() => event.sender,
        Whose::Both | Whose::Owing => None,
    }
}

fn kind(what: &What<'_>) -> On {
    match what {
        What::Malformed { .. } => On::Malformed,
        What::Message { .. } => On::Message,
        What::VersionMissing { .. } => On::VersionMissing,
        What::Batch(_) => On::Batch,
        What::BatchMismatch { .. } => On::BatchMismatch,
        What::Request { .. } => On::Request,
        What::IdReused { .. } => On::IdReused,
        What::NestedAfterCancel { .. } => On::NestedAfterCancel,
        What::Answer { .. } => On::Answer,
        What::NotificationAnswered { .. } => On::NotificationAnswered,
        What::Stray { .. } => On::Stray,
        What::Cancel { .. } => On::Cancel,
        What::LateAnswer { .. } => On::LateAnswer,
        What::Progress { .. } => On::Progress,
        What::ProgressAfterCancel { .. } => On::ProgressAfterCancel,
        What::NotificationAfterCancel { .. } => On::NotificationAfterCancel,
        What::Unacknowledged { .. } => On::Unacknowledged,
        What::Document { .. } => On::Document,
        What::EarlyRequest { .. } => On::EarlyRequest,
        What::AskedAnew { .. } => On::AskedAnew,
        What::Undeclared { .. } => On::Undeclared,
        What::Logged { .. } => On::Logged,
        What::Era { .. } => On::Era,
        What::Round { .. } => On::Round,
        What::NotOffered { .. } => On::NotOffered,
        What::Rescoped { .. } => On::Rescoped,
        What::Released { .. } => On::Released,
        What::Control { .. } => On::Control,
        What::Shortfall { .. } => On::Shortfall,
        What::Unvalidated { .. } => On::Unvalidated,
        What::ClosedAtWork { .. } => On::ClosedAtWork,
        What::Unsupported { .. } => On::Unsupported,
        What::NotSetUp { .. } => On::NotSetUp,
        What::Unannounced { .. } => On::Unannounced,
        What::Flawed { .. } => On::Flawed,
        What::Posted { .. } => On::Posted,
        What::Responded { .. } => On::Responded,
        What::Misplaced { .. } => On::Misplaced,
        What::Unsubscribed { .. } => On::Unsubscribed,
        What::Unrequested { .. } => On::Unrequested,
        What::WorkLeftOpen { .. } => On::WorkLeftOpen,
        What::TurnNotCancelled { .. } => On::TurnNotCancelled,
        What::TurnOutlivesClose { .. } => On::TurnOutlivesClose,
        What::UnknownTask { .. } => On::UnknownTask,
        What::Task(_) => On::Task,
        What::TaskCancelAnswer { .. } => On::TaskCancelAnswer,
        What::PermissionAnswer { .. } => On::PermissionAnswer,
        What::UpdateAfterTurn { .. } => On::UpdateAfterTurn,
        What::Unanswered { .. } => On::Unanswered,
        What::ServerDied { .. } => On::ServerDied,
        What::Orphans { .. } => On::Orphans,
        What::Stalled { .. } => On::Stalled,
        What::Hop(_) => On::Hop,
        What::Shape(_) => On::Shape,
        What::End => On::End,
        What::Capture(_) => On::Capture,
    }
}
