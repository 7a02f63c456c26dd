//! What a log was taken for and why: every candidate, every line that was passed over, whose log it is, its clock.

use std::collections::BTreeMap;

use super::detect::candidates;
use super::formats::sqlite;
use super::input::Input;
use super::open::told;
use super::sample::Sample;
use super::{Body, Channel, Frame, FrameSink, Overrides, Proof, Resume, Skip, Source, Vantage};
use crate::error::Result;

/// How many lines are named for each reason to pass over one.
const NAMED: usize = 3;

/// A format that a log may be in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its name.
    pub name: &'static str,
    /// How specific the evidence is, from 1 to 100; the highest wins.
    pub score: u8,
    /// The evidence, in words.
    pub reason: String,
}

/// Lines that were passed over for one reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// How many.
    pub count: u64,
    /// Numbers of the first.
    pub first: Vec<u64>,
    /// Text of the very first, where it stands in the head of the log. It is as it was; escape it at the output.
    pub text: Option<String>,
}

/// What a log was taken for.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// Name of the format, with those of the wrappers around it: `docker > clangd-verbose`.
    pub format: String,
    /// Why it was taken for that.
    pub reason: String,
    /// Every format that its head fits, the best first.
    pub candidates: Vec<Candidate>,
    /// Names of the wrappers that were peeled, outermost first.
    pub wrappers: Vec<String>,
    /// Channels, as the log names them.
    pub channels: Vec<Channel>,
    /// Lines that start a record that was used.
    pub used: u64,
    /// Messages, members of batches included.
    pub messages: u64,
    /// Texts that should have been a message.
    pub malformed: u64,
    /// Lines that were passed over, by reason.
    pub passed: BTreeMap<Skip, Passed>,
    /// Where the capture was taken.
    pub vantage: Vantage,
    /// How that is known.
    pub vantage_reason: String,
    /// The clock, in words.
    pub clock: String,
    /// What the log cannot prove.
    pub cannot_prove: Vec<&'static str>,
    /// The definition that was learned from it, as text that can be kept.
    pub definition: Option<String>,
}

/// Reads a log and tells what it was taken for.
pub fn explain(path: &str, overrides: &Overrides) -> Result<Explanation> {
    let (mut source, found, head) = opened(path, overrides)?;
    let mut seen = Contents::default();
    source.read(0, Resume::default(), &mut seen)?;
    seen.quote(&head);
    let format = source.format().to_string();
    let mut wrappers: Vec<String> = format.split(" > ").map(str::to_string).collect();
    wrappers.pop();
    let (vantage, vantage_reason) = seen.vantage(overrides);
    let lost = |proof: Proof| proof.missing(Proof::FULL);
    Ok(Explanation {
        reason: source.reason().to_string(),
        definition: source.definition(),
        candidates: found,
        wrappers,
        used: seen.used,
        messages: seen.messages,
        malformed: seen.malformed,
        vantage,
        vantage_reason,
        clock: seen.clock(overrides),
        cannot_prove: seen.channels.iter().map(|channel| lost(channel.proof)).max_by_key(Vec::len).unwrap_or_default(),
        passed: seen.passed,
        channels: seen.channels,
        format,
    })
}

/// A log that is opened, the formats that its head fits, the best first, and the head.
type Opened = (Box<dyn Source>, Vec<Candidate>, Vec<u8>);

/// Opens a log, and only once: a pipe has its head only then.
fn opened(path: &str, overrides: &Overrides) -> Result<Opened> {
    if let Some(database) = sqlite::open(path, overrides)? {
        return Ok((database, Vec::new(), Vec::new()));
    }
    let mut input = Input::open(path)?;
    let mut found = fitting(&mut input)?;
    found.sort_by_key(|candidate| std::cmp::Reverse(candidate.score));
    let head = input.head().to_vec();
    Ok((Box::new(told(input, path, overrides)?), found, head))
}

/// The formats that the head of a text fits.
fn fitting(input: &mut Input) -> Result<Vec<Candidate>> {
    let mut found: Vec<Candidate> = Vec::new();
    for all in [false, true] {
        let sample = Sample::new(input.head(), input.is_whole(), all);
        let fit = |(format, fit): (&'static dyn super::format::Format, super::format::Match)| Candidate {
            name: format.name(),
            score: fit.score,
            reason: fit.reason,
        };
        found.extend(candidates(&sample).map(fit));
        if !found.is_empty() {
            break;
        }
        input.lengthen_sample()?;
    }
    if found.is_empty()
        && let Some(sample) = input.further_sample()?
    {
        found.extend(candidates(&sample).map(|(format, fit)| Candidate {
            name: format.name(),
            score: fit.score,
            reason: fit.reason,
        }));
    }
    Ok(found)
}

/// Counts what a source holds.
#[derive(Default)]
struct Contents {
    channels: Vec<Channel>,
    used: u64,
    last_line: u64,
    messages: u64,
    malformed: u64,
    passed: BTreeMap<Skip, Passed>,
    times: Option<(i64, i64)>,
    untimed: u64,
    steps_back: u64,
    last_us: Option<i64>,
    relative: bool,
}

impl FrameSink for Contents {
    fn channel(&mut self, _: u32, channel: Channel) -> Result<()> {
        self.channels.push(channel.alone());
        Ok(())
    }

