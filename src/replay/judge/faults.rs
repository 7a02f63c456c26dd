//! Findings of the live session held against those of the recording: what is new, what is left, what is gone.

use crate::protocol::Side;
use crate::replay::message;
use crate::replay::recording::{Connection, Event, Fault};
use crate::rules::{self, Absence, On};

/// What came behind a cancel came as late as in the recording where it took no more than so many times as long.
const ABOUT_AS_LATE: i64 = 2;

/// The recording and an exchange of it, and the same of the live session.
type BothSides<'a> = ((&'a Connection, Option<usize>), (&'a Connection, Option<usize>));

/// What an exchange of the live session breaks.
#[derive(Debug, Default)]
pub struct Compared<'a> {
    /// Violations that the recording does not have.
    pub new: Vec<&'a Fault>,
    /// Violations that it has too.
    pub still: Vec<&'a Fault>,
    /// Violations that only the recording has.
    pub gone: Vec<&'a Fault>,
    /// What cannot be held against the server: races, and what is not decidable.
    pub open: Vec<&'a Fault>,
}

/// Compares the findings on one exchange of both sides; `None` as the exchange is for what belongs to none.
/// `blame` is the side whose faults count; `None` for both.
pub fn compared<'a>(
    (recorded, own): (&'a Connection, Option<usize>),
    (live, twin): (&'a Connection, Option<usize>),
    blame: Option<Side>,
) -> Compared<'a> {
    let of = |connection: &'a Connection, exchange: Option<usize>| {
        connection.faults.of(exchange).iter().filter(move |fault| counts(connection, fault, blame))
    };
    let before: Vec<&Fault> = of(recorded, own).collect();
    let mut found = Compared::default();
    // What was not there before may have been in the recorded session too, where its log cannot show what was.
    let shown = |fault: &Fault| {
        let blind =
            |rule: &&rules::Rule| matches!(rule.absence, Absence::Before(_)) && !recorded.proof.proves(rule.needs);
        rules::find(&fault.code).filter(blind).is_none()
    };
    for fault in of(live, twin) {
        let mut same = before.iter().filter(|old| old.code == fault.code);
        let sides = ((recorded, own), (live, twin));
        let known = same
            .any(|old| old.certainty == "violation" || was_as_late(sides, fault) || was_open(sides, old, fault))
            || was_as_silent((recorded, own), fault)
            || was_written(recorded, live, fault)
            || is_elsewhere((live, fault), recorded);
        let list = match (fault.certainty.as_str(), known) {
            _ if !shown(fault) => &mut found.open,
            ("violation", true) => &mut found.still,
            ("violation", false) => &mut found.new,
            _ => &mut found.open,
        };
        if !list.iter().any(|other| other.code == fault.code) {
            list.push(fault);
        }
    }
    let seen = |code: &str| of(live, twin).any(|fault| fault.code == code);
    let decidable = |fault: &&&Fault| {
        let needs = rules::find(&fault.code).is_some_and(|rule| live.proof.proves(rule.needs));
        let unplaced = is_unplaced(recorded, live, fault) || is_untied(recorded, (live, twin), fault);
        needs && live.profile.ruling(&fault.code).is_some() && !unplaced
    };
    let unseen = before.iter().filter(|fault| fault.certainty == "violation" && !seen(&fault.code)).copied();
    let (moved, gone): (Vec<&Fault>, Vec<&Fault>) = unseen.partition(|fault| is_elsewhere((recorded, *fault), live));
    found.still.extend(moved);
    found.gone = gone.into_iter().filter(|fault| decidable(&fault)).collect();
    found
}

/// True for a violation that the other side has, too, of the same kind of message, and only one side has with a request: the streams that
/// tell to which one a message belongs exist over one of the two transports.
fn is_elsewhere((connection, fault): (&Connection, &Fault), other: &Connection) -> bool {
    let about = |connection: &Connection, fault: &Fault| message::method(&connection.events.get(fault.event?)?.text);
    let same = |it: &&Fault| it.code == fault.code && it.certainty == "violation";
    let mut there = other.faults.iter().filter(same).filter(|it| it.exchange.is_some() != fault.exchange.is_some());
    connection.transport != other.transport && there.any(|it| about(other, it) == about(connection, fault))
}

/// True for a request of the server for the sake of a cancelled one where the live session has such a request too, and does not
/// show what it served: over a link without streams nothing does, and that the fault is not seen there is no repair.
fn is_unplaced(recorded: &Connection, live: &Connection, fault: &Fault) -> bool {
    let nested = rules::find(&fault.code).is_some_and(|rule| matches!(rule.on, On::NestedAfterCancel));
    let asked = fault.event.filter(|_| nested).and_then(|event| recorded.asked_at(event));
    asked.is_some_and(|asked| {
        live.exchanges.iter().any(|exchange| {
            exchange.issuer == Side::Server && exchange.method == asked.method && exchange.parent.is_none()
        })
    })
}

