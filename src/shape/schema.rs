//! A JSON Schema that a peer declared, as a type: what of it can be judged without doubt.
//!
//! What is not understood (patterns, formats, conditions, `not`, schemas elsewhere) allows everything, so that no value is ever called
//! wrong that a whole validator would let pass. Nothing is fetched, and no expression of the peer's is run.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::fault::Fault;
use super::kind::{Member, Shapes, Type};

/// How many parts of a schema are looked at; the rest allows everything.
const PARTS: usize = 20_000;
/// How deep.
const DEEP: u32 = 64;

/// A schema that a peer declared.
#[derive(Clone, Debug, PartialEq)]
pub struct Declared {
    shapes: Shapes,
    root: Type,
}

impl Declared {
    /// What a schema says.
    pub fn of(schema: &Value) -> Declared {
        let own = usize::from(schema.get("$id").is_some());
        let ids = schema.to_string().matches("\"$id\"").count();
        // A part with an address of its own changes where references lead.
        let mut reader =
            Reader { schema, by_pointer: HashMap::new(), shapes: Shapes::default(), left: PARTS, refers: ids == own };
        let root = reader.kind(schema, 0);
        Declared { shapes: reader.shapes, root }
    }

    /// What of a value is not as the schema says; see [`Shapes::faults`].
    pub fn faults(&self, value: &Value, called: (&str, &str), spared: &dyn Fn(&str) -> bool) -> Vec<Fault> {
        self.shapes.faults(value, &self.root, called, spared)
    }

    /// The fault that there is no value at all; none where the schema allows anything.
    pub fn absent(&self, called: (&str, &str)) -> Vec<Fault> {
        self.shapes.missing(&self.root, called)
    }
}

struct Reader<'s> {
    schema: &'s Value,
    /// Numbers of the definitions that were referred to.
    by_pointer: HashMap<String, usize>,
    shapes: Shapes,
    left: usize,
    refers: bool,
}

impl Reader<'_> {
    fn kind(&mut self, schema: &Value, deep: u32) -> Type {
        if self.left == 0 || deep > DEEP {
            return Type::Any;
        }
        self.left -= 1;
        let object = match schema {
            Value::Object(object) => object,
            Value::Bool(false) => return Type::Never,
            _ => return Type::Any,
        };
        // What stands beside a reference counts in some dialects and not in others.
        if let Some(reference) = object.get("$ref") {
            return self.reference(reference, deep);
        }
        let mut all: Vec<Type> = self.words(object, deep).into_iter().filter(|kind| *kind != Type::Any).collect();
        let kind = match all.len() {
            0 => Type::Any,
            1 => all.remove(0),
            _ => Type::AllOf(all),
        };
        // No word of JSON Schema, but of OpenAPI, from which many schemas are taken.
        let nullable = object.get("nullable").and_then(Value::as_bool) == Some(true);
        if nullable { Type::OneOf(vec![kind, Type::Null]) } else { kind }
    }

    /// What each of its words says.
    fn words(&mut self, object: &Map<String, Value>, deep: u32) -> Vec<Type> {
        let mut all = Vec::new();
        all.extend(object.get("const").map(literal));
        if let Some(Value::Array(values)) = object.get("enum") {
            all.push(one_of(values.iter().map(literal).collect()));
        }
        for word in ["anyOf", "oneOf"] {
            if let Some(Value::Array(schemas)) = object.get(word) {
                all.push(one_of(schemas.iter().map(|one| self.kind(one, deep + 1)).collect()));
            }
        }
        if let Some(Value::Array(schemas)) = object.get("allOf") {
            all.extend(schemas.iter().map(|one| self.kind(one, deep + 1)));
        }
        match object.get("type") {
            Some(Value::String(name)) => all.push(self.named(name, object, deep)),
            Some(Value::Array(names)) => {
                let kinds = names.iter().map(|name| self.named(name.as_str().unwrap_or(""), object, deep));
                all.push(one_of(kinds.collect()));
            }
            _ => {}
        }
        all
    }

    fn named(&mut self, name: &str, object: &Map<String, Value>, deep: u32) -> Type {
        let bound = |word: &str| object.get(word).and_then(Value::as_f64);
        let number = |whole| Type::Number { whole, low: bound("minimum"), high: bound("maximum") };
        match name {
            "string" => Type::Text,
            "boolean" => Type::Bool,
            "null" => Type::Null,
            "number" => number(false),
            "integer" => number(true),
            "array" => self.list(object, deep),
            "object" => self.record(object, deep),
            _ => Type::Any,
        }
    }

    fn list(&mut self, object: &Map<String, Value>, deep: u32) -> Type {
        let size = |word: &str| object.get(word).and_then(Value::as_u64).and_then(|size| usize::try_from(size).ok());
        // Where the first items have types of their own, `items` is about the others.
        let of = match object.get("items") {
            Some(items) if !object.contains_key("prefixItems") => self.kind(items, deep + 1),
            _ => Type::Any,
        };
        Type::List {
            of: Box::new(of),
            least: size("minItems").unwrap_or(0),
            most: size("maxItems").unwrap_or(usize::MAX),
        }
    }

    fn record(&mut self, object: &Map<String, Value>, deep: u32) -> Type {
        let none = Map::new();
        let properties = object.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let required: Vec<&str> =
            object.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let mut members: Vec<Member> = Vec::new();
        for (name, schema) in properties {
            let (required, kind) = (required.contains(&&**name), self.kind(schema, deep + 1));
            members.push(Member { name: name.clone(), required, kind });
        }
        for name in required.into_iter().filter(|name| !properties.contains_key(*name)) {
            members.push(Member { name: name.to_string(), required: true, kind: Type::Any });
        }
        let others = object.get("additionalProperties").filter(|_| !object.contains_key("patternProperties"));
        let rest = others.map(|schema| Box::new(self.kind(schema, deep + 1)));
        Type::Record { members, rest: rest.filter(|kind| **kind != Type::Any) }
    }

    /// A part of the same schema; everything else allows everything.
    fn reference(&mut self, reference: &Value, deep: u32) -> Type {
        let pointer = reference.as_str().and_then(|text| text.strip_prefix('#')).filter(|_| self.refers);
        let Some(pointer) = pointer.filter(|pointer| !pointer.contains('%')) else { return Type::Any };
        if let Some(at) = self.by_pointer.get(pointer) {
            return Type::Named(*at);
        }
        let Some(schema) = self.schema.pointer(pointer) else { return Type::Any };
        let at = self.shapes.types.len();
        self.by_pointer.insert(pointer.to_string(), at);
        self.shapes.names.push(pointer.rsplit('/').next().unwrap_or_default().to_string());
        self.shapes.types.push(Type::Any);
        let kind = self.kind(schema, deep + 1);
        self.shapes.types[at] = kind;
        Type::Named(at)
    }
}

