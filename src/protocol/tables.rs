//! The small vocabulary in which every profile writes its clauses, rulings and remarks.

use super::{Beyond, Clause, Remark, Ruling, Severity};

/// Declares one static [`Clause`] a line: `NAME Level "id" "page" "quotation";`.
/// The id is put behind the prefix, the page behind the base address.
macro_rules! clauses {
    ($prefix:expr, $base:expr; $($name:ident $level:ident $id:literal $page:literal $text:literal;)*) => {
        $(
            pub static $name: $crate::protocol::Clause = $crate::protocol::Clause {
                id: concat!($prefix, $id),
                level: $crate::protocol::Level::$level,
                text: $text,
                url: concat!($base, $page),
            };
        )*
    };
}
pub(super) use clauses;

/// A ruling whose break is an error.
pub const fn error(rule: &'static str, clause: &'static Clause) -> Ruling {
    Ruling { rule, severity: Severity::Error, clause: Some(clause) }
}

/// A ruling whose break is a warning.
pub const fn warning(rule: &'static str, clause: &'static Clause) -> Ruling {
    Ruling { rule, severity: Severity::Warning, clause: Some(clause) }
}

/// A ruling whose break is a note.
pub const fn note(rule: &'static str, clause: &'static Clause) -> Ruling {
    Ruling { rule, severity: Severity::Note, clause: Some(clause) }
}

/// A ruling that rests on no sentence that could be quoted.
pub const fn bare(rule: &'static str, severity: Severity) -> Ruling {
    Ruling { rule, severity, clause: None }
}

/// A clause that its rules judge in part.
pub const fn in_part(clause: &'static Clause, why: &'static str) -> Remark {
    Remark { clause, beyond: Beyond::InPart(why) }
}

/// A clause that no observer can judge.
pub const fn unseen(clause: &'static Clause, why: &'static str) -> Remark {
    Remark { clause, beyond: Beyond::NotObservable(why) }
}

/// Declares clauses that no rule judges, or none whole, one a line: `Kind Level "id" "page" "quotation" "why";`, with a kind of [`Beyond`].
macro_rules! table {
    ($prefix:expr, $base:expr; $($kind:ident $level:ident $id:literal $page:literal $text:literal $why:literal;)*) => {
        &[$(
            $crate::protocol::Remark {
                clause: &$crate::protocol::Clause {
                    id: concat!($prefix, $id),
                    level: $crate::protocol::Level::$level,
                    text: $text,
                    url: concat!($base, $page),
                },
                beyond: $crate::protocol::Beyond::$kind($why),
            },
        )*]
    };
}
pub(super) use table;

/// A clause that allows something.
pub const fn allows(clause: &'static Clause, what: &'static str) -> Remark {
    Remark { clause, beyond: Beyond::Allows(what) }
}
