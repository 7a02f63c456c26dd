//! Batches: the answers to what came in one array go out in one array, as they did in the recording.

use std::collections::BTreeMap;

use super::{Extra, Mock, Taken};
use crate::jsonrpc::Member;
use crate::protocol::Facts;

/// Answers that go out together.
#[derive(Debug)]
pub(super) struct Group {
    stream: Option<u32>,
    /// How many are still to come.
    waiting: usize,
    parts: Vec<(usize, Vec<u8>)>,
}

impl Mock {
    /// A batch of the client.
    pub(super) fn batch(&mut self, now: i64, stream: Option<u32>, text: &str, members: &[Member<'_, Facts<'_>>]) {
        if members.is_empty() {
            return self.garbage(now);
        }
        let mut taken = Vec::new();
        for (range, member) in members {
            match member {
                Ok((message, facts)) => {
                    taken.extend(self.message(now, stream, &text[range.clone()], message, facts));
                }
                Err(_) => self.garbage(now),
            }
        }
        if self.options.extra == Extra::Close && taken.iter().any(|taken| matches!(taken, Taken::Missed(_))) {
            return self.end();
        }
        match self.recorded_batch(&taken) {
            Some(runs) => self.as_recorded(stream, &runs),
            None => self.together(stream, taken),
        }
    }

    /// The runs, if their requests came in one batch in the recording too.
    fn recorded_batch(&self, taken: &[Taken]) -> Option<Vec<usize>> {
        let runs: Vec<usize> = taken.iter().map(run).collect::<Option<_>>()?;
        let batch = |run: &usize| {
            let exchange = &self.script.connection.exchanges[self.runs[*run].exchange];
            self.script.batches[exchange.request]
        };
        let first = batch(runs.first()?)?;
        runs.iter().all(|run| batch(run) == Some(first)).then_some(runs)
    }

    /// Answers that were recorded in one array go out in one, the others alone.
    fn as_recorded(&mut self, stream: Option<u32>, runs: &[usize]) {
        let mut together: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for run in runs {
            let response = self.script.connection.exchanges[self.runs[*run].exchange].response;
            if let Some(batch) = response.and_then(|response| self.script.batches[response]) {
                together.entry(batch).or_default().push(*run);
            }
        }
        for runs in together.into_values() {
            self.groups.push(Group { stream, waiting: runs.len(), parts: Vec::new() });
            for run in runs {
                self.runs[run].group = Some(self.groups.len() - 1);
            }
        }
    }

    /// What was asked singly in the recording: one array of all that is answered without a cancel.
    fn together(&mut self, stream: Option<u32>, taken: Vec<Taken>) {
        let group = self.groups.len();
        let mut errors = Vec::new();
        let mut waiting = 0;
        for (order, taken) in taken.into_iter().enumerate() {
            match taken {
                Taken::Missed(error) => errors.push((order, error)),
                Taken::Run(run) => {
                    let chain = &self.script.chains[self.runs[run].exchange];
                    if chain.response.is_some() && !chain.cancelled_in_flight() {
                        self.runs[run].group = Some(group);
                        waiting += 1;
                    }
                }
            }
        }
        waiting += errors.len();
        self.groups.push(Group { stream, waiting, parts: Vec::new() });
        for (order, error) in errors {
            self.contribute(group, order, error);
        }
    }

    /// An answer for a batch; with the last one they all go out.
    pub(super) fn contribute(&mut self, group: usize, order: usize, bytes: Vec<u8>) {
        self.groups[group].parts.push((order, bytes));
        self.one_less(group);
    }

    /// A run will not answer.
    pub(super) fn leave_group(&mut self, run: usize) {
        if let Some(group) = self.runs[run].group.take() {
            self.one_less(group);
        }
    }

    fn one_less(&mut self, at: usize) {
        let group = &mut self.groups[at];
        group.waiting = group.waiting.saturating_sub(1);
        if group.waiting > 0 || group.parts.is_empty() {
            return;
        }
        let stream = group.stream;
        let mut parts = std::mem::take(&mut group.parts);
        parts.sort_by_key(|(order, _)| *order);
        let parts: Vec<Vec<u8>> = parts.into_iter().map(|(_, bytes)| bytes).collect();
        let mut array = vec![b'['];
        array.extend(parts.join(&b','));
        array.push(b']');
        self.send(stream, array);
    }
}

fn run(taken: &Taken) -> Option<usize> {
    match taken {
        Taken::Run(run) => Some(*run),
        Taken::Missed(_) => None,
    }
}
