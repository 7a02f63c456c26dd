//! The report of a run out of the verdicts on its exchanges.

use std::collections::HashSet;

use super::About;
use super::answer::{effective_cancel, has_task_cancel};
use super::exchange::{Case, Opinion};
use super::faults::{self, Compared};
use super::loose;
use super::server_end;
use crate::number::plural;
use crate::protocol::Side;
use crate::replay::compare::Rules;
use crate::replay::flow;
use crate::replay::message;
use crate::replay::options::{FlowRule, Gate, Options};
use crate::replay::plan::gap;
use crate::replay::recording::{Connection, Event, EventKind, Exchange, Recording};
use crate::replay::run::{Broken, CancelRun, CancelStatus, Extra, Fate, Refused, RunLog};
use crate::replay::splice;
use crate::replay::verdict::{CancelCounts, ExchangeReport, RunReport, SideFigures, Standing, Verdict};

/// Swapped answers that are named; the others are counted.
const NAMED: usize = 3;

/// Two recordings of the same session, one of them perhaps a run of the other.
pub struct Sides<'a> {
    pub recorded: &'a Recording,
    pub live: &'a Recording,
    pub logs: &'a [RunLog],
    /// For each connection: its place in `live`, and for each of its exchanges the live one.
    pub pairs: Vec<(Option<usize>, Vec<Option<usize>>)>,
    /// Requests of the client that only the live side has, by connection (of the recording, or a place beyond them).
    pub asked_anew: Vec<(usize, &'a Exchange)>,
    pub is_diff: bool,
}

/// Judges all of it.
pub fn report(sides: &Sides<'_>, options: &Options, about: &About) -> RunReport {
    let mut report = RunReport {
        recording: sides.recorded.name.clone(),
        target: about.target.clone(),
        speed: about.speed.clone(),
        started_us: about.started_us,
        wall_us: about.wall_us,
        live_session: about.live_session.clone(),
        protocols: sides.recorded.connections.iter().map(|connection| connection.profile.label()).collect(),
        ..RunReport::default()
    };
    let rules = match Rules::new(&options.compare) {
        Ok(rules) => rules,
        Err(error) => {
            report.notes.push(error.message);
            report.exit = 2;
            return report;
        }
    };
    let (mut compared, mut asked) = (0, 0);
    for (index, (connection, log)) in sides.recorded.connections.iter().zip(sides.logs).enumerate() {
        let one = One { sides, index, connection, log, rules: &rules, options };
        let done = one.judge(&mut report);
        compared += done.compared;
        asked += done.asked;
    }
    let beyond = sides.asked_anew.iter().filter(|(connection, _)| *connection >= sides.recorded.connections.len());
    report.exchanges.extend(beyond.map(|(index, exchange)| {
        let mut entry = asked_anew(*index, exchange);
        entry.fails = fails(&entry, &options.gate);
        entry
    }));
    report.notes.extend(rules.unused().into_iter().map(|text| format!("warning: {text}")));
    report.notes.extend(unset(sides.recorded, options));
    report.notes.extend(idle_flows(sides.recorded, options));
    report.standing = standing(sides, options, compared, asked);
    if !sides.is_diff {
        report.notes.extend(sides.recorded.unread.iter().map(|unread| unread.words.clone()));
        report.notes.extend(sides.recorded.connections.iter().filter_map(gap));
    }
    report.conclude();
    report
}

/// What was done with one connection.
struct Done {
    /// Exchanges whose outcomes were held against each other.
    compared: usize,
    /// Exchanges of ours that were to be played.
    asked: usize,
}

/// One connection of a run.
pub(super) struct One<'a> {
    sides: &'a Sides<'a>,
    index: usize,
    pub(super) connection: &'a Connection,
    pub(super) log: &'a RunLog,
    rules: &'a Rules,
    pub(super) options: &'a Options,
}

