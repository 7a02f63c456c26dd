//! A recorded connection as a part to be played: what the server does after which message of the client.
//!
//! Two kinds of things follow a message. A **chain** holds, in recorded order, what belongs to one request of the client:
//! its answer, its progress, what the server asked meanwhile, and the messages of the client that the server had before it
//! went on (an answer to what it asked, a cancel). **Followers** belong to no request and come after their recorded predecessor.

use crate::capture::Transport;
use crate::jsonrpc::{Id, Parsed, parse};
use crate::protocol::{Facts, Side};
use crate::replay::recording::{Connection, Event, EventKind, Exchange};

/// One connection, ready to be played. It is read only, and shared by all that play it.
#[derive(Debug)]
pub struct Script {
    /// What was recorded.
    pub connection: Connection,
    /// One per exchange; those of the server's own requests are empty.
    pub(super) chains: Vec<Chain>,
    /// Per event, the events of the server that come next and belong to no request.
    pub(super) followers: Vec<Vec<usize>>,
    /// Those that come before any other message.
    pub(super) opening: Vec<usize>,
    /// Per event of a batch, the event of the batch.
    pub(super) batches: Vec<Option<usize>>,
    /// Per event that the server does, what brings it about.
    causes: Vec<Option<Cause>>,
}

/// What brings an event of the server about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// This link of the chain of this exchange.
    Chain(usize, usize),
    /// It comes after this event.
    After(usize),
    /// Nothing: it comes first.
    Opening,
}

/// What belongs to one request of the client.
#[derive(Clone, Debug, Default)]
pub(super) struct Chain {
    /// In recorded order.
    pub(super) links: Vec<Link>,
    /// The link that awaits its cancel.
    pub(super) cancel: Option<usize>,
    /// The link that sends its answer.
    pub(super) response: Option<usize>,
}

/// One step of a chain; the number is the place of its event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// The server does it.
    Send(usize),
    /// The server waits for it.
    Await(usize),
}

impl Link {
    pub(super) fn event(self) -> usize {
        match self {
            Link::Send(event) | Link::Await(event) => event,
        }
    }
}

impl Chain {
    /// The last event of the client that is awaited before a link.
    pub(super) fn awaited_before(&self, link: usize) -> Option<usize> {
        let mut before = self.links[..link].iter().rev();
        before.find_map(|link| match link {
            Link::Await(event) => Some(*event),
            Link::Send(_) => None,
        })
    }

    /// True if the recorded cancel came while the request was in flight.
    pub(super) fn cancelled_in_flight(&self) -> bool {
        match (self.cancel, self.response) {
            (Some(cancel), Some(response)) => cancel < response,
            (cancel, None) => cancel.is_some(),
            (None, _) => false,
        }
    }
}

impl Script {
    /// Reads a connection.
    pub fn new(connection: Connection) -> Script {
        let mut writer = Writer::new(&connection);
        for at in 0..connection.events.len() {
            writer.event(at);
        }
        let Writer { chains, followers, opening, batches, .. } = writer;
        let mut causes = vec![None; connection.events.len()];
        for (exchange, chain) in chains.iter().enumerate() {
            for (at, link) in chain.links.iter().enumerate() {
                if let Link::Send(event) = link {
                    causes[*event] = Some(Cause::Chain(exchange, at));
                }
            }
        }
        for (before, after) in followers.iter().enumerate() {
            after.iter().for_each(|event| causes[*event] = Some(Cause::After(before)));
        }
        opening.iter().for_each(|event| causes[*event] = Some(Cause::Opening));
        Script { connection, chains, followers, opening, batches, causes }
    }

    /// True if the server does it.
    pub(super) fn is_played(&self, event: usize) -> bool {
        self.causes[event].is_some()
    }

    /// The exchange in whose chain an event of the server is sent, and by which link.
    pub(super) fn owner(&self, event: usize) -> Option<(usize, usize)> {
        match self.causes[event] {
            Some(Cause::Chain(exchange, link)) => Some((exchange, link)),
            _ => None,
        }
    }

    /// The event after which one that belongs to no request comes.
    pub(super) fn predecessor(&self, event: usize) -> Option<usize> {
        match self.causes[event] {
            Some(Cause::After(before)) => Some(before),
            _ => None,
        }
    }

    /// True if a client can begin with the handshake.
    pub fn has_handshake(&self) -> bool {
        let initialize = self.connection.profile.opening.initialize;
        self.requests().any(|(_, exchange)| Some(exchange.method.as_str()) == initialize)
    }

    /// True if the recording lost messages somewhere.
    pub fn has_gap(&self) -> bool {
        self.connection.events.iter().any(|event| event.what == EventKind::Gap)
    }

    /// True for what is proven to break a rule about the request that it belongs to.
    pub(super) fn is_proven_late(&self, event: usize) -> bool {
        let Some((exchange, _)) = self.owner(event) else { return false };
        let mut about = self.connection.faults.of(Some(exchange)).iter().filter(|fault| fault.event == Some(event));
        about.any(|fault| fault.certainty == "violation")
    }

