//! Shapes of times in the text before a message.

use std::sync::OnceLock;

use regex::Regex;

/// The shape that most logs have.
pub(super) const FIRST: &str = r"\d{4}[-/]\d\d[-/]\d\d[T ]\d{1,2}:\d\d:\d\d(?:[.,]\d+)?(?: ?(?:Z|[+-]\d\d:?\d\d))?";

/// A time of day with its fraction, AM or PM, and a zone.
macro_rules! clock {
    () => {
        r"\d{1,2}:\d\d:\d\d(?:[.,:]\d+)?(?: [AaPp][Mm]\b)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d)\b)?"
    };
}

/// The name of a month.
macro_rules! month {
    () => {
        r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
    };
}

/// All shapes, the most telling first: with a date and its year, with one without, of a time of day, of a number.
const SHAPES: [&str; 10] = [
    FIRST,
    concat!(r"\b\d{4}[-/.]\d\d[-/.]\d\d[T ,_-]+\[?", clock!()),
    concat!(r"\b\d{1,2}[-/ ]", month!(), r"[-/ ,]+\d{2,4}[:T ,-]+", clock!()),
    concat!(r"\b(?:\d{4} )?", month!(), r" +\d{1,2},?(?: \d{4})?(?: @| at|,)? +", clock!(), r"(?: \d{4}\b)?"),
    concat!(r"\b\d{1,2}[-/.]\d{1,2}[-/.]\d{4},? +", clock!()),
    r"\b\d{8}[T _-]?\d\d:?\d\d:?\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\b",
    r"\b[IWEFD]\d{4}(?:\d{4})? \d\d:\d\d:\d\d\.\d+",
    r"@4[0-9a-f]{15}(?:[0-9a-f]{8})?\b",
    r"\b\d{1,2}:\d\d:\d\d(?:[.,]\d+)?(?: [AaPp][Mm])?",
    r"\b1\d{9}(?:\.\d+|\d{3}|\d{6}|\d{9})?\b",
];

/// All shapes with their expressions, which are made when they are asked for.
pub(super) fn all() -> impl Iterator<Item = (&'static str, &'static Regex)> {
    static REGEXES: [OnceLock<Option<Regex>>; SHAPES.len()] = [const { OnceLock::new() }; SHAPES.len()];
    SHAPES
        .into_iter()
        .zip(&REGEXES)
        .filter_map(|(shape, regex)| Some((shape, regex.get_or_init(|| Regex::new(shape).ok()).as_ref()?)))
}
