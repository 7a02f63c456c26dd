//! One excuse, as narrow as possible: a rule, perhaps a method, a tool and a connection, a reason, and its last day.

use chrono::NaiveDate;

use crate::store::FindingRow;

/// An excuse. What is `None` fits everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    /// Code of the rule.
    pub code: String,
    /// Slug of the rule.
    pub rule: String,
    /// Method of the request.
    pub method: Option<String>,
    /// Tool or command.
    pub name: Option<String>,
    /// Key of the connection.
    pub connection: Option<String>,
    /// Why it is excused.
    pub reason: String,
    /// The last day on which it holds.
    pub until: NaiveDate,
    /// Where it stands: file and line.
    pub place: String,
}

impl Suppression {
    /// True if a finding is excused by it.
    pub fn covers(&self, finding: &FindingRow) -> bool {
        let fits = |wanted: &Option<String>, is: Option<&str>| wanted.as_deref().is_none_or(|word| is == Some(word));
        self.code == finding.code
            && fits(&self.method, finding.method.as_deref())
            && fits(&self.name, finding.name.as_deref())
            && fits(&self.connection, Some(&finding.connection))
    }
}
