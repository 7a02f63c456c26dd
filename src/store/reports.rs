//! Questions with an answer each: the files in `sql/reports`, runnable by hand in the sqlite3 shell.

/// One report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// Name: that of its file.
    pub name: &'static str,
    /// The SQL; its first comment says what it answers.
    pub sql: &'static str,
}

/// All reports, by name. [`super::Store::query`] runs them.
pub const REPORTS: &[Report] = &[
    Report { name: "cancels_by_method", sql: include_str!("../../sql/reports/cancels_by_method.sql") },
    Report { name: "latency_by_method", sql: include_str!("../../sql/reports/latency_by_method.sql") },
    Report { name: "reasons", sql: include_str!("../../sql/reports/reasons.sql") },
    Report { name: "slowest", sql: include_str!("../../sql/reports/slowest.sql") },
];

/// Whole tables, as `export --as csv` writes them.
pub const TABLES: &[Report] = &[
    Report { name: "messages", sql: include_str!("../../sql/statements/select_message_table.sql") },
    Report { name: "exchanges", sql: include_str!("../../sql/statements/select_exchange_table.sql") },
    Report { name: "findings", sql: include_str!("../../sql/statements/select_finding_table.sql") },
];

impl Report {
    /// A report by its name.
    pub fn find(name: &str) -> Option<&'static Report> {
        REPORTS.iter().find(|report| report.name == name)
    }
}