    fn frame(&mut self, frame: &Frame<'_>) -> Result<()> {
        self.used += u64::from(frame.line != self.last_line);
        self.last_line = frame.line;
        self.relative |= matches!(frame.direction, super::Direction::Sent | super::Direction::Received);
        match &frame.body {
            Body::Message(_) => self.messages += 1,
            Body::Batch { members, .. } => self.messages += members.len() as u64,
            Body::Malformed { .. } => self.malformed += 1,
            _ => return Ok(()),
        }
        match frame.at_us {
            None => self.untimed += 1,
            Some(us) => {
                self.times = Some(self.times.map_or((us, us), |(first, last)| (first.min(us), last.max(us))));
                self.steps_back += u64::from(self.last_us.is_some_and(|last| us < last));
                self.last_us = Some(us);
            }
        }
        Ok(())
    }

    fn skipped(&mut self, line: u64, why: Skip) {
        let passed = self.passed.entry(why).or_default();
        passed.count += 1;
        if passed.first.len() < NAMED {
            passed.first.push(line);
        }
    }

    fn progress(&mut self, _: u64) {}
}

impl Contents {
    /// Takes the text of the first line of each reason from the head of the log.
    fn quote(&mut self, head: &[u8]) {
        for passed in self.passed.values_mut() {
            let number = passed.first.first().and_then(|line| usize::try_from(line - 1).ok());
            let line = number.and_then(|number| head.split(|byte| *byte == b'\n').nth(number));
            passed.text = line.map(|line| String::from_utf8_lossy(line).trim().chars().take(120).collect());
        }
    }

    fn vantage(&self, overrides: &Overrides) -> (Vantage, String) {
        let vantage = self.channels.first().map_or(Vantage::Unknown, |channel| channel.vantage);
        let reason = match vantage {
            _ if overrides.vantage.is_some() => "you said so",
            Vantage::Client if self.relative => "the client writes this format, or it logs as sent what clients send",
            Vantage::Server if self.relative => "the server writes this format, or it logs as sent what servers send",
            Vantage::Client => "the client writes this format",
            Vantage::Server => "the server writes this format",
            Vantage::Proxy => "it is written between client and server",
            Vantage::Merged => "the log holds both ends",
            Vantage::Unknown if self.relative => "it names senders from the writer's side only: who sends what decides",
            Vantage::Unknown => "the log does not say; --vantage does",
        };
        (vantage, reason.to_string())
    }

    fn clock(&self, overrides: &Overrides) -> String {
        let Some((first, last)) = self.times else { return "no times".to_string() };
        let day = 86_400_000_000;
        let resolution = self.channels.iter().map(|channel| channel.resolution_us).max().unwrap_or(1);
        let unit = match resolution {
            1_000_000.. => "seconds".to_string(),
            1_000.. => "milliseconds".to_string(),
            _ => "microseconds".to_string(),
        };
        let mut text = format!("{} to {}, in {unit}", shown(first), shown(last));
        if overrides.date.is_none() && first < 40 * day {
            text.push_str("; times of day: --date says which day it was");
        }
        text.push_str(match overrides.tz {
            Some(_) => "; a time that tells no zone is in the zone you named",
            None => "; a time that tells no zone is taken as UTC, --tz says otherwise",
        });
        if self.untimed > 0 {
            text.push_str(&format!("; {} without a time", self.untimed));
        }
        if self.steps_back > 0 {
            text.push_str(&format!("; {} steps back", self.steps_back));
        }
        text
    }
}

fn shown(us: i64) -> String {
    let time = chrono::DateTime::from_timestamp_micros(us).unwrap_or_default();
    time.format("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str, overrides: &Overrides) -> Explanation {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("x.log");
        std::fs::write(&path, text).expect("written");
        explain(&path.to_string_lossy(), overrides).expect("a log")
    }

    #[test]
    fn an_explanation_tells_what_was_read_and_what_was_not() {
        let text = "I[10:00:00.001] hello\nV[10:00:00.002] <<< {\"id\":1,\"jsonrpc\":\"2.0\",\"method\":\"shutdown\"}\n\n\
            I[10:00:00.002] <-- shutdown(1)\n";
        let told = told(text, &Overrides::default());
        assert_eq!((told.format.as_str(), told.messages, told.used), ("clangd-verbose", 1, 1));
        assert_eq!(
            told.candidates.iter().map(|one| one.name).collect::<Vec<_>>()[..2],
            ["clangd-verbose", "clangd-info"]
        );
        let reasons: Vec<_> = told.passed.iter().map(|(why, passed)| (*why, passed.first.clone())).collect();
        assert_eq!(reasons, [(Skip::Blank, vec![3]), (Skip::NotAMessage, vec![1]), (Skip::Duplicate, vec![4])]);
        assert_eq!(told.passed[&Skip::NotAMessage].text.as_deref(), Some("I[10:00:00.001] hello"));
        assert_eq!((told.vantage, told.vantage_reason.as_str()), (Vantage::Server, "the server writes this format"));
        assert!(told.clock.starts_with("1970-01-01T10:00:00.002Z to"), "{}", told.clock);
        assert!(told.clock.contains("--date"));
    }

    #[test]
    fn what_the_user_says_is_said_back() {
        let text = "read: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n";
        let overrides = Overrides { vantage: Some(Vantage::Proxy), ..Overrides::default() };
        let told = told(text, &overrides);
        assert_eq!((told.vantage, told.vantage_reason.as_str()), (Vantage::Proxy, "you said so"));
        assert_eq!(told.clock, "no times");
    }
}
