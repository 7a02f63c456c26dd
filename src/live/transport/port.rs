//! The transport's ends of a link: orders come in, arrivals go out, and neither side can block the other.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc;

use crate::live::{Arrival, Clock, Incoming, Outgoing};

/// What a transport holds of a link.
pub(super) struct Port {
    /// Orders.
    to: mpsc::Receiver<Outgoing>,
    /// Orders that came while the connection was being made.
    early: VecDeque<Outgoing>,
    /// False once no more orders can come.
    open: bool,
    /// Where arrivals go.
    pub(super) report: Report,
}

/// Where arrivals go. Copies lead to the same link.
#[derive(Clone)]
pub(super) struct Report {
    from: mpsc::Sender<Arrival>,
    clock: Clock,
    /// The time of the latest arrival: several tasks may tell, and time must not run backwards on a link.
    latest: Arc<Mutex<i64>>,
}

/// Room for one arrival.
pub(super) struct Room {
    permit: mpsc::OwnedPermit<Arrival>,
    report: Report,
}

impl Room {
    /// Tells it, as of now.
    pub(super) fn tell(self, what: Incoming) {
        let Room { permit, report } = self;
        report.send(report.now(what), |arrival| {
            permit.send(arrival);
        });
    }
}

/// The other end of the link is gone: there is nobody to work for.
#[derive(Debug)]
pub(super) struct Gone;

impl Port {
    pub(super) fn new(to: mpsc::Receiver<Outgoing>, from: mpsc::Sender<Arrival>, clock: Clock) -> Port {
        let report = Report { from, clock, latest: Arc::default() };
        Port { to, early: VecDeque::new(), open: true, report }
    }

    /// The next order. A link that nobody can give orders to any more is to be finished.
    pub(super) async fn order(&mut self) -> Outgoing {
        if let Some(order) = self.early.pop_front() {
            return order;
        }
        if !self.open {
            return std::future::pending().await;
        }
        self.to.recv().await.unwrap_or_else(|| {
            self.open = false;
            Outgoing::Finish
        })
    }

    /// Waits for `connecting`, and keeps the orders that come meanwhile. `None` if it is not wanted any more.
    pub(super) async fn connect<T>(&mut self, connecting: impl Future<Output = T>) -> Option<T> {
        tokio::pin!(connecting);
        loop {
            tokio::select! {
                () = self.report.gone() => return None,
                order = self.to.recv(), if self.open => match order {
                    Some(Outgoing::Abort) => return None,
                    Some(order) => self.early.push_back(order),
                    None => {
                        self.open = false;
                        self.early.push_back(Outgoing::Finish);
                    }
                },
                done = &mut connecting => return Some(done),
            }
        }
    }
}

impl Report {
    /// The time, in microseconds of the clock of the link.
    pub(super) fn us(&self) -> i64 {
        self.clock.us()
    }

    /// An arrival now.
    pub(super) fn now(&self, what: Incoming) -> Arrival {
        Arrival { at_us: self.clock.us(), what }
    }

    /// Tells something, and waits until there is room for it. For tasks that nothing waits for but the peer.
    pub(super) async fn tell(&self, what: Incoming) -> Result<(), Gone> {
        self.hand_on(self.now(what)).await
    }

    /// Tells something that may have been sent at `since_us` already. That is no matter but where something else was told meanwhile: then
    /// it came as early as can be.
    pub(super) async fn tell_since(&self, since_us: i64, what: Incoming) -> Result<(), Gone> {
        let mut arrival = self.now(what);
        let latest = *self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if latest > since_us {
            arrival.at_us = since_us;
        }
        self.hand_on(arrival).await
    }

    /// Tells what came at a time.
    pub(super) async fn hand_on(&self, arrival: Arrival) -> Result<(), Gone> {
        let permit = self.from.reserve().await.map_err(|_| Gone)?;
        self.send(arrival, |arrival| permit.send(arrival));
        Ok(())
    }

    /// Room for one arrival, for a teller that cannot wait once it is due.
    pub(super) async fn room(&self) -> Result<Room, Gone> {
        let permit = self.from.clone().reserve_owned().await.map_err(|_| Gone)?;
        Ok(Room { permit, report: self.clone() })
    }

    fn send(&self, arrival: Arrival, hand_on: impl FnOnce(Arrival)) {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        *latest = arrival.at_us.max(*latest);
        hand_on(Arrival { at_us: *latest, ..arrival });
    }

    /// Hands on the oldest of `outbox` when there is room for it.
    pub(super) async fn deliver(&self, outbox: &mut VecDeque<Arrival>) -> Result<(), Gone> {
        let permit = self.from.reserve().await.map_err(|_| Gone)?;
        if let Some(arrival) = outbox.pop_front() {
            self.send(arrival, |arrival| permit.send(arrival));
        }
        Ok(())
    }

    /// Waits until nobody listens any more.
    pub(super) async fn gone(&self) {
        self.from.closed().await;
    }
}

/// Waits until a moment, for ever where there is none.
pub(super) async fn until(deadline: Option<tokio::time::Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::link::NO_STREAM;

    #[tokio::test]
    async fn what_may_have_been_sent_before_something_else_came_right_behind_it() {
        let (from, mut arrivals) = mpsc::channel(8);
        let report = Report { from, clock: Clock::start(), latest: Arc::default() };
        let sent = |at_us| Arrival { at_us, what: Incoming::Sent { stream: NO_STREAM } };
        let body = || Incoming::Raw { bytes: Vec::new(), cut: false };
        report.tell_since(0, body()).await.expect("a listener");
        let alone = arrivals.recv().await.expect("an arrival").at_us;
        report.hand_on(sent(alone + 7)).await.expect("a listener");
        report.tell_since(alone, body()).await.expect("a listener");
        arrivals.recv().await.expect("an arrival");
        assert_eq!(arrivals.recv().await.expect("an arrival").at_us, alone + 7);
    }
}
