//! The `error` member of a response.

use serde_json::value::RawValue;

use super::Id;
use super::message::ErrorObject;
use crate::json::lenient_string;

/// What the `error` member of a response was.
pub(super) enum ErrorMember<'a> {
    Object { error: Box<ErrorObject<'a>>, sound: bool },
    Null,
    Other,
}

impl<'a> ErrorMember<'a> {
    /// By the text of the member. Errors are rare and small: the second pass over one costs less than a visitor of its own would.
    pub(super) fn of(raw: &'a str) -> ErrorMember<'a> {
        match raw.as_bytes().first() {
            Some(b'{') => error_object(raw),
            _ if raw == "null" => ErrorMember::Null,
            _ => ErrorMember::Other,
        }
    }
}

fn error_object(raw: &str) -> ErrorMember<'_> {
    #[derive(serde::Deserialize)]
    struct Members<'a> {
        #[serde(borrow, default)]
        code: Option<&'a RawValue>,
        #[serde(borrow, default)]
        message: Option<&'a RawValue>,
        #[serde(borrow, default)]
        data: Option<&'a RawValue>,
    }
    let Ok(members) = serde_json::from_str::<Members<'_>>(raw) else {
        return ErrorMember::Object { error: Box::default(), sound: false };
    };
    let code = members.code.and_then(|raw| match Id::from_json(raw.get()) {
        Some(Id::Int(code)) => Some(code),
        _ => None,
    });
    let message = members.message.filter(|raw| raw.get().starts_with('"')).map(|raw| lenient_string(raw.get()));
    ErrorMember::Object {
        error: Box::new(ErrorObject { code, message, data: members.data.map(RawValue::get) }),
        sound: true,
    }
}