/// The same of a notification that its stream tied to a cancelled request, where one like it comes behind the live cancel on a link
/// without streams.
fn is_untied(recorded: &Connection, (live, twin): (&Connection, Option<usize>), fault: &Fault) -> bool {
    let told = rules::find(&fault.code).is_some_and(|rule| matches!(rule.on, On::NotificationAfterCancel));
    let cancel = twin.and_then(|twin| live.exchanges.get(twin)?.cancels.first().copied());
    let event = fault.event.filter(|_| told && live.transport != recorded.transport);
    let method = event.and_then(|event| message::method(&recorded.events.get(event)?.text));
    let (Some(cancel), Some(method)) = (cancel, method) else { return false };
    let like = |event: &Event| {
        event.side == Some(Side::Server) && message::method(&event.text).is_some_and(|other| other == method)
    };
    live.events.iter().skip(cancel + 1).any(like)
}

/// True for an answer that never comes and did not come in the recording either: that nobody watched for it long enough there to
/// prove it is no difference of the server.
fn was_as_silent((recorded, own): (&Connection, Option<usize>), fault: &Fault) -> bool {
    let unanswered = own.and_then(|own| recorded.exchanges.get(own)).is_some_and(|own| own.response.is_none());
    unanswered && rules::find(&fault.code).is_some_and(|rule| matches!(rule.on, On::Unanswered))
}

/// True where the recording has the very message that a finding is about, but for its id, and its log cannot prove what is wrong with
/// it (`"params": null` where envelopes are rebuilt): the server writes what it wrote.
pub fn was_written(recorded: &Connection, live: &Connection, fault: &Fault) -> bool {
    let proven = rules::find(&fault.code).is_none_or(|rule| recorded.proof.proves(rule.needs));
    let written = |event: &Event| {
        let mut message: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&event.text).ok()?;
        message.remove("id");
        Some((event.side?, message))
    };
    let now = fault.event.filter(|_| !proven).and_then(|event| written(live.events.get(event)?));
    now.is_some() && recorded.events.iter().any(|event| written(event) == now)
}

/// True where the recording has the very finding, and its log is what cannot prove it (a guess, a gap, no sign of who sent what). What is
/// timed from a cancel came about as late there: sooner, it may have crossed the cancel.
fn was_open(((recorded, own), (live, twin)): BothSides<'_>, old: &Fault, fault: &Fault) -> bool {
    let timed =
        rules::find(&fault.code).is_some_and(|rule| matches!(rule.on, On::LateAnswer | On::ProgressAfterCancel));
    let (before, now) = (lag(recorded, own, old.event), lag(live, twin, fault.event));
    let as_late = before.zip(now).is_some_and(|(before, now)| now <= before.saturating_mul(ABOUT_AS_LATE));
    old.certainty == "undecidable" && (!timed || as_late)
}

/// True for progress behind a cancel that came as late in the recording: there it could not be proven to be a fault, on a machine
/// that was busier for example, but nothing about the server has changed.
fn was_as_late(((recorded, own), (live, twin)): BothSides<'_>, fault: &Fault) -> bool {
    let on_progress = rules::find(&fault.code).is_some_and(|rule| matches!(rule.on, On::ProgressAfterCancel));
    let last = own.and_then(|own| recorded.exchanges.get(own)?.progress.last().copied());
    let (before, now) = (lag(recorded, own, last), lag(live, twin, fault.event));
    on_progress && before.zip(now).is_some_and(|(before, now)| before >= now)
}

/// How long after the cancel of an exchange an event came, in microseconds.
pub fn lag(connection: &Connection, exchange: Option<usize>, event: Option<usize>) -> Option<i64> {
    let cancel = *connection.exchanges.get(exchange?)?.cancels.first()?;
    let at = |event: usize| connection.events.get(event)?.at_us;
    Some(at(event?)? - at(cancel)?)
}

/// True for a finding that a verdict can rest on: of warning level or above (a race is always a note), about traffic and not about the
/// capture, not about an answer that never came (that is `stuck`), and of the side that is judged.
pub fn counts(connection: &Connection, fault: &Fault, blame: Option<Side>) -> bool {
    let is_race = fault.certainty != "violation";
    let weighs = is_race || fault.severity != "note";
    let traffic = !fault.code.starts_with("CAP") && !fault.code.starts_with("STK");
    weighs && traffic && blame.is_none_or(|side| culprit(connection, fault).is_none_or(|culprit| culprit == side))
}

/// True if this side did what a finding is about.
pub fn is_fault_of(connection: &Connection, fault: &Fault, side: Side) -> bool {
    culprit(connection, fault) == Some(side)
}

/// Who did it: the sender of the message that the finding points at; where the fault is an answer that never came, whoever owed it.
fn culprit(connection: &Connection, fault: &Fault) -> Option<Side> {
    let absent = |rule: &&rules::Rule| matches!(rule.on, On::Unanswered | On::Orphans | On::Stalled | On::End);
    if rules::find(&fault.code).filter(absent).is_some() {
        return fault.exchange.and_then(|exchange| connection.exchanges.get(exchange)).map(|it| it.issuer.peer());
    }
    connection.events.get(fault.event?)?.side
}
