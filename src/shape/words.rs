//! How types are called in a sentence.

use super::kind::{Shapes, Type};

/// How deep definitions are followed for a word.
const DEEP: u32 = 8;
/// How many alternatives a sentence names.
const NAMED: usize = 12;

impl Type {
    /// As a sentence calls it: `a string`, `"user" or "assistant"`, `an object (Tool)`.
    pub(super) fn words(&self, shapes: &Shapes) -> String {
        match self {
            Type::Any => "a value".into(),
            Type::Never => "no such member".into(),
            Type::Null => "null".into(),
            Type::Bool => "true or false".into(),
            Type::Text => "a string".into(),
            Type::Other(_) => "another string".into(),
            Type::Number { whole, low, high } => number(*whole, *low, *high),
            Type::Literal(value) => value.to_string(),
            Type::List { of, least, most } => list(&of.words(shapes), *least, *most),
            Type::Record { .. } => "an object".into(),
            Type::Named(at) => match shapes.resolve(*at) {
                Some(inner) if inner.is_object(shapes, DEEP) => format!("an object ({})", shapes.name(*at)),
                Some(Type::Named(_) | Type::OneOf(_) | Type::AllOf(_)) => format!("what {} says", shapes.name(*at)),
                Some(inner) => inner.words(shapes),
                None => "a value".into(),
            },
            Type::OneOf(types) => alternatives(types, shapes),
            Type::AllOf(types) => types.first().map_or("a value".into(), |first| first.words(shapes)),
        }
    }

    /// True if whatever fits is an object.
    fn is_object(&self, shapes: &Shapes, deep: u32) -> bool {
        let inner = |kind: &Type| deep > 0 && kind.is_object(shapes, deep - 1);
        match self {
            Type::Record { .. } => true,
            Type::Named(at) => shapes.resolve(*at).is_some_and(inner),
            Type::AllOf(types) => types.iter().any(inner),
            Type::OneOf(types) => types.iter().all(inner),
            _ => false,
        }
    }
}

fn alternatives(types: &[Type], shapes: &Shapes) -> String {
    let mut words: Vec<String> = types.iter().map(|one| one.words(shapes)).collect();
    words.dedup();
    let more = words.len().saturating_sub(NAMED);
    words.truncate(NAMED);
    match (words.pop(), more) {
        (Some(last), 0) if words.is_empty() => last,
        (Some(last), 0) => format!("{} or {last}", words.join(", ")),
        (Some(last), more) => format!("{}, {last} or one of {more} others", words.join(", ")),
        (None, _) => "a value".into(),
    }
}

fn number(whole: bool, low: Option<f64>, high: Option<f64>) -> String {
    let word = if whole { "an integer" } else { "a number" };
    match (low, high) {
        (Some(low), Some(high)) => format!("{word} from {low} to {high}"),
        (Some(low), None) => format!("{word} of at least {low}"),
        (None, Some(high)) => format!("{word} of at most {high}"),
        (None, None) => word.into(),
    }
}

fn list(of: &str, least: usize, most: usize) -> String {
    let of = if of == "a value" { String::new() } else { format!(", each {of}") };
    match (least, most) {
        (0, usize::MAX) => format!("a list{of}"),
        (least, usize::MAX) => format!("a list of at least {least}{of}"),
        (0, most) => format!("a list of at most {most}{of}"),
        (least, most) if least == most => format!("a list of {least}{of}"),
        (least, most) => format!("a list of {least} to {most}{of}"),
    }
}
