//! What one play says about one row of the table.

use super::clauses::{Break, For, Hold, Row};
use super::play::Play;
use crate::replay::recording::Fault;

/// What a play says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Says {
    /// The sentence was kept, and how that shows.
    Honoured(String),
    /// It could not be seen, and why.
    NotObserved(String),
    /// It was broken.
    Violates(Proof),
}

/// What proves a break.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Proof {
    /// In a sentence.
    pub summary: String,
    /// The rule that says so.
    pub rule: Option<String>,
    /// What its certainty rests on.
    pub basis: Option<String>,
    /// The line of the session.
    pub line: Option<u64>,
    /// The row that must be honoured for this to count.
    pub if_honoured: Option<&'static str>,
}

/// Why an answer behind a cancel shows nothing.
const LAY: &str = "the witness, too, was answered only behind it: nothing shows that the cancel was read before";

/// Decides.
pub(super) fn decide(row: &Row, play: &Play) -> Says {
    if let Some(proof) = row.breaks.iter().find_map(|it| broken(it, play)) {
        // A bound on the round trip bounds the way, and not how long a server lets lie what has come.
        let lay = proof.basis.as_deref() == Some("rtt") && play.witness_lay();
        return if lay { Says::NotObserved(LAY.to_string()) } else { Says::Violates(proof) };
    }
    if (row.holds.contains(&Hold::Settled) || row.whom == For::Streams)
        && let Some(why) = doubted(row, play)
    {
        return Says::NotObserved(why);
    }
    if !row.probes.is_empty()
        && let Some(why) = play.cancel_lost()
    {
        return Says::NotObserved(why);
    }
    let mut shown = Vec::new();
    for hold in row.holds {
        match holds(*hold, play) {
            Ok(how) => shown.extend(how),
            Err(why) => return Says::NotObserved(why),
        }
    }
    Says::Honoured(shown.join("; "))
}

/// What would break a row if it were certain: an answer that may have crossed its cancel shows nothing.
fn doubted(row: &Row, play: &Play) -> Option<String> {
    let of =
        |rule: &str| row.breaks.iter().any(|it| matches!(it, Break::Rule(own) | Break::OnCall(own) if *own == rule));
    let fault = play.live.faults.iter().find(|fault| fault.certainty != "violation" && of(&fault.code))?;
    Some(fault.summary.clone())
}

fn broken(what: &Break, play: &Play) -> Option<Proof> {
    let on_call = |rule| play.charged(rule).find(|fault| play.is_about_call(fault));
    match what {
        Break::Rule(rule) => play.charged(rule).next().map(|fault| proof(play, fault)),
        Break::Stuck => stuck(play),
        Break::NeverSettled => {
            let summary = play.never_settled()?;
            Some(Proof { summary, ..Proof::default() })
        }
        Break::NeverRefused => {
            let asked = play.never_refused().filter(|_| play.is_alive())?;
            let summary = format!("{} was never answered", asked.label());
            Some(Proof { summary, ..Proof::default() })
        }
        Break::OnCall(rule) => on_call(rule).map(|fault| proof(play, fault)),
        Break::OnCallIf(rule, row) => on_call(rule).map(|fault| Proof { if_honoured: Some(row), ..proof(play, fault) }),
        Break::OnCancel(rule) => {
            play.charged(rule).find(|fault| play.is_about_cancel(fault)).map(|fault| proof(play, fault))
        }
        Break::Objected => {
            play.objected().map(|(line, summary)| Proof { summary, line: Some(line), ..Proof::default() })
        }
        Break::Died => play.died().map(|summary| Proof { summary, ..Proof::default() }),
        Break::NoWelcome => {
            let silent = play.died().is_none() && play.is_alive() && play.was_welcomed() == Some(false);
            silent.then(|| Proof { summary: "the handshake was never answered".to_string(), ..Proof::default() })
        }
    }
}

/// A request that an honest server answers, and this one does not, while it answers what was asked later.
fn stuck(play: &Play) -> Option<Proof> {
    let asked = play.stuck().filter(|_| play.is_alive())?;
    let summary = format!("{} was never answered, and no cancel that its protocol knows was for it", asked.label());
    Some(Proof { summary, ..Proof::default() })
}

fn proof(play: &Play, fault: &Fault) -> Proof {
    Proof {
        summary: fault.summary.clone(),
        rule: Some(fault.code.clone()),
        basis: fault.basis.clone(),
        line: play.line(fault),
        if_honoured: None,
    }
}

