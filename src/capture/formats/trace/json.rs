//! Header and payload to one JSON-RPC message.

use super::dialect::{Dialect, Told};
use super::header::{Header, RecordKind};
use super::record::{Label, Record, message_and_code, unquoted_target};
use crate::capture::formats::document::{is_error, is_integer};
use crate::capture::literal::push_string;

/// Writes the message of a record. False where the log does not tell what the message holds although it tells so of
/// others: the trace level was changed on the way.
pub(super) fn write(record: &Record, header: &Header<'_>, text: &str, told: &Told, json: &mut String) -> bool {
    json.clear();
    json.push_str("{\"jsonrpc\":\"2.0\"");
    if let Some(id) = header.id {
        json.push_str(",\"id\":");
        if is_integer(id) { json.push_str(id) } else { push_string(json, id) }
    }
    match header.what {
        RecordKind::Request | RecordKind::Notification => {
            json.push_str(",\"method\":");
            push_string(json, header.method);
            if !params(record, header, text, told, json) {
                return false;
            }
        }
        RecordKind::Response => response(record, header, text, told, json),
        RecordKind::Failure => {
            let start = text.find('#').map_or(0, |at| at + 1);
            let message = text[start..].split_once(' ').map_or("", |(_, message)| message);
            json.push_str(",\"error\":{\"message\":");
            push_string(json, message.trim_end());
            json.push('}');
        }
    }
    json.push('}');
    true
}

fn params(record: &Record, header: &Header<'_>, text: &str, told: &Told, json: &mut String) -> bool {
    const CANCEL: &str = "$/cancelRequest";
    let Some(params) = record.payload(text, Label::Params) else {
        // Without its target a cancel would look like a malformed one.
        return header.method != CANCEL || record.empty || !told.payloads;
    };
    // LSP4J prints parameters that are absent as null.
    if params == "null" && matches!(told.dialect, Dialect::Lsp4j | Dialect::Lsp4ij | Dialect::Gopls | Dialect::LspMode)
    {
        return true;
    }
    json.push_str(",\"params\":");
    match unquoted_target(params).filter(|_| header.method == CANCEL) {
        Some((before, id, after)) => [before, id, after].into_iter().for_each(|part| json.push_str(part)),
        None => json.push_str(params),
    }
    true
}

fn response(record: &Record, header: &Header<'_>, text: &str, told: &Told, json: &mut String) {
    let payload = |label| record.payload(text, label).filter(|payload| *payload != "null");
    if let Some(at) = header.failed() {
        let start = header.rest.as_ptr() as usize - text.as_ptr() as usize + at;
        let end = record.payloads.first().map_or(text.len(), |(_, range)| range.start);
        let message = text[start..end].trim_end().trim_end_matches("Error data:");
        return error(message_and_code(message), payload(Label::ErrorData), json);
    }
    if let Some(whole) = payload(Label::Error) {
        json.push_str(",\"error\":");
        return json.push_str(whole);
    }
    if let Some(data) = payload(Label::ErrorData) {
        return error(("", None), Some(data), json);
    }
    // Some writers say parameters where they mean the result.
    let result = record.payload(text, Label::Result).or(record.payload(text, Label::Params));
    match result {
        Some(result) if told.dialect == Dialect::LspMode && is_error(result) => json.push_str(",\"error\":"),
        // VS Code prints a result, or that there is none; where it prints neither, it was an error without data.
        None if !record.empty && told.payloads && matches!(told.dialect, Dialect::VsCode | Dialect::VsCodeChannel) => {
            return error(("", None), None, json);
        }
        _ => json.push_str(",\"result\":"),
    }
    json.push_str(result.unwrap_or("null"));
}

fn error((message, code): (&str, Option<&str>), data: Option<&str>, json: &mut String) {
    json.push_str(",\"error\":{");
    if let Some(code) = code {
        json.push_str("\"code\":");
        json.push_str(code);
        json.push(',');
    }
    json.push_str("\"message\":");
    push_string(json, message);
    if let Some(data) = data {
        json.push_str(",\"data\":");
        json.push_str(data);
    }
    json.push('}');
}
