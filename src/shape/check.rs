//! Holds a value against a type.

use std::cell::Cell;

use serde_json::{Map, Value};

use super::fault::{ANOTHER, Fault, KIND, LACKS, kind_of, quoted};
use super::kind::{Member, Shapes, Type};

/// How many faults of one value are told apart.
const MOST: usize = 16;
/// How deep definitions may lead into each other without a member between.
const DEEP: u32 = 64;

/// How many steps one value takes at most: a schema may lead into itself in more ways than can be gone. What is left then is not judged.
const STEPS: u32 = 1_000_000;

/// Where a value stands: the way to it, one step behind the other.
#[derive(Clone, Copy)]
enum Way<'w> {
    Root(&'w str),
    Member(&'w Way<'w>, &'w str),
    Item(&'w Way<'w>, usize),
}

impl Way<'_> {
    fn text(&self) -> String {
        match self {
            Way::Root(name) => name.to_string(),
            Way::Member(before, name) => format!("{}.{name}", before.text()),
            Way::Item(before, at) => format!("{}[{at}]", before.text()),
        }
    }
}

impl Shapes {
    /// What of a value is not as its type says. `root` is what the value is called (`params`), `within` what the type is called where it
    /// has no name; `spared` says of a string that a filter wrote it: what stood there is not known.
    pub fn faults(
        &self,
        value: &Value,
        kind: &Type,
        (root, within): (&str, &str),
        spared: &dyn Fn(&str) -> bool,
    ) -> Vec<Fault> {
        let left = Cell::new(STEPS);
        let mut check = Check { shapes: self, spared, left: &left, faults: Vec::new() };
        check.value(value, kind, &Way::Root(root), within, 0);
        check.faults
    }

    /// The fault that there is no value of this type at all; none where it allows anything.
    pub(super) fn missing(&self, kind: &Type, (place, within): (&str, &str)) -> Vec<Fault> {
        let expected = kind.words(self);
        let fault = Fault { place: place.into(), within: within.into(), expected, found: None, distance: 1 };
        Some(fault).filter(|_| *kind != Type::Any).into_iter().collect()
    }

    /// True if an empty object is as good as none: the parameters may then be left out.
    pub fn takes_nothing(&self, kind: &Type) -> bool {
        self.faults(&Value::Object(Map::new()), kind, ("", ""), &|_| false).is_empty()
    }
}

struct Check<'c> {
    shapes: &'c Shapes,
    spared: &'c dyn Fn(&str) -> bool,
    left: &'c Cell<u32>,
    faults: Vec<Fault>,
}

impl<'c> Check<'c> {
    fn value(&mut self, value: &Value, kind: &'c Type, way: &Way<'_>, within: &'c str, deep: u32) {
        if deep > DEEP || self.faults.len() >= MOST || self.left.get() == 0 {
            return;
        }
        self.left.set(self.left.get() - 1);
        match kind {
            Type::Any => {}
            Type::Named(at) => {
                if let Some(inner) = self.shapes.resolve(*at) {
                    let record = matches!(inner, Type::Record { .. } | Type::OneOf(_) | Type::AllOf(_));
                    let within = if record { self.shapes.name(*at) } else { within };
                    self.value(value, inner, way, within, deep + 1);
                }
            }
            Type::OneOf(types) => self.one_of(value, types, way, within, deep),
            Type::AllOf(types) => types.iter().for_each(|one| self.value(value, one, way, within, deep + 1)),
            Type::Record { members, rest } => match value {
                Value::Object(object) => self.record(object, members, rest.as_deref(), way, within),
                _ => self.wrong(value, kind, way, within, kind_of(value).into(), KIND),
            },
            Type::List { of, least, most } => match value {
                Value::Array(items) if (*least..=*most).contains(&items.len()) => {
                    let before = self.faults.len();
                    for (at, item) in items.iter().enumerate() {
                        self.value(item, of, &Way::Item(way, at), within, 0);
                    }
                    self.inside(before, 1);
                }
                Value::Array(items) => self.wrong(value, kind, way, within, format!("a list of {}", items.len()), 1),
                _ => self.wrong(value, kind, way, within, kind_of(value).into(), KIND),
            },
            _ => self.plain(value, kind, way, within),
        }
    }

