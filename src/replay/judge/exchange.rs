//! The verdict on one exchange.

use std::collections::BTreeMap;

use super::answer::{Answer, effective_cancel};
use super::faults::{self, Compared};
use super::words::left_words;
use crate::number::{duration, plural};
use crate::protocol::{Profile, Side};
use crate::replay::compare::{Comparison, Rules, Terms, compare};
use crate::replay::message;
use crate::replay::options::Options;
use crate::replay::recording::{Connection, Exchange, Fault};
use crate::replay::run::{Broken, CancelRun, CancelStatus, ExchangeRun, Fate, Refused, RunLog};
use crate::replay::verdict::{Difference, Verdict};
use crate::rules::{self, On};

/// `slower` needs this much more time ...
const SLOWER_US: i64 = 100_000;
/// ... and more than so many times the recorded one.
const SLOWER_TIMES: i64 = 2;

/// All that a verdict on one exchange rests on.
#[derive(Clone, Copy)]
pub struct Case<'a> {
    pub recorded: &'a Connection,
    pub live: Option<&'a Connection>,
    pub log: &'a RunLog,
    /// The exchange in the recording.
    pub place: usize,
    /// The exchange in the live session.
    pub twin: Option<usize>,
    pub rules: &'a Rules,
    pub options: &'a Options,
    /// True where two recordings are compared, and not a recording with a run of it.
    pub is_diff: bool,
    /// True if times cannot be compared.
    pub delayed: bool,
    /// The HTTP status that its request got in the recording, where that shows one.
    pub status: Option<u16>,
    /// Values that were put into requests of this connection, and paths that were mapped.
    pub echoes: &'a [(String, String)],
    /// Those of its own request that say what they are; see [`Terms::due`].
    pub due: &'a [(String, String)],
    /// Those that are not shown, of its own request.
    pub hidden: &'a [(String, String)],
}

/// What was found.
#[derive(Debug, Default)]
pub struct Opinion {
    /// Each with a line that says why; the first one is the primary verdict.
    pub verdicts: BTreeMap<Verdict, String>,
    /// The rule, for `violates`.
    pub rule: Option<String>,
    /// Differences of the payload.
    pub diff: Vec<Difference>,
    /// Differences that are not listed.
    pub more: u64,
    /// Further remarks.
    pub notes: Vec<String>,
    /// True if the recording and the live side have a violation in common.
    pub still_violates: bool,
    /// True if only one of two recordings has it, or its cancel: that alone makes them differ.
    pub one_sided: bool,
    /// True if the outcomes of both sides were held against each other.
    pub compared: bool,
    /// True if the answer to its cancelled request may have crossed the cancel: nothing was learnt of what the cancel does.
    pub crossed: bool,
}

impl Opinion {
    pub(super) fn add(&mut self, verdict: Verdict, why: impl Into<String>) {
        self.verdicts.entry(verdict).or_insert_with(|| why.into());
    }

    pub(super) fn note(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }
}