impl<'a> One<'a> {
    fn live(&self) -> Option<&'a Connection> {
        self.sides.pairs[self.index].0.and_then(|place| self.sides.live.connections.get(place))
    }

    fn judge(&self, report: &mut RunReport) -> Done {
        let (mut done, from) = (Done { compared: 0, asked: 0 }, report.exchanges.len());
        let delayed = is_delayed(self.log);
        report.delayed |= delayed;
        let echoes = self.echoes();
        let statuses = self.connection.statuses();
        let mut skipped = 0;
        // Where a part was asked for, the handshake is sent all the same and says nothing about that part.
        let selects = self.options.policy.selects();
        let mut places: Vec<Option<usize>> = vec![None; self.connection.exchanges.len()];
        for (place, run) in self.log.exchanges.iter().enumerate().take(self.connection.exchanges.len()) {
            let own = &self.connection.exchanges[place];
            if run.fate == Fate::Skipped {
                skipped += usize::from(own.issuer == Side::Client);
                continue;
            }
            let echoes = self.echoes_of(place, &echoes);
            let due = self.due(place);
            let hidden: Vec<_> = run.substituted.iter().filter_map(|it| it.hidden.clone()).collect();
            let case = Case {
                recorded: self.connection,
                live: self.live(),
                log: self.log,
                place,
                twin: self.sides.pairs[self.index].1.get(place).copied().flatten(),
                rules: self.rules,
                options: self.options,
                is_diff: self.sides.is_diff,
                delayed,
                status: self.connection.events[own.request].stream.and_then(|stream| statuses.get(&stream)).copied(),
                echoes: &echoes,
                due: &due,
                hidden: &hidden,
            };
            let found = case.judge();
            let counts = own.issuer == Side::Client && !(selects && self.connection.profile.is_handshake(&own.method));
            done.asked += usize::from(counts);
            done.compared += usize::from(found.compared && counts);
            count_cancel(&mut report.cancels, &case, found.crossed);
            let entry = self.entry(&case, found);
            match run.continues.and_then(|first| places.get(first).copied().flatten()) {
                Some(first) => {
                    places[place] = Some(first);
                    continue_with(&mut report.exchanges[first], entry);
                }
                None => {
                    places[place] = Some(report.exchanges.len());
                    report.exchanges.push(entry);
                }
            }
        }
        self.reordered(report, &places);
        report.exchanges.extend(self.log.extras.iter().map(|extra| self.extra(extra)));
        let anew = self.sides.asked_anew.iter().filter(|(connection, _)| *connection == self.index);
        report.exchanges.extend(anew.map(|(index, exchange)| asked_anew(*index, exchange)));
        report.exchanges.extend(self.loose());
        report.exchanges.extend(self.refused());
        report.exchanges.extend(self.unsent());
        report.exchanges.extend(self.strays());
        let lost = server_end::lost(self.connection, self.log, &report.exchanges[from..]);
        report.exchanges.extend(lost.map(|how| self.blank("-", "", Verdict::ServerExit, how)));
        let ended = server_end::ended(self.connection, self.log, &report.exchanges[from..])
            .map(|(verdict, how)| self.blank("-", "", verdict, how));
        if ended.as_ref().is_some_and(|entry| entry.verdict == Verdict::ServerExit) {
            report.stderr.extend(self.log.exit.iter().flat_map(|exit| &exit.stderr).cloned());
        }
        report.exchanges.extend(ended);
        for entry in &mut report.exchanges[from..] {
            entry.fails |= fails(entry, &self.options.gate);
        }
        self.notes(report, skipped);
        done
    }

    fn entry(&self, case: &Case<'_>, found: Opinion) -> ExchangeReport {
        let (own, run) = (case.own(), case.run());
        let mut verdicts: Vec<Verdict> = found.verdicts.keys().copied().collect();
        if verdicts.len() > 1 {
            verdicts.retain(|verdict| *verdict != Verdict::Same);
        }
        let verdict = verdicts.first().copied().unwrap_or(Verdict::Same);
        let cancel_at = effective_cancel(own).map(|cancel| &self.connection.events[cancel]);
        let cancel_delay = cancel_at.and_then(|cancel| cancel.at_us).zip(self.connection.events[own.request].at_us);
        ExchangeReport {
            label: own.label(),
            rpc_id: own.rpc_id.clone(),
            connection: self.index,
            issuer: own.issuer,
            method: own.method.clone(),
            name: own.name.clone(),
            line: Some(self.connection.events[own.request].line),
            twin: self.sides.pairs[self.index].0.zip(case.twin),
            recorded: SideFigures {
                outcome: own.outcome.clone(),
                latency_us: own.latency_us,
                cancelled_us: cancel_delay.map(|(cancel, request)| cancel - request),
                ..SideFigures::default()
            },
            live: live_seen(case),
            verdict,
            detail: found.verdicts.get(&verdict).cloned().unwrap_or_default(),
            also: verdicts.into_iter().skip(1).collect(),
            fails: found.one_sided && self.options.gate.fail_on.is_none() && !self.options.gate.less.contains(&verdict),
            rule: found.rule.filter(|_| found.verdicts.contains_key(&Verdict::Violates)),
            cancel: run.cancel.clone().map(|cancel| match found.crossed {
                true => CancelRun { status: CancelStatus::Raced, ..cancel },
                false => cancel,
            }),
            diff: found.diff,
            more_diff: found.more,
            substituted: run.substituted.clone(),
            captured: run.captured.clone(),
            waited_for: run.waited_for.clone(),
            after_stuck: run.after_stuck,
            still_violates: found.still_violates,
            retries: Vec::new(),
            live_session: None,
            notes: found.notes,
        }
    }

    /// Answers of concurrent requests that changed places: allowed, and said.
    fn reordered(&self, report: &mut RunReport, places: &[Option<usize>]) {
        let both = self.connection.exchanges.iter().enumerate().filter_map(|(place, own)| {
            let live_us = self.log.exchanges.get(place)?.answered_us?;
            (own.issuer == Side::Client).then_some((own.response?, live_us, place))
        });
        let mut answered: Vec<(usize, i64, usize)> = both.collect();
        answered.sort_unstable();
        let mut swapped = Vec::new();
        for pair in answered.windows(2) {
            let ((first, first_us, a), (_, second_us, b)) = (pair[0], pair[1]);
            let concurrent = self.connection.exchanges[b].request < first;
            if concurrent && second_us < first_us {
                swapped.push((a, b));
            }
        }
        for place in swapped.iter().flat_map(|(a, b)| [*a, *b]).filter_map(|place| places[place]) {
            let also = &mut report.exchanges[place].also;
            if !also.contains(&Verdict::Reordered) {
                also.push(Verdict::Reordered);
            }
        }
        let label = |place: usize| self.connection.exchanges[place].label();
        for (a, b) in swapped.iter().take(NAMED) {
            report.notes.push(format!("reordered: {} was answered before {}", label(*b), label(*a)));
        }
        if swapped.len() > NAMED {
            report.notes.push(format!("reordered: {} more", swapped.len() - NAMED));
        }
    }

    fn blank(&self, label: &str, method: &str, verdict: Verdict, detail: String) -> ExchangeReport {
        ExchangeReport {
            label: label.to_string(),
            connection: self.index,
            issuer: Side::Server,
            method: method.to_string(),
            verdict,
            detail,
            ..ExchangeReport::default()
        }
    }

    fn extra(&self, extra: &Extra) -> ExchangeReport {
        let detail = match (&extra.answered, extra.request) {
            (Some(answer), true) => format!("not in the recording; answered {answer}"),
            (None, true) => "not in the recording; not answered".into(),
            (_, false) => format!("{} that the recording does not have", plural(extra.count.into(), "notification")),
        };
        let label = extra.rpc_id.as_ref().filter(|_| extra.request).map_or("-".into(), |id| Side::Server.label(id));
        ExchangeReport {
            rpc_id: extra.rpc_id.clone().unwrap_or_default(),
            live: SideFigures { outcome: "extra".into(), sent_us: Some(extra.at_us), ..SideFigures::default() },
            ..self.blank(&label, &extra.method, Verdict::Extra, detail)
        }
    }

    /// Notifications that belong to no request, of a session that was played to its end.
    fn loose(&self) -> Vec<ExchangeReport> {
        let Some(live) = self.live().filter(|_| self.log.broken.is_none()) else { return Vec::new() };
        let contents = self.options.compare.notifications;
        let found = loose::loose(self.connection, live, self.rules, &self.echoes(), contents);
        let told =
            |it: loose::Loose| ExchangeReport { diff: it.diff, ..self.blank("-", &it.method, it.verdict, it.detail) };
        // In a replay only what was due can be missing.
        let due = |method: &str| self.log.notifications.iter().any(|(name, then, now)| name == method && now < then);
        let counts = |it: &loose::Loose| self.sides.is_diff || it.verdict != Verdict::Missing || due(&it.method);
        found.into_iter().filter(counts).map(told).collect()
    }

    /// What the server refuses now and belongs to no request: a cancel that has a target is told with that.
    fn refused(&self) -> Vec<ExchangeReport> {
        let told = |refused: &Refused| {
            let event = &self.connection.events[refused.event];
            let what = match event.what {
                EventKind::Cancel(Some(_)) => return None,
                EventKind::Open => self.verb(event),
                EventKind::Response(Some(asked)) => format!("answer to {}", self.connection.exchanges[asked].label()),
                _ => message::method(&event.text).unwrap_or_default(),
            };
            Some(self.blank("-", &what, Verdict::ErrorChanged, refused.words()))
        };
        self.log.refused.iter().filter_map(told).collect()
    }

    /// What the client said without asking anything, and was not sent.
    fn unsent(&self) -> Vec<ExchangeReport> {
        let told = |(method, why): (String, String)| ExchangeReport {
            issuer: Side::Client,
            ..self.blank("-", &method, Verdict::NotSent, why)
        };
        server_end::unsent(self.connection, self.log).into_iter().map(told).collect()
    }

    /// How a stream was opened: `GET`, `DELETE`.
    fn verb(&self, open: &Event) -> String {
        let mut heads = self.connection.events.iter().filter(|event| event.what == EventKind::Http);
        let own = heads.find(|head| head.stream == open.stream && head.side == Some(Side::Client));
        let verb = own.and_then(|head| splice::at(&head.text, "/method"));
        verb.map_or_else(|| "GET".to_string(), |verb| verb.trim_matches('"').to_string())
    }

    /// Violations of the live session that belong to no exchange of the recording.
    fn strays(&self) -> Vec<ExchangeReport> {
        let Some(live) = self.live() else { return Vec::new() };
        let blame = (!self.sides.is_diff).then_some(Side::Server);
        let mut paired: HashSet<usize> = self.sides.pairs[self.index].1.iter().flatten().copied().collect();
        let witness =
            |exchange: &Exchange| exchange.issuer == Side::Client && self.log.witnesses.contains(&exchange.rpc_id);
        paired.extend((0..live.exchanges.len()).filter(|place| witness(&live.exchanges[*place])));
        let mut seen = HashSet::new();
        let Compared { new, .. } = faults::compared((self.connection, None), (live, None), blame);
        let unpaired = live.faults.iter().filter(|fault| {
            let alone = fault.exchange.is_some_and(|exchange| !paired.contains(&exchange));
            alone && fault.certainty == "violation" && faults::counts(live, fault, blame)
        });
        // One that the recording cannot decide is none that it kept.
        let before = self.connection.faults.iter().filter(|old| old.certainty != "race");
        let known: HashSet<&str> = before.map(|old| old.code.as_str()).collect();
        let unpaired = unpaired
            .filter(|fault| !known.contains(fault.code.as_str()) && !faults::was_written(self.connection, live, fault));
        let all = new.into_iter().chain(unpaired).filter(|fault| seen.insert(fault.code.clone()));
        all.map(|fault| ExchangeReport {
            rule: Some(fault.rule.clone()),
            ..self.blank("-", "", Verdict::Violates, format!("{}: {}", fault.rule, fault.summary))
        })
        .collect()
    }

    fn notes(&self, report: &mut RunReport, skipped: usize) {
        let log = self.log;
        report.rewrites.extend(log.rewrites.iter().cloned());
        report.notes.extend(log.notes.iter().cloned());
        if skipped > 0 {
            report.notes.push(format!("{} not asked for", plural(skipped as u64, "request")));
        }
        if let Some(revision) = &log.revision {
            let recorded = self.connection.profile.label();
            report.notes.push(format!(
                "the live side speaks {revision}, the recording {recorded}: rules are those of the live side"
            ));
        }
        match &log.broken {
            Some(Broken::Deadline) => report.notes.push("the run was broken off at its deadline".into()),
            Some(Broken::Interrupted) => report.notes.push("the run was interrupted".into()),
            Some(Broken::Left(why) | Broken::Link(why) | Broken::Era(why)) => report.notes.push(why.clone()),
            None => {}
        }
        if let Some(exit) = &log.exit {
            report.server_end = Some(server_end::in_words(exit));
            if exit.unasked && !exit.recorded_too {
                report.stderr.extend(exit.stderr.iter().cloned());
            }
            let badly = exit.status() != Some(0) || exit.forced.is_some();
            if badly && !exit.unasked && server_end::recorded_status(self.connection).is_none() {
                report.notes.push("how the server ended is not judged: the recording does not have its end".into());
            }
        }
    }
}

