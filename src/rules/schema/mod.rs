//! Rules about payloads and schemas. They speak only where a run holds payloads against schemas (`--schema`).

pub mod form_off_schema;
pub mod params_off_schema;
pub mod result_off_schema;
pub mod tool_input_off_schema;
pub mod tool_output_off_schema;

use crate::finding::Finding;
use crate::rules::{Build, found};
use crate::session::{Event, Shape};

/// How many places a sentence names.
const NAMED: usize = 3;

/// The finding of a rule about what is not as a schema says.
fn off(code: &'static str, event: &Event<'_>, shape: &Shape<'_>, whose: &str) -> Option<Finding> {
    if shape.faults.is_empty() {
        return None;
    }
    let called = match shape.exchange {
        Some(exchange) => format!("{} {}", exchange.label(), exchange.title()),
        None => shape.method.to_string(),
    };
    let named = shape.faults.len().min(NAMED);
    let mut words = shape.faults[..named].join("; ");
    if shape.faults.len() > named {
        words.push_str(&format!("; and {} more", shape.faults.len() - named));
    }
    let finding = found(code, event, format!("{called}{whose}: {words}"))?;
    Some(match shape.doubt {
        Some(doubt) => finding.undecidable(doubt),
        None => finding,
    })
}

/// The exchange that a finding is about, and the message that declared the schema before it.
fn placed(finding: Finding, shape: &Shape<'_>) -> Finding {
    let finding = finding.maybe("declaration", shape.declared);
    match shape.exchange {
        Some(exchange) => finding.about(exchange),
        None => finding,
    }
}
