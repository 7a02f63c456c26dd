//! Which clauses were judged, and how that came out: what a run without findings is worth.
//!
//! It is told from what the rules were asked (the occasions of each connection) and from what they said (the findings).
//! Nothing is judged here a second time.

use std::collections::BTreeMap;

use super::narrower::occasion;
use super::{Duty, Occasions, RULES, Rule, Seized, Selection};
use crate::capture::Proof;
use crate::finding::Breach;
use crate::protocol::{Clause, Profile, Ruling, Side};

/// What became of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// A finding proves that it was broken.
    Broken,
    /// There was an occasion, and the log does not show enough.
    NotDecidable,
    /// There was an occasion, and nothing in the log breaks it.
    Kept,
    /// There was no occasion.
    NotExercised,
    /// It cannot be kept or broken in such a connection.
    NotApplicable,
}

impl Standing {
    /// All, in the order in which they are told.
    pub const ALL: [Standing; 5] =
        [Standing::Broken, Standing::NotDecidable, Standing::Kept, Standing::NotExercised, Standing::NotApplicable];

    /// The words of the screens.
    pub fn as_str(self) -> &'static str {
        match self {
            Standing::Broken => "broken",
            Standing::NotDecidable => "not decidable",
            Standing::Kept => "kept",
            Standing::NotExercised => "not exercised",
            Standing::NotApplicable => "not applicable",
        }
    }
}

/// What connections gave occasion to, and what their log can prove.
#[derive(Clone, Copy, Debug)]
pub struct Exercised {
    /// The occasions.
    pub seized: Seized,
    /// What the log can prove.
    pub proof: Proof,
    /// How many connections.
    pub connections: u64,
}

/// A clause and a side, and what became of it.
#[derive(Clone, Debug)]
pub struct Covered {
    /// The profile.
    pub profile: &'static Profile,
    /// Whose clause it is to keep.
    pub side: Side,
    /// The clause.
    pub clause: &'static Clause,
    /// What became of it.
    pub standing: Standing,
    /// Codes of the rules that judge it.
    pub rules: Vec<&'static str>,
    /// Connections with an occasion.
    pub connections: u64,
    /// Findings about it.
    pub findings: u64,
    /// What the log lacks, or what would have to happen, in words.
    pub because: Vec<String>,
    /// The rules among them that the log cannot decide, and what it lacks for each.
    pub undecided: Vec<(&'static str, String)>,
}

/// Every clause that a selected rule judges in the profiles that were spoken, side by side.
pub fn coverage(exercised: &[Exercised], breaches: &[Breach], selection: &Selection) -> Vec<Covered> {
    let mut all: BTreeMap<(usize, &str, bool), Covered> = BTreeMap::new();
    for (rank, profile) in ranked(profiles_of(exercised)) {
        for ruling in profile.rulings {
            let Some(clause) = ruling.clause else { continue };
            let Some(rule) = rule_of(ruling).filter(|rule| selection.takes(rule)) else { continue };
            for side in rule.duty.sides() {
                let new = told((profile, ruling, side), rule, clause, exercised, breaches);
                match all.get_mut(&(rank, clause.id, side == Side::Server)) {
                    Some(old) => old.join(new),
                    None => drop(all.insert((rank, clause.id, side == Side::Server), new)),
                }
            }
        }
    }
    let mut rows: Vec<(usize, Covered)> = all.into_iter().map(|((rank, ..), row)| (rank, row)).collect();
    rows.sort_by_key(|(rank, row)| (*rank, row.standing));
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Profiles with their places in the order of their labels; those with the same label are told as one.
fn ranked(profiles: Vec<&'static Profile>) -> Vec<(usize, &'static Profile)> {
    let mut labelled: Vec<(String, &'static Profile)> =
        profiles.into_iter().map(|profile| (profile.label(), profile)).collect();
    labelled.sort_by(|one, other| one.0.cmp(&other.0));
    let rank = |label: &str| labelled.partition_point(|(other, _)| other.as_str() < label);
    labelled.iter().map(|(label, profile)| (rank(label), *profile)).collect()
}

/// How many clauses of each standing, both sides of a clause taken together: the worse standing counts, and a clause that
/// one side kept counts as kept although the other had no occasion.
pub fn totals(rows: &[Covered]) -> BTreeMap<Standing, u64> {
    let mut clauses: BTreeMap<(&str, Option<&str>, &str), Standing> = BTreeMap::new();
    for row in rows {
        let revision = (!row.profile.unknown_revision).then_some(row.profile.revision);
        let standing = clauses.entry((row.profile.name, revision, row.clause.id)).or_insert(row.standing);
        *standing = row.standing.min(*standing);
    }
    let mut counts: BTreeMap<Standing, u64> = Standing::ALL.into_iter().map(|standing| (standing, 0)).collect();
    for standing in clauses.into_values() {
        *counts.entry(standing).or_default() += 1;
    }
    counts
}

fn profiles_of(exercised: &[Exercised]) -> Vec<&'static Profile> {
    let mut list: Vec<&'static Profile> = Vec::new();
    for one in exercised {
        if !list.iter().any(|known| std::ptr::eq(*known, one.seized.profile)) {
            list.push(one.seized.profile);
        }
    }
    list
}

/// The rule of a ruling: that of `RPC007` also for `RPC007/fraction`.
pub fn rule_of(ruling: &Ruling) -> Option<&'static Rule> {
    let code = ruling.rule.split('/').next().unwrap_or_default();
    RULES.iter().copied().find(|rule| rule.code == code)
}

/// Over which transports a ruling counts, HTTP and the others: where a revision has one of its own for HTTP, the other is for
/// the rest.
fn counts_over(profile: &Profile, ruling: &Ruling, duty: Duty) -> (bool, bool) {
    let of_http = ruling.rule.ends_with("/http");
    let own_over_http = |other: &Ruling| other.rule.strip_suffix("/http") == Some(ruling.rule);
    // Most have another length, which is looked at first: each ruling is held against all.
    let length = ruling.rule.len() + "/http".len();
    let rivalled = !of_http && profile.rulings.iter().any(|other| other.rule.len() == length && own_over_http(other));
    (!rivalled, !of_http && !duty.over_http)
}

/// What the connections of a profile show of one rule's duty.
#[derive(Default)]
struct Shown<'a> {
    /// In some of them the duty can be kept or broken.
    applies: bool,
    /// In some of them an occasion is shown, with all that the rule needs.
    decided: bool,
    /// Some may have had an occasion before the log begins.
    headless: bool,
    /// With an occasion.
    connections: u64,
    /// What the log lacks where there was an occasion.
    lacks: Vec<&'a str>,
}

