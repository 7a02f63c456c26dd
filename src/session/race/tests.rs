//! The race reasoning is pure: tables of what one leg and one tap say.

use super::*;

const MS: i64 = 1_000;
const MINUTE: i64 = 60_000 * MS;

fn seen(frame: FrameId, ms: i64) -> Seen {
    Seen { frame, at_us: Some(ms * MS) }
}

/// Two messages at one tap, `first` at 0 ms and `second` later.
fn crossing(second_ms: i64) -> Crossing {
    Crossing {
        decider: Side::Server,
        first: seen(1, 0),
        second: seen(2, second_ms),
        content: false,
        barrier: None,
        samples_before: 0,
        apart_us: None,
        heard_us: None,
        jumped_us: 0,
        redelivered: false,
    }
}

/// A leg of quick exchanges with these latencies in milliseconds, all at time 0.
fn leg(latencies: &[i64]) -> Leg {
    let mut leg = Leg::default();
    for latency in latencies {
        leg.sample(0, latency * MS, true);
    }
    leg
}

fn tap<'a>(settings: &'a Settings, vantage: Vantage, leg: &'a Leg) -> Tap<'a> {
    Tap { settings, vantage, resolution_us: MS, timed: true, leg, stamps: None }
}

fn judge(vantage: Vantage, latencies: &[i64], second_ms: i64) -> Judgement {
    let (settings, leg) = (Settings::default(), leg(latencies));
    tap(&settings, vantage, &leg).at_last(&crossing(second_ms)).expect("one tap never acquits")
}

/// What two stamps at the decider's own tap say: order and time in milliseconds.
fn stamped(first: Option<(u64, Option<i64>)>, second: Option<(u64, Option<i64>)>, content: bool) -> Verdict {
    let (settings, leg) = (Settings::default(), Leg::default());
    let stamp = |stamp: Option<(u64, Option<i64>)>| stamp.map(|(seq, ms)| Stamp { seq, at_us: ms.map(|ms| ms * MS) });
    let stamps = Some((stamp(first), stamp(second)));
    Tap { stamps, ..tap(&settings, Vantage::Client, &leg) }.at_once(&Crossing { content, ..crossing(1) })
}

fn judged(verdict: Verdict) -> Option<(Certainty, Option<Basis>, Option<i64>)> {
    match verdict {
        Verdict::Now(judgement) => Some((judgement.certainty, judgement.basis, judgement.delta_us)),
        Verdict::Crossed | Verdict::Wait => None,
    }
}

#[test]
fn the_worked_numbers_of_the_design() {
    use Certainty::*;
    assert_eq!(judge(Vantage::Client, &[20], 8).certainty, Race);
    assert_eq!(judge(Vantage::Client, &[20], 4000).certainty, Violation);
    assert_eq!(judge(Vantage::Proxy, &[5], 60).certainty, Violation);
    assert_eq!(judge(Vantage::Proxy, &[200], 60).certainty, Race);
    assert_eq!(judge(Vantage::Server, &[], 60).basis, Some(Basis::Vantage));
    assert_eq!(judge(Vantage::Server, &[], 2).certainty, Race);
    assert_eq!(judge(Vantage::Client, &[], 2).certainty, Undecidable);
}

#[test]
fn the_bound_is_the_median_of_three_quick_exchanges_or_the_least_of_all() {
    let bound = |latencies: &[i64]| leg(latencies).bound(0).map(|us| us / MS);
    for (latencies, want) in [
        (&[][..], None),
        (&[50], Some(50)),
        (&[50, 1], Some(1)),
        (&[1, 50, 60], Some(50)),
        (&[60, 1, 50], Some(50)),
        (&[1, 50, 60, 70], Some(50)),
        (&[1, 2, 50, 60, 70], Some(50)),
    ] {
        assert_eq!(bound(latencies), want, "{latencies:?}");
    }
}