    /// True for what came after the cancel of an exchange and is not proven to be late.
    pub(super) fn may_have_crossed(&self, exchange: usize, event: usize) -> bool {
        let about = self.connection.faults.of(Some(exchange)).iter().filter(|fault| fault.event == Some(event));
        let proven = about.clone().any(|fault| fault.certainty == "violation");
        !proven && about.count() > 0
    }

    /// How the server ended.
    pub(super) fn exit(&self) -> Option<i64> {
        self.connection.events.get(self.exit_at()?).and_then(|event| match event.what {
            EventKind::Exit(code) => code,
            _ => None,
        })
    }

    /// How it ended where the client had left before, or had asked it to end.
    pub(super) fn exit_when_left(&self) -> Option<i64> {
        let exit = self.exit_at()?;
        self.exit().filter(|_| self.connection.left_at().is_some_and(|left| left < exit))
    }

    /// True for the end of the connection, or of the process.
    pub(super) fn ends_at(&self, event: usize) -> bool {
        let event = &self.connection.events[event];
        event.stream.is_none() && matches!(event.what, EventKind::Exit(_) | EventKind::Close)
    }

    fn exit_at(&self) -> Option<usize> {
        self.connection.events.iter().rposition(|event| matches!(event.what, EventKind::Exit(_)))
    }

    /// The client's requests with their places among the exchanges.
    pub fn requests(&self) -> impl Iterator<Item = (usize, &Exchange)> {
        let all = self.connection.exchanges.iter().enumerate();
        all.filter(|(_, exchange)| exchange.issuer == Side::Client)
    }

    /// Recorded microseconds from one event to a later one.
    pub(super) fn gap_us(&self, from: usize, to: usize) -> i64 {
        let at = |event: usize| self.connection.events[event].at_us;
        at(to).zip(at(from)).map_or(0, |(to, from)| to.saturating_sub(from).max(0))
    }
}

/// Whose an event is.
enum Part {
    /// The server did it for this exchange.
    Of(usize),
    /// The server did it for no request.
    Loose,
    /// The client did it.
    Client,
    /// Nobody played it.
    Nobody,
}

struct Writer<'c> {
    connection: &'c Connection,
    chains: Vec<Chain>,
    followers: Vec<Vec<usize>>,
    opening: Vec<usize>,
    batches: Vec<Option<usize>>,
    /// Per exchange of the server, the client's exchange that it served.
    owners: Vec<Option<usize>>,
    /// Per event, the exchanges that it cancelled.
    cancels: Vec<Vec<usize>>,
    /// Requests of the client in flight.
    open: Vec<usize>,
    /// Those that it has cancelled, and whose streams are open.
    cancelled: Vec<usize>,
    last: Option<usize>,
    /// The client has closed the connection.
    left: bool,
}