/// Lists and objects are left alone: two that are the same may be written differently.
fn literal(value: &Value) -> Type {
    match value {
        Value::Array(_) | Value::Object(_) => Type::Any,
        _ => Type::Literal(value.clone()),
    }
}

fn one_of(kinds: Vec<Type>) -> Type {
    if kinds.contains(&Type::Any) || kinds.is_empty() { Type::Any } else { Type::OneOf(kinds) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn said(schema: Value, value: Value) -> Vec<String> {
        let faults = Declared::of(&schema).faults(&value, ("x", "the schema"), &|_| false);
        faults.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_value_is_held_against_what_a_schema_says() {
        let object = json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}, "s": {"enum": ["a", "b", 3]}},
            "required": ["n", "z"], "additionalProperties": false});
        for (value, words) in [
            (json!({"n": 1, "z": null}), vec![]),
            (json!({"n": 1.0, "z": 1, "s": 3.0}), vec![]),
            (json!({"z": 1}), vec!["x.n is missing, the schema requires an integer of at least 1"]),
            (
                json!({"n": 0, "s": "c"}),
                vec![
                    "x.n is 0, the schema has an integer of at least 1",
                    "x.s is \"c\", the schema has \"a\", \"b\" or 3",
                    "x.z is missing, the schema requires a value",
                ],
            ),
            (
                json!({"n": 1.5, "z": 1, "q": 1}),
                vec![
                    "x.n is 1.5, the schema has an integer of at least 1",
                    "x.q is a number, the schema has no such member",
                ],
            ),
            (json!("text"), vec!["x is a string, the schema has an object"]),
        ] {
            let mut found = said(object.clone(), value.clone());
            found.sort();
            assert_eq!(found, words, "{value}");
        }
    }

    #[test]
    fn what_is_not_understood_allows_everything() {
        for schema in [
            json!({"type": "string", "pattern": "^(a+)+$", "format": "uri", "minLength": 99}),
            json!({"not": {"type": "string"}}),
            json!({"if": {"type": "string"}, "then": false}),
            json!({"$ref": "https://example.com/schema.json"}),
            json!({"$ref": "#/nowhere"}),
            json!({"$ref": "#/%24defs/a", "$defs": {"a": false}}),
            json!({"$dynamicRef": "#a"}),
            json!({"required": ["a"], "properties": {"a": false}}),
            json!({"$defs": {"a": {"$id": "b", "$ref": "#/c"}}, "$ref": "#/$defs/a"}),
            json!(true),
            json!(null),
            json!({"anyOf": [{"type": "number"}, {"minLength": 3}]}),
            json!({"enum": []}),
        ] {
            assert_eq!(said(schema.clone(), json!("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!")), [""; 0], "{schema}");
        }
    }

    #[test]
    fn schemas_that_refer_to_themselves_end() {
        let list = json!({"$ref": "#/$defs/node", "$defs": {"node": {"type": "object", "required": ["v"],
            "properties": {"v": {"type": "string"}, "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]}}}}});
        assert_eq!(said(list.clone(), json!({"v": "a", "next": {"v": "b", "next": null}})), [""; 0]);
        let wrong = said(list, json!({"v": "a", "next": {"next": null}}));
        assert_eq!(wrong, ["x.next.v is missing, node requires a string"]);
        let circle = json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#"}]}}});
        assert_eq!(said(circle, json!(1)), [""; 0]);
        // As many ways as leaves of a tree of 64 levels: a whole look at it would never end.
        let bush =
            json!({"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}]}}});
        assert_eq!(said(bush, json!(1)), [""; 0]);
        let mut deep = json!({"type": "string"});
        for _ in 0..100 {
            deep = json!({"type": "array", "items": deep});
        }
        assert_eq!(said(deep, json!([[[1]]])).len(), 1);
    }
}
