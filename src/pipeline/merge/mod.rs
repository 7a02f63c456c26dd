//! Two logs, taken at the clients and at the servers of the same connections, read as one: a message that both have carries the place and
//! the time of both, so that who had received what when is no question of latency any more.
//!
//! Both are read whole (`log`) and their connections paired (`partners`). What the server's log has alone is then handed on as its own,
//! and in the place of the client's log what happened, in the client's order (`order`).

mod ends;
mod event;
mod log;
mod order;
mod partners;

#[cfg(test)]
mod tests;

use std::io::Read;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashSet;

use self::event::HeldFrame;
use self::log::{Held, Log};
use self::order::OrderedFrame;
use self::partners::{Partners, partners};
use super::ingest::same_content;
use super::{Options, Progress, Summary, ingest_sources};
use crate::capture::{Channel, Frame, FrameSink, Resume, Source, Transport, Vantage};
use crate::error::{Error, ErrorKind, Result};
use crate::protocol::Side;
use crate::store::Store;

/// How the logs of clients and of servers met.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Met {
    /// Connections that are in both.
    pub paired: u64,
    /// What only the client's log has.
    pub client: Alone,
    /// What only the server's log has.
    pub server: Alone,
    /// Messages of paired connections that are in both.
    pub messages: u64,
}

/// What only one of two logs has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alone {
    /// Connections that the other log does not have.
    pub connections: u64,
    /// Keys of connections that it may have: what they carry does not tell which of several they are.
    pub in_doubt: Vec<String>,
    /// Messages of paired connections.
    pub messages: u64,
}

impl Met {
    fn count(&mut self, event: &HeldFrame, copy: Option<&HeldFrame>) {
        if event.text().is_some() {
            *match (copy, event.tap) {
                (Some(_), _) => &mut self.messages,
                (None, Side::Client) => &mut self.client.messages,
                (None, Side::Server) => &mut self.server.messages,
            } += 1;
        }
    }
}

/// Reads a client's and a server's log into a store and judges them as one, in one transaction.
pub fn merge(
    store: &mut Store,
    [client, server]: [&str; 2],
    options: &Options,
    progress: &mut dyn Progress,
) -> Result<Summary> {
    ends::are_two([client, server])?;
    let mut server = Log::read(server, Side::Server, options, progress)?;
    let mut client = Log::read(client, Side::Client, options, progress)?;
    let partners = partners(&client.connections, &server.connections);
    ends::are_as_named(&client, &server, &partners)?;
    let mut met = counted(&client, &server, &partners);
    let opened = channels(&client, &server, &partners);
    let steps = order::of_client(&mut client, &mut server, &partners, &mut met);
    something_in_common(&met, client.source.name(), server.source.name())?;
    let alone = order::of_server(&mut server);
    let number = Arc::new(OnceLock::new());
    let tap = |log: Log, opened: Vec<Channel>, steps: Vec<OrderedFrame>| -> Box<dyn Source> {
        Box::new(Tap { log, opened, steps, server: Arc::clone(&number) })
    };
    let [own, theirs] = opened;
    let taps = [tap(server, theirs, alone), tap(client, own, steps)];
    // Both ends may have written the same bytes: the second log is no copy of the first, but its other half.
    let halves = if store.is_new() && same_content(&*taps[0], &*taps[1])? {
        vec![taps[1].name().to_string()]
    } else {
        Vec::new()
    };
    let summary = ingest_sources(store, &mut taps.into_iter().map(Ok), &halves, options, progress)?;
    Ok(Summary { met: Some(met), ..summary })
}

fn something_in_common(met: &Met, client: &str, server: &str) -> Result<()> {
    if met.messages > 0 || !met.client.in_doubt.is_empty() || !met.server.in_doubt.is_empty() {
        return Ok(());
    }
    let one = met.client.connections + met.server.connections == 0;
    let what = if one { "message" } else { "connection" };
    Err(Error::new(ErrorKind::Input, format!("{client} and {server} have no {what} in common"))
        .hint("name the client's log, then the server's, both of the same connections"))
}

fn counted(client: &Log, server: &Log, partners: &Partners) -> Met {
    let paired = partners.of_client.iter().flatten().count();
    let alone = |log: &Log, in_doubt: &FxHashSet<usize>| {
        let mut named: Vec<usize> = in_doubt.iter().copied().collect();
        named.sort_unstable();
        Alone {
            connections: (log.connections.len() - paired - named.len()) as u64,
            in_doubt: named.into_iter().map(|at| log.connections[at].key.clone()).collect(),
            messages: 0,
        }
    };
    let [ours, theirs] = &partners.in_doubt;
    Met { paired: paired as u64, client: alone(client, ours), server: alone(server, theirs), messages: 0 }
}

