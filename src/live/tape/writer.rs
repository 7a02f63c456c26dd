//! The thread that writes: redacts, formats, one line a write; turns to another part; says once what cannot be written.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use super::clean::Cleaner;
use super::file::{TapeFile, part, unbegun};
use super::framing::Framers;
use super::limit::{Limit, MAX_TOTAL};
use super::queue::{Item, Loss, Popped, Queue, add_up, lose};
use super::{TapeEvent, TapeOptions, TapeSummary};
use crate::capture::{Exit, Missing, RecDetail, RecEvent, RecHeader, RecLive, RecWriter, Why};
use crate::error::Result;
use crate::live::Clock;
use crate::protocol::Side;
use crate::wire::Framing;

/// How often a durable recording is put on the disk.
const SYNC: Duration = Duration::from_secs(1);

/// Said where the limit is reached.
const LIMIT: &str = "it has the size that --max-total allows";

/// What bytes are.
#[derive(Clone, Copy)]
enum Kind {
    Message(Side),
    /// Whether they ended before their end had come.
    Raw(Side, bool),
    Stderr,
}

/// Writes what the queue holds.
pub(super) struct Writer {
    clock: Clock,
    options: TapeOptions,
    session: String,
    cleaner: Cleaner,
    /// The command line without its secrets.
    cmd: Vec<String>,
    /// The open part.
    rec: Option<RecWriter<TapeFile>>,
    part: u32,
    framers: Framers,
    losses: Vec<Loss>,
    /// Bytes of the parts that are full.
    earlier: u64,
    /// Once it was reached nothing but the end is written: one loss says more than many small ones.
    limit: Limit,
    /// What the header takes, in bytes.
    header_bytes: u64,
    /// The number in the name of the newest part.
    file_number: u32,
    synced_us: i64,
    summary: TapeSummary,
}

impl Writer {
    /// Makes the file, and writes its header.
    pub(super) fn new(options: TapeOptions, clock: Clock) -> Result<Writer> {
        let file = TapeFile::create(&options.path)?;
        let mut cleaner = Cleaner::new(options.redact.as_ref());
        let summary = TapeSummary { parts: vec![options.path.clone()], ..TapeSummary::default() };
        let mut writer = Writer {
            clock,
            session: session_id(),
            cmd: cleaner.args(&options.cmd),
            cleaner,
            rec: None,
            part: 1,
            framers: Framers::new(Framing::from_name(&options.frame)),
            losses: Vec::new(),
            earlier: 0,
            limit: Limit::new(options.max_total),
            header_bytes: 0,
            file_number: 1,
            synced_us: 0,
            summary,
            options,
        };
        let rec = RecWriter::new(file, &writer.header(1)).map_err(|error| unbegun(&writer.options.path, &error))?;
        writer.header_bytes = rec.get_ref().size;
        writer.rec = Some(rec);
        Ok(writer)
    }

    /// Writes until the queue is closed.
    pub(super) fn run(mut self, queue: &Queue) -> TapeSummary {
        let patience = self.options.durable.then_some(SYNC);
        loop {
            match queue.pop(patience) {
                Popped::Item(item) => self.take(item),
                Popped::Idle => {}
                Popped::Closed(at_us) => return self.end(at_us),
            }
            if self.options.durable {
                self.sync();
            }
        }
    }

    fn rec(&mut self) -> io::Result<&mut RecWriter<TapeFile>> {
        self.rec.as_mut().ok_or_else(|| io::Error::other("there is no file"))
    }

