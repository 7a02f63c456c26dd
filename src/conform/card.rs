//! The card: for each sentence the worst that its probes say, what was not seen and why, and what is known already.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::behaviour::{Behaviour, behaviour};
use super::clauses::{For, Row, rows};
use super::decide::{Proof, Says, decide};
use super::play::Play;
use super::probes::PROBES;
use crate::error::{Error, ErrorKind, Result};
use crate::protocol::{Clause, Profile};

/// What is said of a sentence. The worst is the greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Nothing that it is about exists here.
    NotApplicable,
    /// It was kept wherever that could be seen.
    Honoured,
    /// Whether it is kept could not be seen.
    NotObserved,
    /// It was broken.
    Violates,
}

impl Verdict {
    /// In words.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::NotApplicable => "not applicable",
            Verdict::Honoured => "honoured",
            Verdict::NotObserved => "not observed",
            Verdict::Violates => "violates",
        }
    }
}

/// Who was asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Server {
    /// As it names itself; else how it was reached.
    pub name: String,
    /// Its version, as it says.
    pub version: Option<String>,
    /// `mcp 2025-11-25`.
    pub protocol: String,
    /// The slow request, by its tool or method.
    pub slow: Option<String>,
    /// How long that takes by itself, microseconds.
    pub natural_us: Option<i64>,
    /// True if it is a client that was asked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_client: bool,
}

impl Server {
    /// `name version`.
    pub fn title(&self) -> String {
        match &self.version {
            Some(version) => format!("{} {version}", self.name),
            None => self.name.clone(),
        }
    }
}

/// What one probe says of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProbeCard {
    /// The probe.
    pub probe: &'static str,
    /// How often it was played.
    pub runs: usize,
    /// In how many of them what is said here was so.
    pub agree: usize,
    /// What it says.
    pub verdict: Verdict,
    /// In a sentence.
    pub detail: String,
    /// What became of a request that it cancelled in flight: `silent`, or the outcome of its answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<String>,
    /// For how long such a request was watched without an answer, microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watched_us: Option<i64>,
    /// The rule that says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// What its certainty rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub basis: Option<String>,
    /// The session that it was played in, where it is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The line in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

/// One sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClauseCard {
    /// `mcp.no-response`.
    pub id: String,
    /// In a few words.
    pub title: &'static str,
    /// `MUST`, `SHOULD`, or `-` where no sentence binds.
    pub level: &'static str,
    /// The worst of its probes.
    pub verdict: Verdict,
    /// The sentence.
    pub quote: Option<&'static str>,
    /// Where it stands.
    pub url: Option<&'static str>,
    /// True if the violation is in the baseline.
    pub known: bool,
    /// What its probes say, the worst first.
    pub probes: Vec<ProbeCard>,
}

/// How many sentences of one level came out how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Kept.
    pub honoured: usize,
    /// Broken, known ones included.
    pub violates: usize,
    /// Not seen.
    pub not_observed: usize,
}

/// The whole of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Card {
    /// Who was asked.
    pub server: Server,
    /// One for each sentence of the protocol.
    pub clauses: Vec<ClauseCard>,
    /// What it does where no sentence binds it.
    pub behaviours: Vec<Behaviour>,
    /// What must be said besides.
    pub notes: Vec<String>,
    /// Entries of the baseline that nothing fits any more.
    pub stale: Vec<String>,
    /// True if what was not observed fails too.
    pub strict: bool,
    /// True if times are told.
    pub times: bool,
    /// Commands that go on from here.
    pub next: Vec<String>,
}

/// Why a probe was not played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missed {
    /// Not observed, or not applicable where what it is about does not exist here.
    pub verdict: Verdict,
    /// In a sentence.
    pub why: String,
}

impl Missed {
    /// What it is about does not exist here.
    pub fn foreign(why: impl Into<String>) -> Missed {
        Missed { verdict: Verdict::NotApplicable, why: why.into() }
    }
}

impl<T: Into<String>> From<T> for Missed {
    fn from(why: T) -> Missed {
        Missed { verdict: Verdict::NotObserved, why: why.into() }
    }
}