/// How a fact shows, or why it does not.
fn holds(what: Hold, play: &Play) -> Result<Option<String>, String> {
    match what {
        Hold::SilentIfCancelled if play.targets().is_empty() => Ok(None),
        Hold::Silent | Hold::SilentIfCancelled => silent(play).map(Some),
        Hold::Welcomed => match play.was_welcomed() {
            Some(true) => Ok(None),
            _ => Err("the handshake was not answered while it was watched".to_string()),
        },
        Hold::Refused => match play.as_request().map(|live| live.outcome.as_str()) {
            Some("error") => Ok(None),
            Some("result") => Err("it was answered with a result".to_string()),
            _ => Err("it was not answered while it was watched".to_string()),
        },
        Hold::Settled => settled(play),
        Hold::NoOtherError => ended_as(play, &["cancelled", "result"]),
        Hold::SaysCancelled => ended_as(play, &["cancelled"]),
        Hold::Answered => match play.owed().find(|asked| !play.was_answered(asked)) {
            Some(asked) => Err(format!("{} was not answered", asked.label())),
            None => Ok(None),
        },
        Hold::Result => match play.calls().find(|live| live.response.is_some() && live.outcome != "result") {
            Some(live) => Err(format!("{} ended with an error, and nothing shows for what", live.label())),
            None => Ok(None),
        },
        Hold::Quiet => {
            let charged = ["RPC009", "PRG003"].iter().find_map(|rule| play.charged(rule).next());
            let note = || play.log.notes.iter().find(|note| note.contains("live side")).cloned();
            charged.map(|fault| fault.summary.clone()).or_else(note).map_or(Ok(None), Err)
        }
        Hold::Alive => match play.is_alive() {
            true => Ok(None),
            false => Err(play.died().unwrap_or_else(|| "the witness was not answered in time".to_string())),
        },
        Hold::Task(status) => match play.task_status() {
            Some(told) if told == status => Ok(None),
            Some(told) => Err(format!("the task is reported as {told}")),
            None => Err("no task was made".to_string()),
        },
        Hold::TaskRefused => task_refused(play),
        Hold::AskedNoMore => match play.questions() {
            (0, _) => Err("the server asked nothing before the cancel".to_string()),
            _ if play.witnessed().is_none() => {
                Err("nothing shows that the cancel was read: the witness was not answered".to_string())
            }
            (_, 0) => Ok(None),
            (_, more) => {
                let times = crate::number::plural(more as u64, "time");
                Err(format!("it asked {times} behind the witness, and nothing shows for which request"))
            }
        },
        Hold::ProgressEnded => match play.progress() {
            (0, _) => Err("no progress came before the cancel".to_string()),
            (_, 0) => Ok(None),
            (_, more) => Err(format!("{more} messages of progress came behind the witness")),
        },
        Hold::ProgressThenAnswer => {
            let any = play.calls().any(|live| live.response.is_some() && !live.progress.is_empty());
            if any { Ok(None) } else { Err("no request that came to its end reported progress".to_string()) }
        }
    }
}

fn task_refused(play: &Play) -> Result<Option<String>, String> {
    let before = play.task_answer("tasks/get").ok_or("no task was made")?;
    if !play.live.profile.task_ended(&before) {
        return Err(format!("the task had not ended: {before}"));
    }
    match play.task_cancel_outcome() {
        Some("error") => Ok(None),
        _ => Err("its cancel was not refused".to_string()),
    }
}

fn silent(play: &Play) -> Result<String, String> {
    let targets = play.targets();
    if targets.is_empty() {
        return Err("nothing was cancelled".to_string());
    }
    if targets.iter().any(|target| target.was_answered_first()) {
        return Err("the answer was there before the cancel".to_string());
    }
    if play.lay_unread() {
        return Err(LAY.to_string());
    }
    let witness = play.witnessed();
    let behind = |answer: &usize| witness.is_some_and(|witness| *answer > witness);
    if let Some(live) =
        targets.iter().filter_map(|target| target.live).find(|live| live.response.is_some_and(|it| behind(&it)))
    {
        return Err(format!("{} was answered behind the witness", live.label()));
    }
    if targets.iter().any(|target| !target.is_silent()) {
        return Err("the answer may have crossed the cancel".to_string());
    }
    if witness.is_none() {
        return Err("nothing shows that the cancel was read: the witness was not answered".to_string());
    }
    if targets.iter().any(|target| !target.whole) {
        return Err("it was not watched for long enough".to_string());
    }
    let watched = targets.iter().map(|target| target.watched_us).min().unwrap_or(0);
    Ok(format!("silent for {}", crate::number::duration(watched)))
}

/// Whether all answers to cancelled requests ended them in one of these ways. Another one that is charged to nobody may have crossed its
/// cancel.
fn ended_as(play: &Play, ways: &[&str]) -> Result<Option<String>, String> {
    let targets = play.targets();
    let answered = targets.iter().filter_map(|target| target.live).filter(|live| live.response.is_some());
    let Some(other) = answered.into_iter().find(|live| !ways.contains(&live.outcome.as_str())) else { return Ok(None) };
    let what = other.error_code.map_or_else(|| "a result".to_string(), |code| format!("error {code}"));
    Err(format!("{} was answered with {what}, and nothing shows that the cancel was read before", other.label()))
}

fn settled(play: &Play) -> Result<Option<String>, String> {
    let targets = play.targets();
    if targets.is_empty() {
        return Err("nothing was cancelled".to_string());
    }
    let unanswered = targets.iter().filter(|target| target.is_silent()).count();
    match unanswered {
        0 => Ok(None),
        _ => Err(format!("{unanswered} of {} were not answered while it was watched", targets.len())),
    }
}