/// Values to set that stand in no message of the client: a misspelt pointer would change nothing, and nobody would know.
fn unset<'o>(recorded: &'o Recording, options: &'o Options) -> impl Iterator<Item = String> + 'o {
    let events = || recorded.connections.iter().flat_map(|connection| &connection.events);
    let has = move |pointer: &str| {
        events().any(|event| event.side == Some(Side::Client) && splice::locate(&event.text, pointer).is_some())
    };
    let all = options.rewrite.set.iter().filter(move |(pointer, _)| !has(pointer));
    all.map(|(pointer, _)| format!("warning: --set {pointer} fitted nothing"))
}

/// Rules of the user for values that flow, of which the recording has none.
fn idle_flows<'o>(recorded: &'o Recording, options: &'o Options) -> impl Iterator<Item = String> + 'o {
    let idle = flow::unused(&recorded.connections, &options.rewrite.flows);
    idle.map(|FlowRule { from, from_at, to, to_at }| {
        format!("warning: the flow from {from} {from_at} to {to} {to_at} fitted nothing")
    })
}

/// A request of the client that the recording does not have.
fn asked_anew(connection: usize, exchange: &Exchange) -> ExchangeReport {
    ExchangeReport {
        label: exchange.label(),
        rpc_id: exchange.rpc_id.clone(),
        connection,
        issuer: exchange.issuer,
        method: exchange.method.clone(),
        name: exchange.name.clone(),
        live: SideFigures {
            outcome: exchange.outcome.clone(),
            latency_us: exchange.latency_us,
            ..SideFigures::default()
        },
        verdict: Verdict::Extra,
        detail: "only in the second recording".into(),
        ..ExchangeReport::default()
    }
}