    fn header(&self, part: u32) -> RecHeader<'_> {
        let options = &self.options;
        RecHeader {
            tool: concat!("rpctape ", env!("CARGO_PKG_VERSION")),
            session: &self.session,
            part,
            t0_us: self.clock.epoch_us(),
            proto: options.proto.as_deref(),
            revision: options.revision.as_deref(),
            transport: &options.transport,
            vantage: options.vantage,
            cmd: &self.cmd,
            live: Some(RecLive {
                frame: &options.frame,
                cwd: options.cwd.as_deref(),
                env_names: &options.env_names,
                redacted: self.cleaner.is_on(),
                alter: &options.alter,
                replay_of: options.replay_of.as_deref(),
            }),
        }
    }

    /// Writes an event, and what it ends or completes in the streams of bytes.
    fn take(&mut self, mut item: Item) {
        let mut events = Vec::new();
        match (&mut item.event, item.resync) {
            (TapeEvent::Chunk { from, bytes }, _) => {
                self.framers.feed(item.connection, *from, bytes, &mut |event| events.push(event));
            }
            (event, Some((pipe, mid_line))) => {
                let (counted, begun) = self.framers.resync(item.connection, pipe, mid_line);
                if let TapeEvent::Gap { lost, bytes, .. } = event {
                    (*lost, *bytes) = (lost.filter(|_| counted), *bytes + begun);
                }
            }
            (TapeEvent::Close { by, .. }, _) if item.stream.is_none() => {
                self.framers.end(item.connection, *by, &mut |event| events.push(event));
            }
            (TapeEvent::Exit { .. }, _) => self.framers.end(item.connection, None, &mut |event| events.push(event)),
            _ => {}
        }
        for event in events {
            self.item(&Item { event, resync: None, ..item });
        }
        if !matches!(item.event, TapeEvent::Chunk { .. }) {
            self.item(&item);
        }
    }

    /// Writes one event; what could not be written is a loss, said before the next one that can.
    fn item(&mut self, item: &Item) {
        if self.limit.is_behind(item, self.written()) {
            self.told(Err(io::Error::other(LIMIT)));
            return match counts(&item.event) {
                true => self.lose(item),
                false => self.limit.leave_out(item),
            };
        }
        let written = self.pay().and_then(|()| self.write(item));
        if written.is_err() && counts(&item.event) {
            self.lose(item);
        }
        self.told(written);
        self.turn(item.at_us);
    }

    fn lose(&mut self, item: &Item) {
        lose(&mut self.losses, self.limit.told_of(item.connection), item, item.event.messages());
        add_up(&mut self.losses);
    }

    /// Bytes of all parts.
    fn written(&self) -> u64 {
        self.earlier + self.rec.as_ref().map_or(0, |rec| rec.get_ref().size)
    }

    /// Says what was lost.
    fn pay(&mut self) -> io::Result<()> {
        while let Some(loss) = self.losses.first().cloned() {
            self.write(&loss.item("write-error"))?;
            self.losses.remove(0);
        }
        Ok(())
    }

    fn write(&mut self, item: &Item) -> io::Result<()> {
        let none = RecDetail::default();
        match &item.event {
            TapeEvent::Open { by } => self.put(item, RecEvent::Open(*by), &none),
            TapeEvent::Close { by, how } => {
                let detail = RecDetail { how: Some(how), by_recorder: by.is_none(), ..none };
                self.put(item, RecEvent::Close(*by), &detail)
            }
            TapeEvent::StreamEnd { by, how, answered } => {
                let answered = Some(*answered);
                let detail = RecDetail { how: Some(how), by_recorder: by.is_none(), answered, ..none };
                self.put(item, RecEvent::Close(*by), &detail)
            }
            // What is compressed holds no secret that could be found, and must not be changed.
            TapeEvent::Opaque { from, bytes, encoding } => {
                let wire_bytes = Some(bytes.len() as u64);
                let detail = RecDetail { encoding: Some(encoding), wire_bytes, ..none };
                self.put(item, RecEvent::Raw(Some(*from), bytes), &detail)
            }
            TapeEvent::Exit { code, signal } => {
                self.put(item, RecEvent::Exit(Exit::new(code.map(i64::from), signal.map(i64::from))), &none)
            }
            TapeEvent::Chunk { .. } => Ok(()),
            TapeEvent::Message { from, bytes, head } if head.is_some() || super::is_message(bytes) => {
                self.body(item, Kind::Message(*from), bytes, None, head.as_deref())
            }
            TapeEvent::Message { from, bytes, .. } => self.body(item, Kind::Raw(*from, false), bytes, None, None),
            TapeEvent::Raw { from, bytes, cut } => self.body(item, Kind::Raw(*from, *cut), bytes, None, None),
            TapeEvent::Cut { from, bytes, wire_bytes, head } => {
                self.body(item, Kind::Message(*from), bytes, Some(*wire_bytes), head.as_deref())
            }
            TapeEvent::Stderr { bytes } => self.body(item, Kind::Stderr, bytes, None, None),
            TapeEvent::Gap { from, lost, bytes, why } => {
                let missing = Missing { lost: *lost, ..Missing::new(Why::Gap) };
                let detail = RecDetail { lost_bytes: Some(*bytes), why: Some(why), ..none };
                self.put(item, RecEvent::Missing(*from, missing), &detail)?;
                self.summary.lost += lost.unwrap_or(1);
                self.summary.lost_bytes += bytes;
                Ok(())
            }
            TapeEvent::Http { from, head } => {
                let (head, replaced) = self.cleaner.text(head);
                self.put(item, RecEvent::Http(Some(*from), &head), &RecDetail { replaced: &replaced, ..none })
            }
            TapeEvent::Sse { from, event } => {
                let (event, replaced) = self.cleaner.text(event);
                self.put(item, RecEvent::Sse(Some(*from), &event), &RecDetail { replaced: &replaced, ..none })
            }
            TapeEvent::Note { text } => {
                let (text, _) = self.cleaner.text(text);
                self.put(item, RecEvent::Note(&text), &none)
            }
        }
    }

    fn put(&mut self, item: &Item, event: RecEvent<'_>, detail: &RecDetail<'_>) -> io::Result<()> {
        let at_us = Some(self.clock.epoch_us().saturating_add(item.at_us));
        self.rec()?.detailed(at_us, item.connection, item.stream, event, detail)
    }

    /// Bytes without their secrets.
    fn body(
        &mut self,
        item: &Item,
        kind: Kind,
        bytes: &[u8],
        wire_bytes: Option<u64>,
        head: Option<&[u8]>,
    ) -> io::Result<()> {
        let head = head.map(|head| self.cleaner.text(&String::from_utf8_lossy(head)).0.into_owned());
        let (clean, replaced) = self.cleaner.bytes(bytes);
        let detail = RecDetail {
            head: head.as_deref(),
            wire_bytes: Some(wire_bytes.unwrap_or(bytes.len() as u64)),
            truncated: wire_bytes.is_some(),
            replaced: &replaced,
            cut: if let Kind::Raw(_, cut) = kind { Some(cut) } else { None },
            ..RecDetail::default()
        };
        let event = match kind {
            Kind::Message(from) => RecEvent::Message(Some(from), &clean),
            Kind::Raw(from, _) => RecEvent::Raw(Some(from), &clean),
            Kind::Stderr => RecEvent::Stderr(&clean),
        };
        self.put(item, event, &detail)?;
        self.summary.messages += u64::from(matches!(kind, Kind::Message(_)));
        Ok(())
    }

    /// Goes on in another part, where this one is full.
    fn turn(&mut self, at_us: i64) {
        let (Some(max), Some(rec)) = (self.options.max_size, &self.rec) else { return };
        if rec.get_ref().size < max || !self.limit.has_room(self.written(), self.header_bytes) {
            return;
        }
        if let Err(error) = self.next_part(at_us) {
            // One long part is better than none; the next line would fail the same way.
            self.options.max_size = None;
            let path = self.summary.parts.last().map_or_else(PathBuf::new, PathBuf::clone);
            self.complain(format!("cannot begin another file: {error}; all goes on into {}", path.display()), "");
        }
    }

    /// The first name of a part that nobody has used: what is there already is left alone.
    fn free_part(&mut self) -> PathBuf {
        loop {
            self.file_number += 1;
            let path = part(&self.options.path, self.file_number);
            if !std::fs::metadata(&path).is_ok_and(|about| about.is_file() && about.len() > 0) {
                return path;
            }
        }
    }

    fn next_part(&mut self, at_us: i64) -> io::Result<()> {
        let path = self.free_part();
        let file = TapeFile::create(&path).map_err(|error| io::Error::other(error.message))?;
        let at_us = Some(self.clock.epoch_us().saturating_add(at_us));
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if let Some(mut rec) = self.rec.take() {
            let turned = rec.turn(at_us, file, &self.header(self.part + 1), &name);
            self.rec = Some(rec);
            let old = turned?;
            self.earlier += old.size;
            self.harmed(&old);
            if self.options.durable {
                old.sync()?;
            }
            self.part += 1;
            self.summary.parts.push(path);
        }
        Ok(())
    }

    /// Once a second at most.
    fn sync(&mut self) {
        let now = self.clock.us();
        if now.saturating_sub(self.synced_us) < SYNC.as_micros() as i64 {
            return;
        }
        self.synced_us = now;
        let synced = self.rec.as_ref().map_or(Ok(()), |rec| rec.get_ref().sync());
        self.told(synced);
    }

    fn end(mut self, at_us: i64) -> TapeSummary {
        for (connection, event) in self.framers.end_all() {
            self.item(&Item { at_us, connection, stream: None, event, resync: None });
        }
        if let Some(rec) = &mut self.rec {
            rec.get_mut().last_lines();
        }
        let paid = if self.limit.is_reached() { self.settle(at_us) } else { self.pay() };
        self.told(paid);
        let unsaid = self.losses.iter().map(Loss::messages).sum();
        let at_us = Some(self.clock.epoch_us().saturating_add(at_us));
        let durable = self.options.durable;
        let ended = match self.rec.take() {
            Some(rec) => rec.finish(at_us, unsaid).and_then(|(file, last)| {
                self.summary.last = last;
                self.harmed(&file);
                if durable { file.sync() } else { Ok(()) }
            }),
            None => Ok(()),
        };
        self.told(ended);
        // What could not even be said in a gap is lost all the same.
        for loss in &self.losses {
            self.summary.lost += loss.messages();
            self.summary.lost_bytes += loss.bytes;
        }
        self.summary.replaced = self.cleaner.counts();
        self.summary
    }

    /// What is behind the limit: losses and ends as they came, and what else was left out.
    fn settle(&mut self, at_us: i64) -> io::Result<()> {
        let untold = self.losses.iter().map(Loss::untold).sum::<u64>();
        let mut held = self.limit.held();
        held.sort_by_key(|item| item.at_us);
        self.losses.sort_by_key(|loss| loss.at_us);
        let mut held = held.into_iter().peekable();
        while let Some(loss) = self.losses.first().cloned() {
            while let Some(item) = held.next_if(|item| item.at_us < loss.at_us) {
                self.write(&item)?;
            }
            self.write(&loss.item(MAX_TOTAL))?;
            self.losses.remove(0);
        }
        for item in held.chain(self.limit.note(at_us, untold)) {
            self.write(&item)?;
        }
        Ok(())
    }

    /// Says what somebody else has done to the newest part.
    fn harmed(&mut self, file: &TapeFile) {
        let harm = self.summary.parts.last().and_then(|path| file.harm(path));
        if let Some(harm) = harm {
            self.complain(harm, "");
        }
    }

    /// Says the first thing that failed.
    fn told(&mut self, result: io::Result<()>) {
        let Err(error) = result else { return };
        let path = self.summary.parts.last().map_or_else(PathBuf::new, PathBuf::clone);
        let text = format!("cannot write {}: {error}", path.display());
        self.complain(text, "; traffic goes on, and what the recording loses is counted");
    }

    /// Says it with what that means while it goes on, if nothing was said before.
    fn complain(&mut self, text: String, meanwhile: &str) {
        if self.summary.trouble.is_some() {
            return;
        }
        if let Some(say) = &self.options.say {
            say(&format!("{text}{meanwhile}"));
        }
        self.summary.trouble = Some(text);
    }
}

/// True for what is missed where it is not written.
fn counts(event: &TapeEvent) -> bool {
    event.droppable().is_some() || matches!(event, TapeEvent::Gap { .. })
}

/// An id that no other recording has.
fn session_id() -> String {
    let random = || RandomState::new().hash_one(std::process::id());
    format!("{:016x}{:016x}", random(), random())
}