impl<'c> Writer<'c> {
    fn new(connection: &'c Connection) -> Writer<'c> {
        let (events, exchanges) = (connection.events.len(), connection.exchanges.len());
        let mut cancels = vec![Vec::new(); events];
        for (place, exchange) in connection.exchanges.iter().enumerate() {
            for event in &exchange.cancels {
                cancels[*event].push(place);
            }
        }
        let mut batches = vec![None; events];
        for (at, event) in connection.events.iter().enumerate() {
            if let EventKind::Batch(members) = &event.what {
                batches[members.start.min(events)..members.end.min(events)].fill(Some(at));
            }
        }
        Writer {
            connection,
            chains: vec![Chain::default(); exchanges],
            followers: vec![Vec::new(); events],
            opening: Vec::new(),
            batches,
            owners: vec![None; exchanges],
            cancels,
            open: Vec::new(),
            cancelled: Vec::new(),
            last: None,
            left: false,
        }
    }

    fn event(&mut self, at: usize) {
        let event = &self.connection.events[at];
        match self.part(at, event) {
            Part::Nobody => return,
            Part::Client => self.client(at, event),
            Part::Loose => match self.last {
                Some(last) => self.followers[last].push(at),
                None => self.opening.push(at),
            },
            Part::Of(place) => self.send(at, place),
        }
        self.last = Some(at);
    }

    fn part(&mut self, at: usize, event: &Event) -> Part {
        match (&event.what, event.side) {
            (EventKind::Batch(_) | EventKind::Open | EventKind::Http | EventKind::Stderr | EventKind::Gap, _) => {
                Part::Nobody
            }
            // What ends when the client has left ends because of that.
            (EventKind::Exit(_), _) if self.left => Part::Nobody,
            (EventKind::Close, Some(Side::Server)) if self.left && event.stream.is_none() => Part::Nobody,
            (EventKind::Exit(_), _) => Part::Loose,
            (_, None) => Part::Nobody,
            (_, Some(Side::Client)) => Part::Client,
            (EventKind::Close, Some(Side::Server)) => self.server_close(event),
            (_, Some(Side::Server)) => self.owner(at, event).map_or(Part::Loose, Part::Of),
        }
    }

    /// The server closed a stream before it had answered, or the whole connection.
    fn server_close(&self, event: &Event) -> Part {
        match event.stream {
            None => Part::Loose,
            // A client that reads to the end of a stream reads on after its cancel.
            Some(_) => {
                self.on_stream(event).or_else(|| self.asked_on(&self.cancelled, event)).map_or(Part::Nobody, Part::Of)
            }
        }
    }

    /// The request in flight whose stream an event is on.
    fn on_stream(&self, event: &Event) -> Option<usize> {
        self.asked_on(&self.open, event)
    }

    fn asked_on(&self, places: &[usize], event: &Event) -> Option<usize> {
        let asked_on = |place: usize| self.connection.events[self.connection.exchanges[place].request].stream;
        let first = Some(self.connection.first_stream(event.stream?));
        places.iter().copied().find(|place| asked_on(*place) == first)
    }

    /// The client's exchange that a message of the server belongs to.
    fn owner(&mut self, at: usize, event: &Event) -> Option<usize> {
        match event.what {
            EventKind::Request(place) => {
                self.owners[place] = self.parent(place).or_else(|| self.cause(place));
                self.owners[place]
            }
            EventKind::Response(Some(place)) | EventKind::Progress(Some(place)) => self.of_client(place),
            EventKind::Cancel(_) => {
                let target = self.cancels[at].first().copied()?;
                self.of_client(target).or(self.owners[target])
            }
            EventKind::Notification | EventKind::Progress(None) => {
                self.subscription(event).or_else(|| self.on_stream(event))
            }
            _ => None,
        }
    }

    fn of_client(&self, place: usize) -> Option<usize> {
        (self.connection.exchanges[place].issuer == Side::Client).then_some(place)
    }

    fn parent(&self, place: usize) -> Option<usize> {
        let mut place = self.connection.exchanges[place].parent?;
        // Parents precede their children: the way up ends.
        while self.connection.exchanges[place].issuer == Side::Server {
            place = self.connection.exchanges[place].parent.filter(|parent| *parent < place)?;
        }
        Some(place)
    }

    /// The one request in flight that can have been why the server asked: the only one, or the only one that it answered after it
    /// had its own answer. Over HTTP the stream tells.
    fn cause(&self, asked: usize) -> Option<usize> {
        if self.connection.transport != Transport::Ordered {
            return None;
        }
        let (profile, exchanges) = (self.connection.profile, &self.connection.exchanges);
        let long = |place: &usize| profile.method(&exchanges[*place].method).is_some_and(|method| method.long_lived);
        let open: Vec<usize> = self.open.iter().copied().filter(|place| !long(place)).collect();
        let answer = exchanges[asked].response;
        let waited =
            |place: &&usize| answer.is_some_and(|answer| exchanges[**place].response.is_some_and(|at| at > answer));
        match open[..] {
            [only] => Some(only),
            _ => {
                let mut waited = open.iter().filter(waited);
                waited.next().copied().filter(|_| waited.next().is_none())
            }
        }
    }

    /// MCP 2026-07-28: what is told to a subscription names the request that listens.
    fn subscription(&self, event: &Event) -> Option<usize> {
        let Ok(Parsed::One(_, facts)) = parse::<Facts<'_>>(&event.text) else { return None };
        let id = Facts::id(facts.subscription())?;
        let named = |place: &&usize| Id::from_json(&self.connection.exchanges[**place].rpc_id).as_ref() == Some(&id);
        self.open.iter().rev().find(named).copied()
    }

    fn send(&mut self, at: usize, place: usize) {
        let chain = &mut self.chains[place];
        chain.links.push(Link::Send(at));
        let event = &self.connection.events[at];
        if matches!(event.what, EventKind::Response(_)) && chain.response.is_none() {
            chain.response = Some(chain.links.len() - 1);
        }
        let ends = match event.what {
            EventKind::Close => !self.connection.is_resumed(event.stream),
            EventKind::Response(_) => true,
            _ => false,
        };
        if ends {
            self.open.retain(|open| *open != place);
            self.cancelled.retain(|open| *open != place);
        }
    }

    fn client(&mut self, at: usize, event: &Event) {
        match event.what {
            EventKind::Request(place) => self.open.push(place),
            EventKind::Close => self.left |= event.stream.is_none(),
            EventKind::Response(Some(place)) => {
                if let Some(owner) = self.owners[place] {
                    self.chains[owner].links.push(Link::Await(at));
                }
            }
            _ => {}
        }
        for place in std::mem::take(&mut self.cancels[at]) {
            self.cancelled.extend(self.open.iter().copied().filter(|open| *open == place));
            self.open.retain(|open| *open != place);
            let chain = &mut self.chains[place];
            if self.connection.exchanges[place].issuer == Side::Client && chain.cancel.is_none() {
                chain.links.push(Link::Await(at));
                chain.cancel = Some(chain.links.len() - 1);
            }
        }
    }
}