fn live_seen(case: &Case<'_>) -> SideFigures {
    let run = case.run();
    let sent = run.fate == Fate::Sent;
    let outcome = match (&run.text, case.twin.and_then(|twin| case.live?.exchanges.get(twin))) {
        (_, Some(twin)) => twin.outcome.clone(),
        (Some(text), None) if case.own().issuer == Side::Client => super::answer::Answer::read(text).outcome().into(),
        (None, None) if sent && case.own().issuer == Side::Client => "unanswered".into(),
        _ => String::new(),
    };
    SideFigures {
        outcome: if sent { outcome } else { String::new() },
        latency_us: run.answered_us.zip(run.sent_us).map(|(end, start)| end - start),
        sent_us: run.sent_us,
        lag_us: run.sent_us.zip(run.planned_us).map(|(sent, planned)| sent - planned),
        watched_us: run.watched_us,
        cancelled_us: run
            .cancel
            .as_ref()
            .and_then(|cancel| cancel.sent_us)
            .zip(run.sent_us)
            .map(|(at, sent)| at - sent),
    }
}

/// A retry belongs to the exchange that it continues: its verdicts, differences and time become part of it.
fn continue_with(first: &mut ExchangeReport, retry: ExchangeReport) {
    let add = |a: Option<i64>, b: Option<i64>| a.zip(b).map(|(a, b)| a + b).or(a).or(b);
    let label = retry.label.clone();
    first.retries.push(label.clone());
    let mut all: Vec<Verdict> =
        [first.verdict, retry.verdict].into_iter().chain(first.also.drain(..)).chain(retry.also).collect();
    all.sort_unstable();
    all.dedup();
    if all.len() > 1 {
        all.retain(|verdict| *verdict != Verdict::Same);
    }
    if all[0] != first.verdict || first.detail.is_empty() && !retry.detail.is_empty() {
        first.detail = format!("retry {label}: {}", retry.detail);
    }
    first.verdict = all.remove(0);
    first.also = all;
    first.rule = first.rule.take().or(retry.rule);
    first.diff.extend(retry.diff.into_iter().map(|mut it| {
        it.of.get_or_insert(label.clone());
        it
    }));
    first.more_diff += retry.more_diff;
    first.recorded.latency_us = add(first.recorded.latency_us, retry.recorded.latency_us);
    first.live.latency_us = add(first.live.latency_us, retry.live.latency_us);
    first.recorded.outcome = retry.recorded.outcome;
    first.live.outcome = retry.live.outcome;
    first.cancel = first.cancel.take().or(retry.cancel);
    first.substituted.extend(retry.substituted);
    first.captured.extend(retry.captured);
    first.still_violates |= retry.still_violates;
    first.notes.extend(retry.notes.into_iter().map(|note| format!("retry {label}: {note}")));
}