impl<'a> Case<'a> {
    pub fn own(&self) -> &'a Exchange {
        &self.recorded.exchanges[self.place]
    }

    pub fn run(&self) -> &'a ExchangeRun {
        &self.log.exchanges[self.place]
    }

    /// The recorded answer.
    pub fn recorded_text(&self) -> Option<&'a str> {
        self.recorded.response(self.own())
    }

    /// The live answer.
    pub fn live_text(&self) -> Option<&'a str> {
        self.run().text.as_deref()
    }

    /// The recorded answer as a live one is held against it: an error whose code the log does not keep may have had any.
    pub(super) fn answer_then(&self, now: Option<&Answer>) -> Option<Answer> {
        let then = Answer::read(self.recorded_text()?);
        let unkept = then == Answer::Error(None) && !self.recorded.keeps_error_codes();
        Some(match now {
            Some(Answer::Error(code)) if unkept => Answer::Error(*code),
            _ => then,
        })
    }

    /// True where the audit of the live session takes what came under its id for no answer to it, as it did with the recording:
    /// an id that is used twice, or of the other JSON type.
    pub(super) fn is_unpaired(&self) -> bool {
        let twin = self.live.zip(self.twin).and_then(|(live, twin)| live.exchanges.get(twin));
        twin.is_some_and(|twin| twin.response.is_none())
    }

    /// Its cancel, where one was to hit it in flight.
    pub fn cancel(&self) -> Option<&'a CancelRun> {
        let effective = effective_cancel(self.own()).is_some() || self.is_diff;
        self.run().cancel.as_ref().filter(|_| effective)
    }

    /// Judges it.
    pub fn judge(&self) -> Opinion {
        let mut found = Opinion::default();
        match (&self.run().fate, self.own().issuer) {
            (Fate::Skipped, _) => {}
            (Fate::Sent, Side::Client) => self.asked(&mut found),
            (Fate::Sent, Side::Server) => self.was_asked(&mut found),
            (Fate::NotSent(why), _) => found.add(Verdict::NotSent, why.clone()),
            (Fate::Blocked(by), _) => found.add(Verdict::Blocked, format!("needs a value that {by} did not give")),
            (Fate::Missing | Fate::Pending, Side::Server) => self.never_asked(&mut found),
            (Fate::Missing, Side::Client) => {
                found.one_sided = true;
                found.add(Verdict::Missing, "only in the first recording");
            }
            (Fate::Pending, Side::Client) => found.add(Verdict::NotSent, self.ended()),
        }
        found
    }

    /// Why its turn never came.
    pub(super) fn ended(&self) -> String {
        match &self.log.broken {
            Some(Broken::Deadline) => "the deadline of the run came first".into(),
            Some(Broken::Interrupted) => "the run was interrupted".into(),
            Some(Broken::Left(why) | Broken::Link(why) | Broken::Era(why)) => why.clone(),
            None if self.log.exit.as_ref().is_some_and(|exit| exit.unasked) => "server exited".into(),
            None => "the run ended before".into(),
        }
    }

    /// A request of the live side that the recording has, and that did not come.
    fn never_asked(&self, found: &mut Opinion) {
        let parent = self.own().parent.and_then(|parent| Some((parent, self.log.exchanges.get(parent)?)));
        match parent {
            Some((parent, run)) if run.fate != Fate::Sent => {
                found.add(Verdict::NotSent, format!("belongs to {}", self.recorded.exchanges[parent].label()));
            }
            _ if self.nobody_listened() => {
                found.add(Verdict::Missing, "it did not come; no GET stream was opened, as the recording has none");
            }
            _ => found.add(Verdict::Missing, "the other side did not ask it"),
        }
    }

    /// A request of the live side that came.
    fn was_asked(&self, found: &mut Opinion) {
        found.compared = true;
        if let Some(live) = self.live_text().filter(|_| self.options.compare.notifications) {
            self.payload(found, self.recorded.request(self.own()), live);
        }
        self.violations(found);
        found.verdicts.entry(Verdict::Same).or_default();
    }

    /// A request of ours that was sent.
    fn asked(&self, found: &mut Opinion) {
        let run = self.run();
        if self.is_diff {
            self.asked_alike(found);
        }
        if let Some(status) = run.session_lost {
            found.add(Verdict::SessionLost, format!("HTTP {status}: the server does not know the session"));
        }
        if run.session_lost.is_some() && run.repeated {
            found.note("sent again after a new handshake");
        }
        if run.session_lost.is_none() || self.came_through() {
            self.came_to(found);
        }
        self.status(found);
        self.allow_for_losses(found);
        self.violations(found);
        self.told(found);
        self.slower(found);
        found.verdicts.entry(Verdict::Same).or_default();
    }

    /// True for a request of which something is known once it was sent again in a new session: its answer, or what its cancel did.
    fn came_through(&self) -> bool {
        let landed = |cancel: &CancelRun| cancel.status == CancelStatus::Landed;
        self.run().repeated && (self.run().text.is_some() || self.cancel().is_some_and(landed))
    }

    /// What a request of ours came to.
    fn came_to(&self, found: &mut Opinion) {
        let run = self.run();
        if let (Some(encoding), None, None) = (&run.packed, &run.text, self.refused()) {
            return found.add(Verdict::Unknown, format!("its answer is packed ({encoding}) and cannot be read"));
        }
        if run.peer_gone && run.text.is_none() {
            return self.peer_gone(found);
        }
        match self.cancel() {
            Some(_) if effective_cancel(self.own()).is_none() => {
                found.compared = true;
                found.add(Verdict::Extra, "cancelled only in the second recording");
            }
            Some(_) if run.text.is_none() && self.refused().is_some() => self.no_answer(found),
            Some(cancel) if cancel.status == CancelStatus::Landed => self.cancelled(found, cancel),
            Some(cancel) if cancel.status == CancelStatus::Refused => self.cancel_refused(found),
            // A cancel that was wrong when it was recorded tests whether it is tolerated, whenever it comes.
            Some(cancel) if cancel.status == CancelStatus::Raced && self.cancel_was_wrong() => self.plain(found),
            Some(cancel) if cancel.status == CancelStatus::Raced => self.raced(found, cancel),
            Some(_) if self.is_diff => {
                (found.compared, found.one_sided) = (true, true);
                found.add(Verdict::Missing, "cancelled only in the first recording");
            }
            Some(_) => found.add(Verdict::Unknown, "its cancel was not sent before the run ended"),
            None => self.plain(found),
        }
    }

    /// Of two recordings: whether the same was asked, and cancelled after the same time.
    fn asked_alike(&self, found: &mut Opinion) {
        let Some(twin) = self.twin.zip(self.live).map(|(twin, live)| live.request(&live.exchanges[twin])) else {
            return;
        };
        let flowed: Vec<String> = self.run().substituted.iter().map(|put| put.at.clone()).collect();
        let asked = compare(self.rules, &self.terms(&flowed), self.recorded.request(self.own()), twin);
        if asked.changed {
            found.note(format!("asked differently at {}", first_place(&asked.differences)));
        }
        let delay = |from: Option<i64>, to: Option<i64>| to.zip(from).map(|(to, from)| to - from);
        let cancel = effective_cancel(self.own()).and_then(|cancel| self.recorded.events[cancel].at_us);
        let before = delay(self.recorded.events[self.own().request].at_us, cancel);
        let now = delay(self.run().sent_us, self.run().cancel.as_ref().and_then(|cancel| cancel.sent_us));
        if let Some((before, now)) = before.zip(now)
            && is_slower(before.min(now), before.max(now))
        {
            found.note(format!("cancelled after {}, before after {}", duration(now), duration(before)));
        }
    }

    fn peer_gone(&self, found: &mut Opinion) {
        let exit = self.log.exit.as_ref();
        if !exit.map_or(self.log.closed_as_recorded, |exit| exit.recorded_too) {
            return found.add(Verdict::ServerExit, exit.map_or("the connection died".to_string(), left_words));
        }
        found.note("the other side ended here, as in the recording");
        match self.cancel().filter(|cancel| cancel.status == CancelStatus::Landed) {
            Some(cancel) => self.cancelled(found, cancel),
            None => found.compared = true,
        }
    }

    /// True if the recorded cancel itself broke a rule (of `initialize`, of the wrong side). What is wrong with the POST that carried
    /// it is no fault of the cancel.
    pub fn cancel_was_wrong(&self) -> bool {
        let cancel = effective_cancel(self.own());
        let of_post = |fault: &Fault| rules::find(&fault.code).is_some_and(|rule| rule.on == On::Posted);
        let proven = |fault: &Fault| fault.certainty == "violation" && fault.severity != "note";
        cancel.is_some()
            && self.recorded.faults.iter().any(|fault| fault.event == cancel && proven(fault) && !of_post(fault))
    }

    /// True if the run was cut off while the exchange was open.
    pub(super) fn cut_off(&self) -> bool {
        matches!(self.log.broken, Some(Broken::Deadline | Broken::Interrupted | Broken::Left(_)))
            && self.run().stuck_us.is_none()
    }

    fn plain(&self, found: &mut Opinion) {
        let run = self.run();
        match (self.recorded_text(), self.live_text()) {
            (Some(a), Some(b)) => {
                found.compared = true;
                self.given_up_before(found);
                self.payload(found, a, b);
            }
            (Some(_), None) if run.stuck_us.is_some() => {
                found.compared = true;
                let watched = run.watched_us.or_else(|| Some(run.stuck_us? - run.sent_us?));
                let since = watched.map_or(String::new(), |us| format!(", watched {}", duration(us)));
                found.add(Verdict::Stuck, format!("no answer{since}"));
            }
            (Some(_), None) => self.no_answer(found),
            (None, _) if self.unseen_answer().is_some() => self.unknown(found),
            (None, Some(text)) if !self.is_unpaired() => {
                found.compared = true;
                self.answered_at_last(found, &Answer::read(text));
            }
            (None, _) => {
                found.compared = true;
                let watched = run.watched_us.map_or(String::new(), |us| format!(", watched {}", duration(us)));
                found.note(format!("no answer, as in the recording{watched}"));
            }
        }
    }

    /// It was answered, or would have been, and is not.
    fn no_answer(&self, found: &mut Opinion) {
        match self.run().http_status.filter(|status| Refused::by(*status)) {
            Some(status) => {
                found.compared = true;
                found.add(Verdict::ErrorChanged, format!("HTTP {status} instead of an answer"));
            }
            None => found.add(Verdict::Unknown, self.ended_while_open()),
        }
    }

    /// The status by which its request is refused now, and was not in the recording.
    fn refused(&self) -> Option<u16> {
        self.run().http_status.filter(|status| Refused::is(self.status, *status))
    }

    /// An answer in a response that refuses the request. An error may come with either status.
    fn status(&self, found: &mut Opinion) {
        let (Some(text), Some(status)) = (self.live_text(), self.refused()) else { return };
        let then = self.status.map_or(String::new(), |then| format!(", recorded {then}"));
        match Answer::read(text) {
            Answer::Result(_) => found.add(Verdict::ErrorChanged, format!("HTTP {status} around its result{then}")),
            Answer::Error(_) if self.status.is_some() => found.note(format!("HTTP {status} around its error{then}")),
            Answer::Error(_) => {}
        }
    }

    /// What was not cancelled tells nothing of cancels.
    fn cancel_refused(&self, found: &mut Opinion) {
        found.compared = true;
        let cancel = effective_cancel(self.own());
        match self.log.refused.iter().find(|refused| Some(refused.event) == cancel) {
            Some(refused) => found.add(Verdict::ErrorChanged, format!("its cancel was {}", refused.words())),
            None => found.note("its cancel was not taken, as in the recording"),
        }
    }

    /// An answer to what had been given up as stuck: that something else kept the run alive until it came changes nothing.
    fn given_up_before(&self, found: &mut Opinion) {
        let run = self.run();
        let (Some(stuck), Some(answered), Some(sent)) = (run.stuck_us, run.answered_us, run.sent_us) else { return };
        if answered > stuck {
            let (waited, came) = (duration(stuck - sent), duration(answered - sent));
            found.add(Verdict::Stuck, format!("no answer in {waited}; it came after {came}"));
        }
    }

    fn ended_while_open(&self) -> String {
        match self.log.broken {
            Some(_) => self.ended(),
            None if self.is_diff => "the other recording ends while it is open".into(),
            None => "the run ended while it was open".into(),
        }
    }

    fn answered_at_last(&self, found: &mut Opinion, answer: &Answer) {
        let words = answer.words();
        if self.recorded.profile.stays_open(&self.own().method) {
            let verdict = if matches!(answer, Answer::Error(_)) { Verdict::ErrorChanged } else { Verdict::Changed };
            return found.add(verdict, format!("{words}; in the recording it stayed open"));
        }
        found.add(Verdict::Fixed, format!("{words}; the recording has no answer"));
    }

    /// What holds for the messages of this exchange.
    fn terms<'t>(&'t self, captured: &'t [String]) -> Terms<'t> {
        let (echoes, due, hidden) = (self.echoes, self.due, self.hidden);
        Terms { profile: self.recorded.profile, captured, echoes, due, hidden, asked: Some(self.own()) }
    }

    pub(super) fn payload(&self, found: &mut Opinion, recorded: &str, live: &str) {
        let run = self.run();
        let captured: Vec<String> = run.captured.iter().chain(&run.capture_missing).cloned().collect();
        let captured = [captured, minted(self.recorded.profile, recorded)].concat();
        let mut comparison = compare(self.rules, &self.terms(&captured), recorded, live);
        let b = Answer::read(live);
        let a = self.answer_then(Some(&b)).unwrap_or_else(|| Answer::read(recorded));
        if matches!(a, Answer::Error(_)) && a == b && Answer::read(recorded) != b {
            harmless_code(&mut comparison);
            found.note("the recording does not keep error codes: they are not compared");
        }
        match (&a, &b) {
            (Answer::Error(x), Answer::Error(y)) if x != y => {
                let same = x.zip(*y).is_some_and(|(x, y)| self.recorded.profile.same_error(&self.own().method, x, y));
                harmless_code(&mut comparison);
                match same {
                    true => found.note(format!("{} means the same as {}", b.words(), a.words())),
                    false => found.add(Verdict::ErrorChanged, format!("{} became {}", a.words(), b.words())),
                }
                if comparison.changed {
                    found.add(Verdict::Changed, first_place(&comparison.differences));
                }
            }
            (Answer::Error(_), Answer::Result(_)) | (Answer::Result(_), Answer::Error(_)) => {
                found.add(Verdict::ErrorChanged, format!("{} became {}", a.words(), b.words()));
            }
            _ if comparison.changed => found.add(Verdict::Changed, first_place(&comparison.differences)),
            _ => {}
        }
        if comparison.reordered {
            found.add(
                Verdict::Reordered,
                comparison.notes.iter().find(|it| it.starts_with("order")).cloned().unwrap_or_default(),
            );
        }
        if comparison.added > 0 {
            found.note(format!("{} added", plural(comparison.added, "member")));
        }
        comparison.notes.into_iter().for_each(|note| found.note(note));
        found.diff.append(&mut comparison.differences);
        found.more += comparison.more;
    }

    pub(super) fn faults(&self) -> Option<Compared<'a>> {
        let (live, twin) = (self.live?, self.twin?);
        let blame = (!self.is_diff).then_some(Side::Server);
        Some(faults::compared((self.recorded, Some(self.place)), (live, Some(twin)), blame))
    }

    fn violations(&self, found: &mut Opinion) {
        let Some(faults) = self.faults() else { return };
        let run = self.run();
        if run.cancel.as_ref().is_some_and(|cancel| cancel.harness_made) {
            // Whatever came of a cancel that we should not have sent is no fault of the server.
            return;
        }
        for fault in &faults.new {
            found.rule.get_or_insert_with(|| fault.rule.clone());
            let after =
                self.live.and_then(|live| faults::lag(live, self.twin, fault.event)).filter(|after| *after >= 0);
            let after = after.map_or(String::new(), |us| format!(", +{} after the cancel", duration(us)));
            found.add(Verdict::Violates, format!("{}{after}", fault.rule));
        }
        if faults.new.len() > 1 {
            let others: Vec<&str> = faults.new[1..].iter().map(|fault| fault.rule.as_str()).collect();
            found.note(format!("also violates {}", others.join(", ")));
        }
        for fault in &faults.still {
            found.still_violates = true;
            found.note(format!("still violates {}", fault.rule));
        }
        // Of a request that got no answer, the verdict says more than a finding that cannot be decided.
        let stuck = found.verdicts.contains_key(&Verdict::Stuck);
        for fault in faults.open.iter().filter(|_| !stuck) {
            found.note(format!("{}: {}", fault.certainty, fault.summary));
        }
        let settled = [Verdict::ServerExit, Verdict::SessionLost, Verdict::Unknown, Verdict::Stuck, Verdict::Raced];
        if !settled.iter().any(|verdict| found.verdicts.contains_key(verdict)) {
            for fault in faults.gone.iter().filter(|fault| self.would_have_shown(fault)) {
                found.add(Verdict::Fixed, format!("{} is gone", fault.rule));
            }
        }
    }

    /// True if a violation of the recording would have been found in the live session too: that something never came is only found
    /// where somebody watched for it for as long as the rule asks for. A request that still has no answer is no better answered, and
    /// what comes on a stream that was closed to cancel is not seen.
    fn would_have_shown(&self, fault: &Fault) -> bool {
        let on = rules::find(&fault.code).map(|rule| &rule.on);
        if self.live_text().is_none() && (matches!(on, Some(On::Unanswered)) || self.cancel_closed_its_stream()) {
            return false;
        }
        let absence = matches!(on, Some(On::Unanswered | On::Orphans | On::Stalled | On::End));
        let asked_for = crate::session::Settings::default().grace_us;
        !absence || self.live_text().is_some() || self.run().watched_us.is_some_and(|watched| watched > asked_for)
    }

    /// Notifications about it. Their number depends on the moment, so only none instead of some is told as a verdict.
    fn told(&self, found: &mut Opinion) {
        let (recorded, live) = self.run().notifications;
        if self.run().text.is_none() || self.cancel().is_some() {
            return;
        }
        match (recorded, live) {
            (1.., 0) => found.add(Verdict::Missing, format!("none of its {recorded} notifications came")),
            (recorded, live) if recorded != live => found.note(format!("{live} notifications, recorded {recorded}")),
            _ => {}
        }
        if let (true, Some(live), Some(twin)) = (self.options.compare.notifications, self.live, self.twin) {
            let pairs = self.own().progress.iter().zip(&live.exchanges[twin].progress);
            for (index, (a, b)) in pairs.enumerate() {
                let text = &self.recorded.events[*a].text;
                let minted = minted(self.recorded.profile, text);
                let found_here = compare(self.rules, &self.terms(&minted), text, &live.events[*b].text);
                if found_here.changed {
                    let of = format!("notification {}", index + 1);
                    found.add(Verdict::Changed, format!("{of}: {}", first_place(&found_here.differences)));
                    found
                        .diff
                        .extend(found_here.differences.into_iter().map(|it| Difference { of: Some(of.clone()), ..it }));
                }
            }
        }
    }
}

