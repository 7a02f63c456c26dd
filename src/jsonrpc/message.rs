//! One JSON-RPC message as an envelope: what kind it is, its id, its method, and what is wrong with it.

use std::borrow::Cow;

use super::IdField;

/// What an envelope is, by the members it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `method` and `id` (whatever the id is).
    Request,
    /// `method` without `id`.
    Notification,
    /// A response with `result`.
    Result,
    /// A response with `error`, or one that has neither.
    Error,
    /// None of these.
    Unclassified,
}

impl Kind {
    /// True for both forms of a response.
    pub fn is_response(self) -> bool {
        matches!(self, Kind::Result | Kind::Error)
    }
}

/// One thing that is wrong with an envelope; each is a finding of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Defect {
    /// No `jsonrpc` member, or one that is not the string `2.0`.
    JsonrpcMember,
    /// ... but the string `1.0`: the message claims to be of JSON-RPC 1.0, which is not judged by 2.0.
    VersionOne,
    /// `result` and `error` in one response.
    ResultAndError,
    /// ... where the error was `null`: the style of JSON-RPC 1.0.
    NullErrorBesideResult,
    /// A response with neither `result` nor `error`.
    NeitherResultNorError,
    /// `error` that is no object with an integer `code` and a string `message`.
    ErrorObject,
    /// `params` that is neither object nor array.
    Params,
    /// `params: null`, common and mostly harmless.
    NullParams,
    /// `method` that is not a string.
    MethodType,
    /// No `method`, `id`, `result` or `error`.
    Unclassifiable,
    /// A member of the envelope that stands twice; the last one counts.
    DuplicateMember,
    /// No `jsonrpc` member, but one that JSON-RPC does not know: the message may be of another protocol.
    UnknownMember,
}

/// A set of [`Defect`]s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Defects(u16);

impl Defects {
    /// Adds one.
    pub fn add(&mut self, defect: Defect) {
        self.0 |= 1 << defect as u8;
    }
    /// True if `defect` was found.
    pub fn has(self, defect: Defect) -> bool {
        self.0 & (1 << defect as u8) != 0
    }
    /// True if nothing is wrong.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// The `error` member of a response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorObject<'a> {
    /// `error.code`, where it is an integer of 64 bits.
    pub code: Option<i64>,
    /// `error.message`, where it is a string.
    pub message: Option<Cow<'a, str>>,
    /// `error.data`, whole.
    pub data: Option<&'a str>,
}

/// One parsed message. It borrows from the text it was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    /// What the envelope is.
    pub kind: Kind,
    /// The `id` member.
    pub id: IdField,
    /// The raw spelling of the id, where there is one.
    pub id_text: Option<&'a str>,
    /// The `method` member, where it is a string.
    pub method: Option<Cow<'a, str>>,
    /// The `error` member, where it is an object. Few messages have one, and all are handed from function to function.
    pub error: Option<Box<ErrorObject<'a>>>,
    /// What is wrong with the envelope.
    pub defects: Defects,
}

impl<'a> Message<'a> {
    /// The same message with each text that it borrows replaced by what `text` gives for it. Texts are asked for in an order of
    /// their own that is always the same, so that they can be carried apart from the message.
    pub fn map_text<'b>(&self, text: &mut impl FnMut(&'a str) -> &'b str) -> Message<'b> {
        let Message { kind, id, id_text, method, error, defects } = self;
        Message {
            kind: *kind,
            id: id.clone(),
            id_text: id_text.map(&mut *text),
            method: map_cow(method.as_ref(), text),
            error: error.as_ref().map(|error| {
                let ErrorObject { code, message, data } = &**error;
                let message = map_cow(message.as_ref(), text);
                Box::new(ErrorObject { code: *code, message, data: data.map(&mut *text) })
            }),
            defects: *defects,
        }
    }
}

fn map_cow<'a, 'b>(cow: Option<&Cow<'a, str>>, text: &mut impl FnMut(&'a str) -> &'b str) -> Option<Cow<'b, str>> {
    cow.map(|cow| match cow {
        Cow::Borrowed(borrowed) => Cow::Borrowed(text(borrowed)),
        Cow::Owned(owned) => Cow::Owned(owned.clone()),
    })
}

/// What refuses the request itself: there is no such method, or it has other parameters.
const REFUSALS: [i64; 2] = [-32601, -32602];

impl Message<'_> {
    /// `error.code`, where there is one.
    pub fn error_code(&self) -> Option<i64> {
        self.error.as_ref().and_then(|error| error.code)
    }

    /// True if the text of its error speaks of a cancel or an abort, by a word of its own: names of tools have one in them. What refuses
    /// the request itself speaks of that.
    pub fn says_cancelled(&self) -> bool {
        let Some(text) = self.error.as_ref().and_then(|error| error.message.as_deref()) else { return false };
        let refuses = self.error_code().is_some_and(|code| REFUSALS.contains(&code));
        let text = text.to_lowercase();
        let mut words = text.split(|sign: char| !sign.is_alphanumeric() && sign != '_');
        !refuses && words.any(|word| !word.contains('_') && (word.contains("cancel") || word.contains("abort")))
    }

    /// The method, or the empty string.
    pub fn method(&self) -> &str {
        self.method.as_deref().unwrap_or("")
    }

    /// The same message with nothing borrowed but `'static` text; the id's spelling is dropped.
    pub fn into_owned(self) -> Message<'static> {
        Message {
            kind: self.kind,
            id: self.id,
            id_text: None,
            method: self.method.map(|method| Cow::Owned(method.into_owned())),
            error: self.error.map(|error| {
                let message = error.message.map(|text| Cow::Owned(text.into_owned()));
                Box::new(ErrorObject { code: error.code, message, data: None })
            }),
            defects: self.defects,
        }
    }
}
