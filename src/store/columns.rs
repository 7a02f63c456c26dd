//! Rows as they are written: the columns of a frame, and those of an exchange.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use super::codes::kind;
use super::spool::{Pack, Unpack};

/// A frame, column by column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FrameColumns<'a> {
    pub id: i64,
    pub connection: Option<i64>,
    pub seq: i64,
    pub source: i64,
    pub line: i64,
    pub byte_offset: i64,
    pub at_us: Option<i64>,
    pub direction: i64,
    pub kind: i64,
    pub method: Option<&'a str>,
    pub rpc_id: RpcId<'a>,
    pub error_code: Option<i64>,
    pub bytes: i64,
    pub extra: Option<&'a str>,
    pub body: Text<'a>,
    pub json: Option<&'a str>,
}

/// A payload.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Text<'a> {
    None,
    Utf8(&'a str),
    Bytes(&'a [u8]),
    /// UTF-8 that stands in the log, at the frame's place: so many bytes, with this hash.
    InFile(usize, u64),
}

impl<'a> Text<'a> {
    /// Its length in bytes.
    pub(super) fn length(&self) -> usize {
        match self {
            Text::None => 0,
            Text::InFile(length, _) => *length,
            Text::Utf8(text) => text.len(),
            Text::Bytes(bytes) => bytes.len(),
        }
    }

    /// Its beginning: no more than so many bytes, whole characters.
    pub(super) fn head(self, bytes: usize) -> Text<'a> {
        match self {
            _ if bytes == 0 => Text::None,
            Text::None | Text::InFile(..) => self,
            Text::Utf8(text) => {
                let ends = (0..=bytes.min(text.len())).rev();
                Text::Utf8(ends.filter_map(|end| text.get(..end)).next().unwrap_or_default())
            }
            Text::Bytes(all) => Text::Bytes(&all[..bytes.min(all.len())]),
        }
    }

    /// The same by its place, where it can be read again.
    pub(super) fn by_place(self, in_file: bool) -> Text<'a> {
        match self {
            Text::Utf8(text) if in_file => Text::InFile(text.len(), hash(text.as_bytes())),
            other => other,
        }
    }
}

/// An id of a request or of its answer: an integer, or any other as JSON text in one spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum RpcId<'a> {
    None,
    Int(i64),
    Text(&'a str),
}

impl<'a> FrameColumns<'a> {
    /// Puts all but the id behind `bytes`.
    pub(super) fn pack(&self, bytes: &mut Vec<u8>) {
        let mut pack = Pack(bytes);
        // What is looked for comes first.
        pack.number(self.kind);
        pack.maybe(self.connection);
        match &self.rpc_id {
            RpcId::None => pack.number(0),
            RpcId::Int(number) => {
                pack.number(1);
                pack.number(*number);
            }
            RpcId::Text(text) => {
                pack.number(2);
                pack.bytes(text.as_bytes());
            }
        }
        pack.number(self.seq);
        pack.number(self.source);
        pack.number(self.line);
        pack.number(self.byte_offset);
        pack.maybe(self.at_us);
        pack.number(self.direction);
        pack.text(self.method);
        pack.maybe(self.error_code);
        pack.number(self.bytes);
        pack.text(self.extra);
        match self.body {
            Text::None => pack.number(0),
            Text::Utf8(text) => {
                pack.number(1);
                pack.bytes(text.as_bytes());
            }
            Text::Bytes(bytes) => {
                pack.number(2);
                pack.bytes(bytes);
            }
            Text::InFile(length, hash) => {
                pack.number(3);
                pack.number(length as i64);
                pack.number(hash as i64);
            }
        }
        pack.text(self.json);
    }

    /// Connection and id of a frame that was packed, where it is a request.
    pub(super) fn request(bytes: &'a [u8]) -> Option<(i64, RpcId<'a>)> {
        let mut from = Unpack(bytes);
        (from.number() == kind::REQUEST).then(|| (from.maybe(), rpc_id(&mut from))).and_then(|(connection, id)| {
            let connection = connection.filter(|_| id != RpcId::None)?;
            Some((connection, id))
        })
    }