fn shown<'a>(
    profile: &Profile,
    ruling: &Ruling,
    rule: &Rule,
    side: Side,
    exercised: impl Iterator<Item = &'a Exercised>,
) -> Shown<'static> {
    let (mut shown, occasion) = (Shown::default(), occasion(ruling, rule));
    let (over_http, over_others) = counts_over(profile, ruling, rule.duty);
    for one in exercised.filter(|one| std::ptr::eq(one.seized.profile, profile)) {
        let seen = one.seized.of(side);
        if !(if seen.over_http() { over_http } else { over_others }) {
            continue;
        }
        shown.applies = true;
        if seen.any(occasion.on) {
            shown.connections += one.connections;
            let mut missing = one.proof.missing(rule.needs.in_context());
            if occasion.beside != Occasions::NONE && !seen.any(occasion.beside) {
                missing.extend(occasion.beside.list().next());
            }
            shown.decided |= missing.is_empty();
            shown.lacks.extend(missing);
        } else {
            shown.headless |= occasion.on.of_beginning() && seen.lacks_head();
        }
    }
    shown.lacks.sort_unstable();
    shown.lacks.dedup();
    shown
}

/// What became of a clause by one of its rules.
fn told(
    (profile, ruling, side): (&'static Profile, &Ruling, Side),
    rule: &'static Rule,
    clause: &'static Clause,
    exercised: &[Exercised],
    breaches: &[Breach],
) -> Covered {
    let own = |breach: &&Breach| {
        let here = std::ptr::eq(breach.profile, profile) && breach.side.is_none_or(|by| by == side);
        here && breach.clause == clause.id && breach.code == rule.code
    };
    let count = |violation: bool| -> u64 {
        breaches.iter().filter(own).filter(|breach| breach.violation == violation).map(|breach| breach.count).sum()
    };
    let (broken, unsure) = (count(true), count(false));
    let shown = shown(profile, ruling, rule, side, exercised.iter());
    let (standing, because) = match (broken, unsure) {
        (1.., _) => (Standing::Broken, None),
        (0, 1..) => (Standing::NotDecidable, Some(format!("{unsure} of what was found could not be proven"))),
        _ if shown.decided => (Standing::Kept, None),
        _ if shown.connections > 0 => (Standing::NotDecidable, Some(format!("lacks {}", shown.lacks.join(", ")))),
        _ if shown.headless => (Standing::NotDecidable, Some("lacks the beginning of the connection".to_string())),
        _ if shown.applies => (Standing::NotExercised, Some(format!("needs {}", occasion(ruling, rule).on.words()))),
        _ => (Standing::NotApplicable, Some("not over this transport".to_string())),
    };
    let undecided = because.clone().filter(|_| standing == Standing::NotDecidable).map(|lacks| (rule.code, lacks));
    Covered {
        undecided: undecided.into_iter().collect(),
        profile,
        side,
        clause,
        standing,
        rules: vec![rule.code],
        connections: shown.connections,
        findings: broken + unsure,
        because: because.into_iter().collect(),
    }
}

impl Covered {
    /// What another rule says of the same clause: the worse standing counts, and an occasion is more than none.
    fn join(&mut self, other: Covered) {
        match other.standing.cmp(&self.standing) {
            std::cmp::Ordering::Less => self.because = other.because,
            std::cmp::Ordering::Equal => self.because.extend(other.because),
            std::cmp::Ordering::Greater => {}
        }
        self.undecided.extend(other.undecided);
        self.because.sort();
        self.because.dedup();
        self.standing = self.standing.min(other.standing);
        self.rules.extend(other.rules);
        self.rules.sort_unstable();
        self.rules.dedup();
        self.connections = self.connections.max(other.connections);
        self.findings += other.findings;
    }
}