#[test]
fn slow_exchanges_bound_by_their_least_only() {
    let mut leg = Leg::default();
    for latency in [900, 30, 700, 800] {
        leg.sample(0, latency * MS, false);
    }
    assert_eq!(leg.bound(0), Some(30 * MS), "no median of what is not quick");
    leg.sample(0, 500 * MS, true);
    leg.sample(0, 600 * MS, true);
    assert_eq!(leg.bound(0), Some(30 * MS), "two quick ones are no median");
    leg.sample(0, 400 * MS, true);
    assert_eq!(leg.bound(0), Some(500 * MS), "of the quick ones alone");
    assert_eq!(leg.bound(10 * MINUTE), Some(500 * MS), "for the whole connection, too");
}

#[test]
fn samples_within_a_minute_before_and_after_count_before_those_of_the_whole_connection() {
    let mut leg = Leg::default();
    for at in [-MINUTE, 0, MINUTE] {
        leg.sample(at, 80 * MS, false);
    }
    leg.sample(10 * MINUTE, 5 * MS, false);
    for (at, want) in [(0, 80), (1, 5), (-1, 5), (10 * MINUTE, 5)] {
        assert_eq!(leg.bound(at), Some(want * MS), "at {at} us");
    }
    let mut later = Leg::default();
    for latency in [80, 80, 80] {
        later.sample(MINUTE, latency * MS, false);
    }
    later.sample(10 * MINUTE, 5 * MS, false);
    assert_eq!([later.bound(0), later.bound(-MINUTE / 2)], [80, 5].map(|ms| Some(ms * MS)), "the distance counts");
}

#[test]
fn a_latency_below_zero_is_no_sample() {
    let mut leg = leg(&[40]);
    leg.sample(0, -1, true);
    assert_eq!((leg.count, leg.bound(0)), (1, Some(40 * MS)));
    leg.sample(0, 0, true);
    assert_eq!((leg.count, leg.bound(0)), (2, Some(0)), "none at all is one: the clock is coarse");
}

#[test]
fn a_leg_keeps_the_newest_samples_and_the_first_quick_ones() {
    let mut leg = Leg::default();
    leg.sample(0, MS, false);
    for _ in 0..RECENT - 1 {
        leg.sample(0, 50 * MS, false);
    }
    assert_eq!((leg.recent.len(), leg.bound(0)), (RECENT, Some(MS)));
    leg.sample(0, 50 * MS, false);
    assert_eq!((leg.recent.len(), leg.bound(0)), (RECENT, Some(50 * MS)), "the oldest gives way");
    assert_eq!(leg.bound(10 * MINUTE), Some(MS), "the least of the whole connection stays");
    assert_eq!(leg.count, RECENT as u64 + 1);
    for _ in 0..2 * LONG_TERM {
        leg.sample(0, MS, true);
    }
    assert_eq!(leg.quick.len(), LONG_TERM);
}

#[test]
fn at_the_decider_more_than_the_slack_and_the_resolution_is_proof() {
    let at = |ms| {
        let judgement = judge(Vantage::Server, &[], ms);
        (judgement.certainty, judgement.basis, judgement.delta_us)
    };
    assert_eq!(at(0), (Certainty::Race, Some(Basis::Vantage), Some(0)));
    assert_eq!(at(11), (Certainty::Race, Some(Basis::Vantage), Some(11 * MS)), "10 ms of slack and 1 ms of clock");
    assert_eq!(at(12), (Certainty::Violation, Some(Basis::Vantage), Some(12 * MS)));
}

#[test]
fn a_round_trip_bound_is_twice_the_bound_with_slack_and_resolution() {
    let at = |ms| {
        let judgement = judge(Vantage::Client, &[20], ms);
        (judgement.certainty, judgement.basis, judgement.bound_us)
    };
    let limit = Some(51 * MS);
    assert_eq!(at(51), (Certainty::Race, Some(Basis::Rtt), limit));
    assert_eq!(at(52), (Certainty::Violation, Some(Basis::Rtt), limit));
    assert_eq!(judge(Vantage::Unknown, &[20], 52), judge(Vantage::Client, &[20], 52), "unknown is anywhere");
}

