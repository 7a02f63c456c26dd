//! What conforms by construction has no fault, in every table; what lacks a member has one.

use serde_json::{Map, Value, json};

use super::{
    ACP_1, ACP_2, LSP, MCP_2024_11_05, MCP_2025_03_26, MCP_2025_06_18, MCP_2025_11_25, MCP_2026_07_28, Shapes, Table,
    Type,
};

const TABLES: [&Table; 8] =
    [&MCP_2024_11_05, &MCP_2025_03_26, &MCP_2025_06_18, &MCP_2025_11_25, &MCP_2026_07_28, &ACP_1, &ACP_2, &LSP];

/// Makes values of a type.
struct Maker<'m> {
    shapes: &'m Shapes,
    state: u64,
}

impl Maker<'_> {
    fn pick(&mut self, of: usize) -> usize {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) as usize % of.max(1)
    }

    fn make(&mut self, kind: &Type, deep: u32) -> Value {
        match kind {
            Type::Any => [json!(null), json!(1), json!("a"), json!([1]), json!({"a": 1})][self.pick(5)].clone(),
            Type::Never => panic!("no value is of that type"),
            Type::Null => Value::Null,
            Type::Bool => Value::Bool(self.pick(2) == 0),
            Type::Text => json!("text"),
            Type::Other(_) => json!("of a later revision"),
            Type::Number { whole, low, high } => {
                let number = low.or(*high).unwrap_or(0.0);
                if *whole { json!(number as i64) } else { json!(number) }
            }
            Type::Literal(value) => value.clone(),
            Type::List { of, least, most } => {
                let more = if deep < 6 { self.pick(3) } else { 0 };
                let many = (least + more).min(*most);
                (0..many).map(|_| self.make(of, deep + 1)).collect()
            }
            Type::Record { members, rest } => {
                let mut object = Map::new();
                for member in members {
                    if member.required || deep < 6 && self.pick(2) == 0 {
                        object.insert(member.name.clone(), self.make(&member.kind, deep + 1));
                    }
                }
                let strange = rest.as_ref().map_or(json!([null]), |rest| self.make(rest, deep + 1));
                object.insert("x-strange".into(), strange);
                Value::Object(object)
            }
            Type::Named(at) => self.make(&self.shapes.types[*at].clone(), deep + 1),
            Type::OneOf(types) => {
                let at = self.pick(types.len());
                self.make(&types[at], deep + 1)
            }
            Type::AllOf(types) => {
                let mut made = types.iter().map(|one| self.make(one, deep + 1)).collect::<Vec<_>>().into_iter();
                let first = made.next().expect("a type");
                made.fold(first, |all, one| match (all, one) {
                    (Value::Object(mut all), Value::Object(one)) => {
                        all.extend(one);
                        Value::Object(all)
                    }
                    (all, _) => all,
                })
            }
        }
    }
}

/// Every type of every method, with what it is called.
fn each(mut told: impl FnMut(&Shapes, &str, &Type)) {
    for shapes in TABLES.iter().map(|table| table.shapes().expect("a table")) {
        for (name, method) in shapes.methods() {
            told(shapes, name, &method.params);
            method.result.iter().for_each(|result| told(shapes, name, result));
        }
    }
}

#[test]
fn what_conforms_has_no_fault() {
    let mut values = 0;
    each(|shapes, name, kind| {
        for seed in 0..20 {
            let value = Maker { shapes, state: seed }.make(kind, 0);
            let faults = shapes.faults(&value, kind, ("value", ""), &|_| false);
            assert!(faults.is_empty(), "{name}: {value}\n{faults:#?}");
            values += 1;
        }
    });
    assert!(values > 9_000, "{values}");
}

#[test]
fn what_lacks_a_member_has_a_fault_that_names_it() {
    let mut values = 0;
    each(|shapes, name, kind| {
        let mut kind = kind;
        while let Type::Named(at) = kind {
            kind = &shapes.types[*at];
        }
        let Type::Record { members, .. } = kind else { return };
        for member in members.iter().filter(|member| member.required) {
            let mut value = Maker { shapes, state: 1 }.make(kind, 0);
            value.as_object_mut().expect("an object").remove(&member.name);
            let faults = shapes.faults(&value, kind, ("value", ""), &|_| false);
            let place = format!("value.{}", member.name);
            assert!(faults.iter().any(|fault| fault.place == place && fault.found.is_none()), "{name}: {value}");
            values += 1;
        }
    });
    assert!(values > 300, "{values}");
}