/// True for a time that is longer than another by more than chance.
pub(super) fn is_slower(before: i64, now: i64) -> bool {
    now - before > SLOWER_US && now > SLOWER_TIMES.saturating_mul(before)
}

/// The places in a message of the server where a token stands that it made up: as with ids, another one is no change.
pub(super) fn minted(profile: &Profile, text: &str) -> Vec<String> {
    let method = message::method(text);
    let reports = ["window/workDoneProgress/create", "$/progress"];
    let is_minted = profile.creates_tokens() && method.is_some_and(|method| reports.contains(&&*method));
    is_minted.then(|| "/params/token".to_string()).into_iter().collect()
}

/// Another code is judged by itself.
fn harmless_code(comparison: &mut Comparison) {
    for difference in comparison.differences.iter_mut().filter(|it| it.at == "/error/code") {
        difference.harmless = true;
    }
    comparison.changed = comparison.more > 0 || comparison.differences.iter().any(|it| !it.harmless);
}

/// The first place that differs, and how many more do.
pub(super) fn first_place(differences: &[Difference]) -> String {
    let mut changes = differences.iter().filter(|it| !it.harmless);
    let first = changes.next().map_or("", |it| it.at.as_str());
    let first = if first.is_empty() { "the whole message" } else { first };
    match changes.count() {
        0 => first.to_string(),
        more => format!("{first} and {more} more"),
    }
}
