//! What the auditor must say of a fault, from what the model knows and a tap can prove.

use rpctape::capture::Vantage;
use rpctape::protocol::Side;
use rpctape::session::{Certainty, Settings};

use super::fault::Claim;
use super::sim::{Kind, Meaning, Request, Sent, Sim};
use super::speech::Tongue;

/// The code under which a fault shows at a tap. What the client sent too early may pass a tap behind the answer to the
/// handshake; it is still sent before its time.
pub fn code(sim: &Sim, vantage: Vantage) -> &'static str {
    match &sim.sabotage {
        Some(sabotage) if sabotage.code == "LIF002" && behind_the_handshake(sim, vantage) => "LIF005",
        Some(sabotage) => sabotage.code,
        None => "",
    }
}

/// True if the fault passes a tap after the answer to the handshake.
fn behind_the_handshake(sim: &Sim, vantage: Vantage) -> bool {
    let answer = |sent: &Sent| matches!(sent.meaning, Meaning::Answer(to) if sim.requests[to].kind == Kind::Initialize);
    let answer = sim.sent.iter().position(answer).unwrap_or(usize::MAX);
    let culprit = sim.sabotage.as_ref().and_then(|sabotage| sabotage.culprit);
    let first = sim.tap(vantage).iter().find(|(_, at)| Some(*at) == culprit || *at == answer).map(|seen| seen.1);
    first == Some(answer)
}

/// Certainties that are right; empty where nothing need be said.
pub fn expected(sim: &Sim, vantage: Vantage, settings: &Settings) -> Vec<Certainty> {
    let Some(sabotage) = &sim.sabotage else { return Vec::new() };
    // A cancel of the handshake that comes behind its answer is late, and no work before the handshake is over.
    if sabotage.code == "CAN003" && sim.speech.tongue == Tongue::Lsp && behind_the_handshake(sim, vantage) {
        return Vec::new();
    }
    if sabotage.code == "RPC009" && answers_a_silent_side(sim) {
        return vec![Certainty::Undecidable];
    }
    match sabotage.claim {
        Claim::Exact => vec![Certainty::Violation],
        Claim::Crossing { decider, first, second } => crossing(sim, vantage, settings, decider, first, second),
        Claim::Unanswered { request } => unanswered(sim, vantage, settings, request),
    }
}

/// True if the side that was answered has sent nothing in the whole run: it may be one that was not logged.
fn answers_a_silent_side(sim: &Sim) -> bool {
    let culprit = sim.sabotage.as_ref().and_then(|sabotage| sabotage.culprit);
    let by = culprit.map(|culprit| sim.sent[culprit].from);
    by.is_some_and(|by| sim.sent.iter().all(|sent| sent.from == by))
}

/// Place and time (whole milliseconds, in microseconds) of a message at a tap.
fn place(sim: &Sim, vantage: Vantage, message: usize) -> (usize, i64) {
    let tap = sim.tap(vantage);
    let at = tap.iter().position(|(_, seen)| *seen == message).expect("every message passes every tap");
    (at, tap[at].0 / 1000 * 1000)
}

fn crossing(
    sim: &Sim,
    vantage: Vantage,
    settings: &Settings,
    decider: Side,
    first: usize,
    second: usize,
) -> Vec<Certainty> {
    use Certainty::*;
    let (from, first_us) = place(sim, vantage, first);
    let (to, second_us) = place(sim, vantage, second);
    let delta = second_us - first_us;
    let slack = settings.slack_us + 1000;
    let pairs = pairs(sim, vantage, decider);
    if pairs.iter().any(|(asked, answered, _)| *asked > from && *answered < to) {
        return vec![Violation];
    }
    if vantage.side() == Some(decider) {
        return vec![if delta > slack { Violation } else { Race }];
    }
    let samples: Vec<i64> = pairs.iter().filter_map(|(.., latency)| *latency).collect();
    let (Some(least), Some(most)) = (samples.iter().min(), samples.iter().max()) else { return vec![Undecidable] };
    let limit = |bound: i64| (bound.max(1000) as f64 * settings.factor) as i64 + slack;
    let beyond = if settings.proof_only { Undecidable } else { Violation };
    match delta {
        delta if delta > limit(*most) => vec![beyond],
        delta if delta <= limit(*least) => vec![Race],
        _ => vec![beyond, Race],
    }
}

/// Exchanges that a side answered: places of request and answer at the tap, and the latency where it is a sample.
fn pairs(sim: &Sim, vantage: Vantage, decider: Side) -> Vec<(usize, usize, Option<i64>)> {
    let tap = sim.tap(vantage);
    let (mut pairs, mut cancelled) = (Vec::new(), Vec::new());
    let mut answered = vec![false; sim.requests.len()];
    let mut initialize_answer = None;
    for (at, (time, message)) in tap.iter().enumerate() {
        let sent = &sim.sent[*message];
        let meanings = match &sent.meaning {
            Meaning::Array(members) => members.clone(),
            single => vec![single.clone()],
        };
        for meaning in meanings {
            match meaning {
                Meaning::Cancel(request) | Meaning::TurnCancel(request) | Meaning::TakenDown(request) => {
                    cancelled.push(request)
                }
                Meaning::Answer(request) if !std::mem::replace(&mut answered[request], true) => {
                    if sim.requests[request].kind == Kind::Initialize {
                        initialize_answer = Some(*time);
                    }
                    if sim.requests[request].issuer == decider.peer() {
                        let (asked, asked_us) = place(sim, vantage, sim.requests[request].message);
                        let latency = time / 1000 * 1000 - asked_us;
                        pairs.push((asked, at, (!cancelled.contains(&request)).then_some(latency)));
                    }
                }
                Meaning::Initialized if decider == Side::Client => {
                    // No pair, but a sample: behind everything, so that it proves no order.
                    let latency = initialize_answer.map(|answer| time / 1000 * 1000 - answer / 1000 * 1000);
                    pairs.push((0, usize::MAX, latency));
                }
                _ => {}
            }
        }
    }
    pairs
}

fn unanswered(sim: &Sim, vantage: Vantage, settings: &Settings, request: usize) -> Vec<Certainty> {
    let issuer = sim.requests[request].issuer;
    let (_, asked_us) = place(sim, vantage, sim.requests[request].message);
    let last = sim.tap(vantage).last().map_or(0, |(time, _)| *time);
    // LSP's `exit` is the end, whether or not a close is seen.
    let exit = (sim.speech.tongue == Tongue::Lsp).then_some((last, Some(Side::Client)));
    match sim.closed.or(exit) {
        Some((at, _)) if at / 1000 * 1000 - asked_us <= settings.grace_us => Vec::new(),
        Some((at, by)) if by == Some(issuer) && at / 1000 * 1000 - asked_us <= settings.stuck_after_us => {
            vec![Certainty::Undecidable]
        }
        Some(_) if asks_person(sim, request) => vec![Certainty::Undecidable],
        Some(_) => vec![Certainty::Violation],
        None if last / 1000 * 1000 - asked_us > settings.stuck_after_us => vec![Certainty::Undecidable],
        None => Vec::new(),
    }
}

/// A person is asked, and nobody has taken the question back: nothing hurries them, and a session may end before they answer.
fn asks_person(sim: &Sim, request: usize) -> bool {
    let Request { ask, cancel_sent, .. } = &sim.requests[request];
    !cancel_sent && sim.speech.profile.method(ask.method).is_some_and(|known| known.asks_person)
}