    /// The frame that [`FrameColumns::pack`] was given.
    pub(super) fn unpack(id: u64, bytes: &'a [u8]) -> FrameColumns<'a> {
        let mut from = Unpack(bytes);
        FrameColumns {
            id: id as i64,
            kind: from.number(),
            connection: from.maybe(),
            rpc_id: rpc_id(&mut from),
            seq: from.number(),
            source: from.number(),
            line: from.number(),
            byte_offset: from.number(),
            at_us: from.maybe(),
            direction: from.number(),
            method: from.text(),
            error_code: from.maybe(),
            bytes: from.number(),
            extra: from.text(),
            body: match from.number() {
                0 => Text::None,
                1 => Text::Utf8(utf8(from.bytes())),
                2 => Text::Bytes(from.bytes()),
                _ => Text::InFile(from.number() as usize, from.number() as u64),
            },
            json: from.text(),
        }
    }
}

fn rpc_id<'a>(from: &mut Unpack<'a>) -> RpcId<'a> {
    match from.number() {
        0 => RpcId::None,
        1 => RpcId::Int(from.number()),
        _ => RpcId::Text(utf8(from.bytes())),
    }
}

fn utf8(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or("")
}

/// By which a text is known again.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

/// An exchange, column by column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ExchangeColumns<'a> {
    pub request: i64,
    pub issuer: i64,
    pub response: Option<i64>,
    pub parent: Option<i64>,
    pub outcome: i64,
    pub profile: i64,
    pub settled: Option<i64>,
    pub history: &'a str,
    pub name: Option<&'a str>,
    pub last_progress: Option<i64>,
}

impl<'a> ExchangeColumns<'a> {
    /// Puts all but the request behind `bytes`, and the connection that it belongs to.
    pub(super) fn pack(&self, connection: u32, bytes: &mut Vec<u8>) {
        let mut pack = Pack(bytes);
        pack.number(i64::from(connection));
        pack.maybe(self.response);
        pack.number(self.issuer);
        pack.maybe(self.parent);
        pack.number(self.outcome);
        pack.number(self.profile);
        pack.maybe(self.settled);
        pack.bytes(self.history.as_bytes());
        pack.text(self.name);
        pack.maybe(self.last_progress);
    }

    /// The connection and the exchange that [`ExchangeColumns::pack`] was given.
    pub(super) fn unpack(request: u64, bytes: &'a [u8]) -> (u32, ExchangeColumns<'a>) {
        let mut from = Unpack(bytes);
        let (connection, response, issuer) = (from.number() as u32, from.maybe(), from.number());
        let exchange = ExchangeColumns {
            request: request as i64,
            issuer,
            response,
            parent: from.maybe(),
            outcome: from.number(),
            profile: from.number(),
            settled: from.maybe(),
            history: utf8(from.bytes()),
            name: from.text(),
            last_progress: from.maybe(),
        };
        (connection, exchange)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_out_as_they_went_in() {
        let few = FrameColumns {
            id: 7,
            connection: None,
            seq: 0,
            source: 1,
            line: 2,
            byte_offset: 3,
            at_us: None,
            direction: 4,
            kind: 8,
            method: None,
            rpc_id: RpcId::None,
            error_code: None,
            bytes: 0,
            extra: None,
            body: Text::None,
            json: None,
        };
        let many = FrameColumns {
            connection: Some(9),
            at_us: Some(-1),
            method: Some("tools/call"),
            rpc_id: RpcId::Text("\"a\""),
            error_code: Some(-32800),
            extra: Some("{}"),
            body: Text::Utf8("{\"id\":\"a\"}"),
            json: Some("{}"),
            ..few
        };
        let odd = FrameColumns { rpc_id: RpcId::Int(-3), body: Text::Bytes(b"\xff{"), ..many };
        let placed = FrameColumns { body: Text::Utf8("{}").by_place(true), ..many };
        assert_eq!(placed.body, Text::InFile(2, hash(b"{}")));
        for frame in [few, many, odd, placed] {
            let mut bytes = Vec::new();
            frame.pack(&mut bytes);
            assert_eq!(FrameColumns::unpack(7, &bytes), frame);
        }
        let exchange = ExchangeColumns {
            request: 7,
            issuer: 1,
            response: Some(9),
            parent: None,
            outcome: 5,
            profile: 3,
            settled: None,
            history: "Rx",
            name: Some("shell"),
            last_progress: Some(8),
        };
        let mut bytes = Vec::new();
        exchange.pack(12, &mut bytes);
        assert_eq!(ExchangeColumns::unpack(7, &bytes), (12, exchange));
    }

    #[test]
    fn a_head_ends_with_a_whole_character() {
        assert_eq!(Text::Utf8("aä").head(2), Text::Utf8("a"));
        assert_eq!((Text::Utf8("aä").head(9), Text::Utf8("a").head(0)), (Text::Utf8("aä"), Text::None));
        assert_eq!(Text::Bytes(b"\xff\xfe").head(1), Text::Bytes(b"\xff"));
    }
}