#[test]
fn a_coarse_clock_bounds_no_round_trip_below_its_resolution() {
    let (settings, leg) = (Settings::default(), leg(&[0]));
    let coarse = Tap { resolution_us: 1_000 * MS, ..tap(&settings, Vantage::Client, &leg) };
    let judgement = coarse.at_last(&crossing(3_000)).expect("a judgement");
    assert_eq!((judgement.certainty, judgement.bound_us), (Certainty::Race, Some(3_010 * MS)));
}

#[test]
fn with_proof_only_a_bound_accuses_nobody() {
    let (settings, leg) = (Settings { proof_only: true, ..Settings::default() }, leg(&[20]));
    let at = |ms| tap(&settings, Vantage::Client, &leg).at_last(&crossing(ms)).map(|judgement| judgement.certainty);
    assert_eq!(at(4000), Some(Certainty::Undecidable));
    assert_eq!(at(8), Some(Certainty::Race));
    let own = tap(&settings, Vantage::Server, &leg).at_last(&crossing(4000)).expect("a judgement");
    assert_eq!((own.certainty, own.basis), (Certainty::Violation, Some(Basis::Vantage)));
}

#[test]
fn content_speaks_before_the_barrier_and_the_barrier_before_the_clock() {
    let (settings, leg) = (Settings::default(), Leg::default());
    let tap = tap(&settings, Vantage::Client, &leg);
    let barrier = Some(Witness { request: 3, answer: 4 });
    let basis = |crossing: Crossing| tap.at_last(&crossing).map(|j| (j.certainty, j.basis, j.witness, j.delta_us));
    let delta = Some(5 * MS);
    let want = (Certainty::Violation, Some(Basis::Content), None, delta);
    assert_eq!(basis(Crossing { content: true, barrier, ..crossing(5) }), Some(want));
    let want = (Certainty::Violation, Some(Basis::Causal), barrier, delta);
    assert_eq!(basis(Crossing { barrier, ..crossing(5) }), Some(want));
}

#[test]
fn without_a_usable_time_nothing_is_known() {
    let (settings, leg) = (Settings::default(), leg(&[20]));
    let server = tap(&settings, Vantage::Server, &leg);
    let certainty = |crossing: &Crossing| server.at_last(crossing).map(|judgement| judgement.certainty);
    assert_eq!(certainty(&crossing(-1)), Some(Certainty::Undecidable), "the clock steps back");
    assert_eq!(certainty(&crossing(0)), Some(Certainty::Race), "one instant");
    let timeless = Seen { frame: 2, at_us: None };
    assert_eq!(certainty(&Crossing { second: timeless, ..crossing(1) }), Some(Certainty::Undecidable));
    let equal = Tap { timed: false, ..tap(&settings, Vantage::Server, &leg) };
    assert!(matches!(equal.at_once(&crossing(0)), Verdict::Wait), "a later message may have another time");
    let judgement = equal.at_last(&crossing(0)).expect("a judgement");
    assert_eq!(
        (judgement.certainty, judgement.reason),
        (Certainty::Undecidable, Some("all times in the log are equal"))
    );
}

#[test]
fn a_suspect_waits_for_samples_that_may_change_it() {
    let settings = Settings::default();
    let mut leg = leg(&[20]);
    let asked = Crossing { samples_before: 1, ..crossing(4000) };
    for count in 1..=RECENT as u64 / 2 {
        assert_eq!(leg.count, count);
        assert!(matches!(tap(&settings, Vantage::Client, &leg).at_once(&asked), Verdict::Wait), "{count}");
        leg.sample(0, 20 * MS, true);
    }
    let now = tap(&settings, Vantage::Client, &leg).at_once(&asked);
    assert_eq!(judged(now), Some((Certainty::Violation, Some(Basis::Rtt), Some(4_000 * MS))));
}