/// Cancels of the played side, one for each exchange that had one in flight.
fn count_cancel(counts: &mut CancelCounts, case: &Case<'_>, crossed: bool) {
    let run = case.run();
    // A request that made a task was answered before its cancel; one that came too late for the task was not timed, and has no run.
    let of_task = run.cancel.is_some() && has_task_cancel(case.recorded, case.own());
    let hit = effective_cancel(case.own()).is_some() || of_task;
    if !hit || case.own().issuer != Side::Client || case.cancel_was_wrong() {
        return;
    }
    counts.recorded += 1;
    let status = run.cancel.as_ref().map(|cancel| cancel.status);
    match status {
        Some(CancelStatus::Landed) if !crossed => counts.landed += 1,
        Some(CancelStatus::Landed | CancelStatus::Raced) => counts.raced += 1,
        Some(CancelStatus::NotSent | CancelStatus::Refused) | None => counts.not_sent += 1,
    }
    counts.refused += u32::from(status == Some(CancelStatus::Refused));
}

/// True if sending was late by more than a tenth of the run.
fn is_delayed(log: &RunLog) -> bool {
    let lag = log.exchanges.iter().filter_map(|run| Some((run.sent_us? - run.planned_us?).max(0))).sum::<i64>();
    log.ended_us > 0 && lag > log.ended_us / 10
}

