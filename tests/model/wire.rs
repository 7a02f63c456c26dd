//! The wire between the two sides: each lane of a direction is first in, first out, and passes a proxy on its way.

use std::collections::HashMap;

use rpctape::protocol::Side;

use super::rng::Rng;

/// How one-way delays vary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delays {
    /// Each leg takes anything up to half a second.
    Any,
    /// Each leg takes its own base, and at most 1.8 times that: less than the factor of the round-trip bound.
    Steady,
}

/// One leg of one direction.
struct Leg {
    least_us: i64,
    most_us: i64,
    /// When the last message of each lane came out.
    last_us: HashMap<u32, i64>,
}

impl Leg {
    fn new(rng: &mut Rng, delays: Delays) -> Leg {
        let (least_us, most_us) = match delays {
            Delays::Any => (0, *rng.pick(&[0, 2_000, 50_000, 250_000])),
            Delays::Steady => {
                let base = *rng.pick(&[0, 100, 1_000, 8_000, 40_000, 100_000]);
                (base, base * 18 / 10)
            }
        };
        Leg { least_us, most_us, last_us: HashMap::new() }
    }

    fn carry(&mut self, rng: &mut Rng, lane: u32, now: i64) -> i64 {
        let delay = rng.between(self.least_us, self.most_us);
        let last_us = self.last_us.entry(lane).or_default();
        *last_us = (*last_us).max(now + delay);
        *last_us
    }
}

/// Both directions, each with the leg to the proxy and the leg behind it.
pub struct Wire {
    legs: [[Leg; 2]; 2],
}

impl Wire {
    pub fn new(rng: &mut Rng, delays: Delays) -> Wire {
        let mut direction = || [Leg::new(rng, delays), Leg::new(rng, delays)];
        Wire { legs: [direction(), direction()] }
    }

    /// When a message passes the proxy, and when it arrives. Those of one lane stay in order.
    pub fn carry(&mut self, rng: &mut Rng, from: Side, lane: u32, now: i64) -> (i64, i64) {
        let [near, far] = &mut self.legs[side(from)];
        let pass = near.carry(rng, lane, now);
        (pass, far.carry(rng, lane, pass))
    }
}

/// Index of a side.
pub fn side(side: Side) -> usize {
    match side {
        Side::Client => 0,
        Side::Server => 1,
    }
}
