//! Rows as they are written: the columns of a frame, and those of an exchange.

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

    /// Which of them it is, as a number.
    fn form(&self) -> i64 {
        match self {
            Text::None => 0,
            Text::Utf8(_) => 1,
            Text::Bytes(_) => 2,
            Text::InFile(..) => 3,
        }
    }

    fn unpack(from: &mut Unpack<'a>, form: i64) -> Text<'a> {
        match form {
            0 => Text::None,
            1 => Text::Utf8(utf8(from.bytes())),
            2 => Text::Bytes(from.bytes()),
            _ => {
                let [length, hash] = from.fixed();
                Text::InFile(length as usize, hash as u64)
            }
        }
    }

    /// The same by its place, where it can be read again: the hash of the text that stands there.
    pub(super) fn by_place(self, in_file: Option<u64>) -> Text<'a> {
        match (self, in_file) {
            (Text::Utf8(text), Some(hash)) => Text::InFile(text.len(), hash),
            (other, _) => other,
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

/// Which columns of a packed row are there, one bit each.
mod there {
    pub const CONNECTION: i64 = 1;
    pub const TIME: i64 = 1 << 1;
    pub const METHOD: i64 = 1 << 2;
    pub const ERROR_CODE: i64 = 1 << 3;
    pub const EXTRA: i64 = 1 << 4;
}

/// The small numbers of a packed row in one, a byte each: what is there, kind, direction, and the forms of id and body.
fn tags(of: [i64; 5]) -> i64 {
    of.iter().rev().fold(0, |all, tag| all << 8 | tag)
}

fn tag(tags: i64, place: u32) -> i64 {
    tags >> (8 * place) & 0xff
}

impl<'a> FrameColumns<'a> {
    /// Puts all but the id and the translation behind `bytes`, with this body. What every row has stands in its place: a check
    /// does this for each message.
    pub(super) fn pack(&self, body: Text<'_>, bytes: &mut Vec<u8>) {
        let mut pack = Pack(bytes);
        let id = i64::from(self.rpc_id != RpcId::None) + i64::from(matches!(self.rpc_id, RpcId::Text(_)));
        let tags = tags([self.there(), self.kind, self.direction, id, body.form()]);
        let (connection, at_us) = (self.connection.unwrap_or(0), self.at_us.unwrap_or(0));
        pack.fixed([tags, connection, self.seq, self.source, self.line, self.byte_offset, at_us, self.bytes]);
        match self.rpc_id {
            RpcId::None => {}
            RpcId::Int(number) => pack.fixed([number]),
            RpcId::Text(text) => pack.bytes(text.as_bytes()),
        }
        match body {
            Text::None => {}
            Text::InFile(length, hash) => pack.fixed([length as i64, hash as i64]),
            Text::Utf8(text) => pack.bytes(text.as_bytes()),
            Text::Bytes(bytes) => pack.bytes(bytes),
        }
        if let Some(code) = self.error_code {
            pack.fixed([code]);
        }
        for text in [self.method, self.extra].into_iter().flatten() {
            pack.bytes(text.as_bytes());
        }
    }

    fn there(&self) -> i64 {
        let bit = |is: bool, bit: i64| if is { bit } else { 0 };
        bit(self.connection.is_some(), there::CONNECTION)
            | bit(self.at_us.is_some(), there::TIME)
            | bit(self.method.is_some(), there::METHOD)
            | bit(self.error_code.is_some(), there::ERROR_CODE)
            | bit(self.extra.is_some(), there::EXTRA)
    }

    /// Connection and id of a frame that was packed, where it is a request.
    pub(super) fn request(bytes: &'a [u8]) -> Option<(i64, RpcId<'a>)> {
        let mut from = Unpack(bytes);
        let [tags, connection, ..] = from.fixed::<8>();
        let is_request = tag(tags, 1) == kind::REQUEST && tags & there::CONNECTION != 0;
        let id = if is_request { rpc_id(&mut from, tag(tags, 3)) } else { RpcId::None };
        (id != RpcId::None).then_some((connection, id))
    }

    /// The frame that [`FrameColumns::pack`] was given.
    pub(super) fn unpack(id: u64, bytes: &'a [u8]) -> FrameColumns<'a> {
        let mut from = Unpack(bytes);
        let [tags, connection, seq, source, line, byte_offset, at_us, length] = from.fixed();
        let is_there = |bit: i64| tags & bit != 0;
        FrameColumns {
            id: id as i64,
            connection: is_there(there::CONNECTION).then_some(connection),
            seq,
            source,
            line,
            byte_offset,
            at_us: is_there(there::TIME).then_some(at_us),
            direction: tag(tags, 2),
            kind: tag(tags, 1),
            rpc_id: rpc_id(&mut from, tag(tags, 3)),
            body: Text::unpack(&mut from, tag(tags, 4)),
            error_code: is_there(there::ERROR_CODE).then(|| from.fixed::<1>()[0]),
            method: is_there(there::METHOD).then(|| utf8(from.bytes())),
            extra: is_there(there::EXTRA).then(|| utf8(from.bytes())),
            json: None,
            bytes: length,
        }
    }
}

fn rpc_id<'a>(from: &mut Unpack<'a>, form: i64) -> RpcId<'a> {
    match form {
        0 => RpcId::None,
        1 => RpcId::Int(from.fixed::<1>()[0]),
        _ => RpcId::Text(utf8(from.bytes())),
    }
}

fn utf8(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or("")
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
            ..few
        };
        let odd = FrameColumns { rpc_id: RpcId::Int(-3), body: Text::Bytes(b"\xff{"), ..many };
        let placed = FrameColumns { body: Text::Utf8("{}").by_place(Some(7)), ..many };
        assert_eq!(placed.body, Text::InFile(2, 7));
        for frame in [few, many, odd, placed] {
            let mut bytes = Vec::new();
            frame.pack(frame.body, &mut bytes);
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