/// True if an entry fails the run.
fn fails(entry: &ExchangeReport, gate: &Gate) -> bool {
    let is_request = !entry.rpc_id.is_empty() || entry.line.is_some();
    let counts = |verdict: &Verdict| match (&gate.fail_on, verdict) {
        (_, Verdict::HarnessError) => true,
        (_, verdict) if gate.less.contains(verdict) => false,
        (_, verdict) if gate.more.contains(verdict) => true,
        (Some(list), Verdict::Extra) => is_request && list.contains(verdict),
        (Some(list), verdict) => list.contains(verdict),
        (None, Verdict::Extra) => is_request,
        (None, verdict) => verdict.fails_by_default(),
    };
    let verdicts = || std::iter::once(&entry.verdict).chain(&entry.also);
    let strict = gate.strict
        && verdicts()
            .any(|verdict| matches!(verdict, Verdict::Raced | Verdict::NotSent | Verdict::Blocked | Verdict::Unknown));
    verdicts().any(counts) || strict || gate.violates_any && entry.still_violates
}

/// True if lines of a recording that hold something like messages could not be read: what the client may have sent there was not sent now.
/// What its recorder says that it lost is told, and leaves the rest as good as it was.
fn lacks(recorded: &Recording) -> bool {
    recorded.unread.iter().any(|unread| unread.is_message)
}

/// What the conclusion of a run rests on besides its exchanges.
fn standing(sides: &Sides<'_>, options: &Options, compared: usize, asked: usize) -> Standing {
    let broken = |wanted: fn(&Broken) -> bool| sides.logs.iter().filter_map(|log| log.broken.as_ref()).any(wanted);
    Standing {
        compared,
        asked,
        strict: options.gate.strict,
        interrupted: broken(|broken| *broken == Broken::Interrupted),
        late: broken(|broken| matches!(broken, Broken::Deadline | Broken::Left(_))),
        unplayable: broken(|broken| matches!(broken, Broken::Link(_) | Broken::Era(_))),
        lacks: !sides.is_diff && lacks(sides.recorded),
    }
}