/// Makes the card of all plays. Probes that could not be played are told with the reason.
pub fn card(profile: &'static Profile, server: Server, plays: &[Play], unplayed: &[(&'static str, Missed)]) -> Card {
    let mut clauses: Vec<ClauseCard> = Vec::new();
    for (row, words) in rows(profile) {
        let mut probes = Vec::new();
        for probe in PROBES.iter().filter(|probe| row.is_decided_by(probe.name)) {
            let own: Vec<&Play> = plays.iter().filter(|play| play.probe.name == probe.name).collect();
            if let Some((_, missed)) = unplayed.iter().find(|(name, _)| *name == probe.name) {
                probes.push(ProbeCard::unplayed(probe.name, missed));
            } else if !own.is_empty() {
                probes.push(sum(row, &own, &clauses));
            }
        }
        let broken = probes.iter().any(|probe| probe.verdict == Verdict::Violates);
        if row.whom == For::Streams && probes.is_empty() || row.holds.is_empty() && !broken {
            continue;
        }
        clauses.push(ClauseCard::new(profile, row, words, probes));
    }
    let of = |name: &str| plays.iter().filter(|play| play.probe.name == name).collect::<Vec<&Play>>();
    let behaviours = PROBES.iter().filter_map(|probe| behaviour(&of(probe.name))).collect();
    Card { server, clauses, behaviours, ..Card::default() }
}

/// The worst that the plays of one probe say; what was not seen in one of them counts only where none has seen it.
fn sum(row: &Row, plays: &[&Play], before: &[ClauseCard]) -> ProbeCard {
    let mut said: Vec<(Verdict, String, Proof, &Play)> = Vec::new();
    for play in plays {
        said.push(match decide(row, play) {
            Says::Honoured(how) => (Verdict::Honoured, how, Proof::default(), play),
            Says::NotObserved(why) => (Verdict::NotObserved, why, Proof::default(), play),
            Says::Violates(proof) if counts(&proof, before) => (Verdict::Violates, proof.summary.clone(), proof, play),
            Says::Violates(_) => {
                (Verdict::NotObserved, "no request of this kind is cancelled".to_string(), Proof::default(), play)
            }
        });
    }
    let any = |verdict: Verdict| said.iter().position(|(found, ..)| *found == verdict);
    let chosen = any(Verdict::Violates).or(any(Verdict::Honoured)).unwrap_or(0);
    let (verdict, detail, proof, play) = said[chosen].clone();
    ProbeCard {
        probe: play.probe.name,
        runs: said.len(),
        agree: said.iter().filter(|(found, ..)| *found == verdict).count(),
        verdict,
        detail,
        effect: play.effect().map(str::to_string),
        watched_us: play.watched_us(),
        rule: proof.rule,
        basis: proof.basis,
        session: play.session.clone(),
        line: proof.line,
    }
}

/// True if a break is one whatever else was found, or what it rests on was honoured.
fn counts(proof: &Proof, before: &[ClauseCard]) -> bool {
    let honoured = |name: &str| {
        let own = before.iter().find(|clause| clause.id.split_once('.').is_some_and(|(_, id)| id == name));
        own.is_some_and(|clause| clause.verdict == Verdict::Honoured)
    };
    proof.if_honoured.is_none_or(honoured)
}

impl ProbeCard {
    fn unplayed(probe: &'static str, missed: &Missed) -> ProbeCard {
        ProbeCard {
            probe,
            runs: 0,
            agree: 0,
            verdict: missed.verdict,
            detail: missed.why.clone(),
            effect: None,
            watched_us: None,
            rule: None,
            basis: None,
            session: None,
            line: None,
        }
    }
}

impl ClauseCard {
    fn new(profile: &Profile, row: &Row, words: Option<&'static Clause>, mut probes: Vec<ProbeCard>) -> ClauseCard {
        // What was not even played says nothing where any probe will do.
        let counted = probes.iter().filter(|probe| probe.runs > 0 || !row.probes.is_empty());
        let verdict = counted.map(|probe| probe.verdict).max().unwrap_or(Verdict::NotObserved);
        probes.sort_by_key(|probe| std::cmp::Reverse(probe.verdict));
        ClauseCard {
            id: format!("{}.{}", profile.name, row.id),
            title: row.title,
            level: row.level(words),
            verdict,
            quote: words.map(|clause| clause.text),
            url: words.map(|clause| clause.url),
            known: false,
            probes,
        }
    }