    /// A value without parts.
    fn plain(&mut self, value: &Value, kind: &Type, way: &Way<'_>, within: &str) {
        let (fits, found, distance) = match (kind, value) {
            (Type::Null, Value::Null) | (Type::Bool, Value::Bool(_)) | (Type::Text, Value::String(_)) => return,
            (Type::Other(known), Value::String(text)) => (!known.contains(text), quoted(value), ANOTHER),
            (Type::Number { whole, low, high }, Value::Number(number)) => {
                let number = number.as_f64().unwrap_or_default();
                let within = low.is_none_or(|low| number >= low) && high.is_none_or(|high| number <= high);
                (within && !(*whole && number.fract() != 0.0), quoted(value), 1)
            }
            (Type::Literal(literal), value) => {
                let same_kind = std::mem::discriminant(literal) == std::mem::discriminant(value);
                let distance = if same_kind { ANOTHER } else { KIND };
                (same(literal, value), if same_kind { quoted(value) } else { kind_of(value).into() }, distance)
            }
            _ => (false, kind_of(value).into(), KIND),
        };
        if !fits {
            self.wrong(value, kind, way, within, found, distance);
        }
    }

    fn record(
        &mut self,
        object: &Map<String, Value>,
        members: &'c [Member],
        rest: Option<&'c Type>,
        way: &Way<'_>,
        within: &'c str,
    ) {
        // What tells an alternative from others goes first: if that does not fit, nothing else is asked.
        let before = self.faults.len();
        let (telling, others): (Vec<_>, Vec<_>) = members.iter().partition(|member| is_telling(member));
        telling.into_iter().for_each(|member| self.member(object, member, way, within));
        if self.faults[before..].iter().any(|fault| fault.distance >= ANOTHER) {
            return;
        }
        others.into_iter().for_each(|member| self.member(object, member, way, within));
        let Some(rest) = rest else { return };
        let before = self.faults.len();
        for (name, value) in object.iter().filter(|(name, _)| members.iter().all(|member| member.name != **name)) {
            self.value(value, rest, &Way::Member(way, name), within, 0);
        }
        self.inside(before, 1);
    }

    fn member(&mut self, object: &Map<String, Value>, member: &'c Member, way: &Way<'_>, within: &'c str) {
        let way = Way::Member(way, &member.name);
        let distance = if is_telling(member) { ANOTHER } else { 1 };
        match object.get(&member.name) {
            Some(value) => {
                let before = self.faults.len();
                self.value(value, &member.kind, &way, within, 0);
                self.inside(before, distance);
            }
            None if member.required => self.tell(&member.kind, &way, within, None, distance.max(LACKS)),
            None => {}
        }
    }

    /// What is wrong inside a value says less of the value itself than what is wrong with it.
    fn inside(&mut self, before: usize, distance: u32) {
        self.faults[before..].iter_mut().for_each(|fault| fault.distance = distance);
    }

    /// The faults of the alternative that is meant, as far as that can be told.
    fn one_of(&mut self, value: &Value, types: &'c [Type], way: &Way<'_>, within: &'c str, deep: u32) {
        if types.iter().all(|kind| matches!(kind, Type::Literal(_))) {
            let fits = types.iter().any(|kind| matches!(kind, Type::Literal(literal) if same(literal, value)));
            if !fits && !types.is_empty() {
                self.wrong(value, &Type::OneOf(types.to_vec()), way, within, quoted(value), ANOTHER);
            }
            return;
        }
        let mut nearest: Option<(u32, Vec<Fault>)> = None;
        let mut literals: Vec<Fault> = Vec::new();
        for kind in types {
            let mut check = Check { shapes: self.shapes, spared: self.spared, left: self.left, faults: Vec::new() };
            check.value(value, kind, way, within, deep + 1);
            let faults = check.faults;
            if faults.is_empty() {
                return;
            }
            let distance = faults.iter().map(|fault| fault.distance).fold(0, u32::saturating_add);
            literals.extend(faults.iter().filter(|fault| fault.distance == ANOTHER).cloned());
            if nearest.as_ref().is_none_or(|(least, _)| distance < *least) {
                nearest = Some((distance, faults));
            }
        }
        match nearest {
            Some((KIND.., _)) => {
                self.wrong(value, &Type::OneOf(types.to_vec()), way, within, kind_of(value).into(), KIND)
            }
            Some((ANOTHER.., mut faults)) => {
                join(&mut faults, &literals, within);
                self.faults.append(&mut faults);
            }
            Some((_, mut faults)) => self.faults.append(&mut faults),
            None => {}
        }
    }

