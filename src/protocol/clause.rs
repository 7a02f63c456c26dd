//! Clauses (one normative sentence each) and rulings (which rule rests on which clause in a profile).

use std::fmt;

use serde::Serialize;

/// How strongly a clause binds, in the specification's own word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Level {
    /// MUST, MUST NOT, REQUIRED, or a plain "must" where the text has no capitals.
    Must,
    /// SHOULD, SHOULD NOT, or "advised".
    Should,
    /// MAY.
    May,
    /// A statement without a normative word.
    Stated,
}

impl Level {
    /// The word as the specifications print it.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Must => "MUST",
            Level::Should => "SHOULD",
            Level::May => "MAY",
            Level::Stated => "STATED",
        }
    }
}

/// How bad a finding is. Certainty is another question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Something an operator may want to see.
    Note,
    /// A SHOULD is broken.
    Warning,
    /// A MUST is broken.
    Error,
}

impl Severity {
    /// The word used in screens, flags and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }

    /// Reads the word back.
    pub fn from_name(name: &str) -> Option<Severity> {
        [Severity::Note, Severity::Warning, Severity::Error].into_iter().find(|severity| severity.as_str() == name)
    }
}

/// One normative sentence of one revision.
#[derive(PartialEq, Eq)]
pub struct Clause {
    /// Short name within this program, such as `mcp-2025-11-25/cancel-no-response`.
    pub id: &'static str,
    /// How strongly it binds.
    pub level: Level,
    /// A short quotation, word for word; left-out words are shown as `...`.
    pub text: &'static str,
    /// Where the sentence stands.
    pub url: &'static str,
}

/// Its short name, of which there is one.
impl fmt::Debug for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clause({})", self.id)
    }
}

/// What is known of a clause that no rule judges, or that none judges whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// Its rules judge a part of it; what they leave out, and why.
    InPart(&'static str),
    /// Whether it was kept cannot be seen in the messages; why.
    NotObservable(&'static str),
    /// An observer could judge it, and no rule does; what it would take.
    NotJudged(&'static str),
    /// It is about persons, or about what they are shown; why that is not in the messages.
    Persons(&'static str),
    /// It allows something: nothing can break it. What it excuses.
    Allows(&'static str),
    /// It says once more what another sentence says on which this ruling rests, so that whoever breaks the one breaks the other.
    /// What the ruling leaves out of this one may stand behind `; `.
    By(&'static str),
}

impl Beyond {
    /// Why, in words.
    pub fn because(self) -> &'static str {
        match self {
            Beyond::By(ruling) => ruling.split_once("; ").map_or("", |(_, why)| why),
            Beyond::InPart(why) | Beyond::NotObservable(why) | Beyond::NotJudged(why) => why,
            Beyond::Persons(why) | Beyond::Allows(why) => why,
        }
    }
}

impl Beyond {
    /// The ruling that judges it, where it is not its own.
    pub fn judged_by(self) -> Option<&'static str> {
        match self {
            Beyond::By(ruling) => Some(ruling.split_once("; ").map_or(ruling, |(code, _)| code)),
            _ => None,
        }
    }
}

/// A remark on a clause.
#[derive(Debug)]
pub struct Remark {
    /// The clause.
    pub clause: &'static Clause,
    /// What is known of it.
    pub beyond: Beyond,
}

/// That a rule applies in a profile, how severe a break of it is there, and the clause it rests on.
#[derive(Debug)]
pub struct Ruling {
    /// Code of the rule, such as `CAN010`.
    pub rule: &'static str,
    /// Severity of a violation in this profile.
    pub severity: Severity,
    /// The clause, or `None` for what is hygiene only.
    pub clause: Option<&'static Clause>,
}