    /// True if its violation fails a run: it breaks a sentence, and nobody has taken note of it.
    pub fn fails(&self) -> bool {
        self.verdict == Verdict::Violates && self.binds() && !self.known
    }

    /// True if it is a sentence that binds, or the life of the server.
    pub fn binds(&self) -> bool {
        matches!(self.level, "MUST" | "SHOULD") || self.id.ends_with(".survives")
    }

    /// The play that its verdict rests on.
    pub fn decisive(&self) -> Option<&ProbeCard> {
        self.probes.iter().find(|probe| probe.verdict == self.verdict)
    }
}

impl Card {
    /// How the sentences of one level came out.
    pub fn tally(&self, level: &str) -> Tally {
        let count = |verdict: Verdict| {
            self.clauses.iter().filter(|clause| clause.level == level && clause.verdict == verdict).count()
        };
        Tally {
            honoured: count(Verdict::Honoured),
            violates: count(Verdict::Violates),
            not_observed: count(Verdict::NotObserved),
        }
    }

    /// The exit code: 0 nothing fails, 1 something does, 2 nothing was seen at all.
    pub fn exit(&self) -> u8 {
        let observed = |clause: &ClauseCard| matches!(clause.verdict, Verdict::Honoured | Verdict::Violates);
        if !self.clauses.iter().any(observed) {
            return 2;
        }
        let unseen = |clause: &ClauseCard| clause.binds() && clause.verdict == Verdict::NotObserved;
        let fails = self.clauses.iter().any(|clause| clause.fails() || self.strict && unseen(clause));
        u8::from(fails || !self.stale.is_empty())
    }

    /// Takes note of the violations that are known. What is known and not there any more is stale.
    pub fn know(&mut self, baseline: &Baseline) {
        let title = self.server.name.clone();
        for entry in baseline.entries.iter().filter(|entry| entry.server == title) {
            let found = self.clauses.iter_mut().find(|clause| clause.id == entry.clause);
            match found {
                Some(clause) if clause.verdict == Verdict::Violates => clause.known = true,
                // What was not seen may still be there.
                Some(clause) if clause.verdict == Verdict::NotObserved => {}
                _ => self.stale.push(entry.clause.clone()),
            }
        }
    }

    /// The baseline that knows all violations of this card; notes of the one before are kept.
    pub fn baseline(&self, before: &Baseline) -> Baseline {
        let mut entries: BTreeMap<(String, String), Entry> =
            before.entries.iter().map(|entry| ((entry.server.clone(), entry.clause.clone()), entry.clone())).collect();
        entries.retain(|(server, clause), _| *server != self.server.name || !self.stale.contains(clause));
        for clause in self.clauses.iter().filter(|clause| clause.verdict == Verdict::Violates && clause.binds()) {
            let key = (self.server.name.clone(), clause.id.clone());
            let (server, id) = key.clone();
            entries.entry(key).or_insert(Entry { v: 1, server, clause: id, note: String::new() });
        }
        Baseline { entries: entries.into_values().collect() }
    }
}

/// One known violation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    v: u8,
    server: String,
    clause: String,
    #[serde(default)]
    note: String,
}

/// Known violations: one JSON object a line, `{"v":1,"server":"everything","clause":"mcp.no-response","note":"why"}`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    entries: Vec<Entry>,
}

impl Baseline {
    /// Reads a file's text. `file` is named in errors.
    pub fn read(text: &str, file: &str) -> Result<Baseline> {
        let mut entries = Vec::new();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let entry: Entry = serde_json::from_str(line).map_err(|error| {
                let place = format!("{file}:{}", index + 1);
                Error::new(ErrorKind::Usage, format!("{place}: no entry of a baseline: {error}"))
                    .hint("a baseline is written by --write-baseline")
            })?;
            entries.push(entry);
        }
        Ok(Baseline { entries })
    }

    /// Its text.
    pub fn text(&self) -> String {
        let line = |entry: &Entry| serde_json::to_string(entry).map(|line| line + "\n").unwrap_or_default();
        self.entries.iter().map(line).collect()
    }
}