/// The channels of both logs, each with a name that no other connection has.
fn channels(client: &Log, server: &Log, partners: &Partners) -> [Vec<Channel>; 2] {
    let named = |log: &Log, held: &Held, key: String| {
        let name = if log.connections.len() == 1 && !held.named { None } else { Some(key) };
        Channel { name, ..held.channel.clone() }
    };
    let joined = client.connections.iter().zip(&partners.of_client).map(|(held, partner)| {
        let own = named(client, held, held.key.clone());
        partner.map_or(own.clone(), |partner| both(own, &server.connections[partner].channel))
    });
    let mut taken: FxHashSet<String> = client.connections.iter().map(|held| held.key.clone()).collect();
    let mut free = |key: &str| {
        let mut key = key.to_string();
        while !taken.insert(key.clone()) {
            key = format!("{key} ({})", server.source.name());
        }
        key
    };
    let alone = server.connections.iter().map(|held| named(server, held, free(&held.key)));
    [joined.collect(), alone.collect()]
}

/// What both logs say of a connection: what only one of them proves is not proven.
fn both(own: Channel, other: &Channel) -> Channel {
    let http = own.transport == Transport::Http || other.transport == Transport::Http;
    Channel {
        profile: own.profile.or(other.profile),
        vantage: Vantage::Merged,
        transport: if http { Transport::Http } else { own.transport },
        complete_head: [&own, other]
            .iter()
            .find_map(|one| one.complete_head.filter(|whole| *whole))
            .or(own.complete_head),
        proof: own.proof.without(own.proof.without(other.proof)),
        resolution_us: own.resolution_us.max(other.resolution_us),
        ..own
    }
}

/// How a frame is handed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Join {
    /// As it stands in its log.
    Single,
    /// With its places in both logs.
    Merged,
}

/// What is read in the place of one of the two logs.
struct Tap {
    log: Log,
    /// The channels of its connections.
    opened: Vec<Channel>,
    steps: Vec<OrderedFrame>,
    /// The number of the server's log as a source.
    server: Arc<OnceLock<u32>>,
}

impl Source for Tap {
    fn name(&self) -> &str {
        self.log.source.name()
    }
    fn format(&self) -> &str {
        self.log.source.format()
    }
    fn reason(&self) -> &str {
        self.log.source.reason()
    }
    fn size(&self) -> Option<u64> {
        self.log.source.size()
    }
    fn content(&self) -> Result<Option<Box<dyn Read>>> {
        self.log.source.content()
    }
    fn can_resume(&self) -> bool {
        false
    }

    fn read(&mut self, source: u32, _: Resume, sink: &mut dyn FrameSink) -> Result<Resume> {
        if self.log.side == Side::Server {
            self.server.get_or_init(|| source);
        }
        let mut announced = vec![false; self.opened.len()];
        for step in std::mem::take(&mut self.steps) {
            if let Some(known @ false) = announced.get_mut(step.at) {
                *known = true;
                sink.channel(step.at as u32, self.opened[step.at].clone())?;
            }
            sink.frame(&self.frame(source, &step)?)?;
        }
        std::mem::take(&mut self.log.skipped).into_iter().for_each(|(line, why)| sink.skipped(line, why));
        if let Some((first, last)) = &self.log.times {
            sink.times(first, last);
        }
        Ok(self.log.end)
    }
}

impl Tap {
    fn frame<'s>(&self, source: u32, step: &'s OrderedFrame) -> Result<Frame<'s>> {
        let source = if step.event.tap == self.log.side { Some(source) } else { self.server.get().copied() };
        let Some(source) = source else {
            let message = "the database has the server's log already, and not the client's";
            return Err(Error::new(ErrorKind::Usage, message).hint("merge the two into a new database"));
        };
        let frame = step.event.frame(source, step.at as u32);
        if step.join == Join::Single {
            return Ok(frame);
        }
        let (own, other) = (Some(step.event.stamp()), step.copy.as_ref().map(HeldFrame::stamp));
        Ok(match step.event.tap {
            Side::Client => Frame { taps: Some([own, other]), ..frame },
            Side::Server => Frame { taps: Some([None, own]), at_us: None, stream: None, ..frame },
        })
    }
}