    fn wrong(&mut self, value: &Value, kind: &Type, way: &Way<'_>, within: &str, found: String, distance: u32) {
        let spared = value.as_str().is_some_and(|text| (self.spared)(text));
        if !spared {
            self.tell(kind, way, within, Some(found), distance);
        }
    }

    fn tell(&mut self, kind: &Type, way: &Way<'_>, within: &str, found: Option<String>, distance: u32) {
        let (place, expected) = (way.text(), kind.words(self.shapes));
        self.faults.push(Fault { place, within: within.to_string(), expected, found, distance });
    }
}

/// True for a member that tells an alternative from others.
fn is_telling(member: &Member) -> bool {
    matches!(member.kind, Type::Literal(_) | Type::Other(_))
}

/// No alternative is meant: what each of them would have there is said together, and it is the whole that says so.
fn join(faults: &mut [Fault], literals: &[Fault], within: &str) {
    for fault in faults.iter_mut().filter(|fault| fault.distance == ANOTHER) {
        let mut words: Vec<&str> = Vec::new();
        for other in literals.iter().filter(|other| other.place == fault.place && other.expected != "another string") {
            if !words.contains(&&*other.expected) {
                words.push(&other.expected);
            }
        }
        if let [first @ .., last] = &words[..]
            && !first.is_empty()
        {
            fault.expected = format!("{} or {last}", first.join(", "));
            fault.within = within.to_string();
        }
    }
}

/// True for the same string or boolean, and for the same number however it is written.
fn same(literal: &Value, value: &Value) -> bool {
    match (literal.as_f64(), value.as_f64()) {
        (Some(literal), Some(value)) => literal == value,
        _ => literal == value,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::shape::MCP_2025_11_25;

    fn said(method: &str, result: serde_json::Value) -> Vec<String> {
        let shapes = MCP_2025_11_25.shapes().unwrap();
        let kind = shapes.method(method).unwrap().result.as_ref().unwrap();
        shapes.faults(&result, kind, ("result", ""), &|text| text == "***").iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_fault_says_where_and_what() {
        for (result, words) in [
            (json!({"content": []}), vec![]),
            (json!({"content": [{"type": "text", "text": "a"}], "x-vendor": 1, "_meta": {"a": 1}}), vec![]),
            (
                json!({}),
                vec!["result.content is missing, CallToolResult requires a list, each an object (ContentBlock)"],
            ),
            (json!([]), vec!["result is a list, expected an object (CallToolResult) or an object (CreateTaskResult)"]),
            (
                json!({"content": [{"type": "text"}]}),
                vec!["result.content[0].text is missing, TextContent requires a string"],
            ),
            (
                json!({"content": [{"type": "text", "text": 5}]}),
                vec!["result.content[0].text is a number, TextContent has a string"],
            ),
            (json!({"content": [{"type": "text", "text": "***"}]}), vec![]),
            (json!({"content": "***"}), vec![]),
            (
                json!({"content": [{"type": "video", "text": "a"}]}),
                vec![
                    "result.content[0].type is \"video\", ContentBlock has \"text\", \"image\", \"audio\", \"resource_link\" or \"resource\"",
                ],
            ),
            (
                json!({"content": [{"type": "text", "text": "a", "annotations": {"priority": 2, "audience": ["me"]}}], "isError": null}),
                vec![
                    "result.content[0].annotations.audience[0] is \"me\", Role has \"assistant\" or \"user\"",
                    "result.content[0].annotations.priority is 2, Annotations has a number from 0 to 1",
                    "result.isError is null, CallToolResult has true or false",
                ],
            ),
        ] {
            assert_eq!(said("tools/call", result.clone()), words, "{result}");
        }
    }
}