#[test]
fn a_suspect_is_ripe_after_a_minute_or_where_there_are_no_times() {
    assert!(!ripe(Some(0), Some(MINUTE)));
    assert!(ripe(Some(0), Some(MINUTE + 1)));
    assert!(ripe(None, Some(0)) && ripe(Some(0), None));
}

#[test]
fn of_two_taps_that_of_the_decider_tells_the_order() {
    use Certainty::*;
    let at = |seq, ms| Some((seq, Some(ms)));
    assert!(matches!(stamped(at(2, 0), at(1, 90), false), Verdict::Crossed), "he sent it before he had the other");
    assert!(matches!(stamped(at(2, 0), at(1, 90), true), Verdict::Crossed), "whatever it says");
    let vantage = Some(Basis::Vantage);
    assert_eq!(judged(stamped(at(1, 0), at(2, 90), false)), Some((Violation, vantage, Some(90 * MS))));
    assert_eq!(judged(stamped(at(1, 0), at(2, 11), false)), Some((Race, vantage, Some(11 * MS))));
    assert_eq!(judged(stamped(at(1, 5), at(2, 5), false)), Some((Race, vantage, Some(0))));
    assert_eq!(judged(stamped(at(1, 5), at(2, 4), false)), Some((Undecidable, None, None)), "his clock steps back");
    assert_eq!(judged(stamped(at(1, 5), at(2, 4), true)), Some((Violation, Some(Basis::Content), None)));
    assert_eq!(judged(stamped(at(1, 0), Some((2, None)), false)), Some((Undecidable, None, None)));
    assert_eq!(judged(stamped(at(1, 0), None, false)), Some((Undecidable, None, None)));
    assert_eq!(judged(stamped(None, at(2, 90), true)), Some((Undecidable, None, None)));
}

#[test]
fn a_cancel_that_followed_its_request_closely_on_another_stream_may_have_come_first() {
    let (settings, leg) = (Settings::default(), leg(&[20, 20, 20]));
    let judged = |apart_ms: i64| {
        let crossing = Crossing { apart_us: Some(apart_ms * MS), ..crossing(4000) };
        tap(&settings, Vantage::Client, &leg).at_last(&crossing).map(|judgement| judgement.certainty)
    };
    assert_eq!(
        [judged(0), judged(40), judged(400)].map(Option::unwrap),
        [Certainty::Undecidable, Certainty::Undecidable, Certainty::Violation]
    );
}

#[test]
fn who_was_not_heard_before_may_have_been_starting() {
    let (settings, leg) = (Settings::default(), leg(&[20, 20, 20]));
    let judged = |heard_ms: i64| {
        let crossing = Crossing { heard_us: seen(0, heard_ms).at_us, ..crossing(4000) };
        tap(&settings, Vantage::Client, &leg).at_last(&crossing).map(|judgement| judgement.certainty)
    };
    assert_eq!(
        [judged(4000), judged(3950), judged(100)].map(Option::unwrap),
        [Certainty::Undecidable, Certainty::Undecidable, Certainty::Violation]
    );
}

#[test]
fn what_was_kept_for_a_stream_that_broke_off_may_be_older_than_it_seems() {
    let (settings, leg) = (Settings::default(), leg(&[20, 20, 20]));
    let kept = Crossing { redelivered: true, ..crossing(4000) };
    for vantage in [Vantage::Client, Vantage::Server] {
        let judged = |crossing: &Crossing| tap(&settings, vantage, &leg).at_last(crossing).map(|found| found.certainty);
        assert_eq!(judged(&crossing(4000)), Some(Certainty::Violation), "{vantage:?}");
        assert_eq!(judged(&kept), Some(Certainty::Undecidable), "{vantage:?}");
        let told = Crossing { content: true, ..kept };
        assert_eq!(judged(&told), Some(Certainty::Violation), "its words prove it all the same");
    }
}
