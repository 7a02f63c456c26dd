//! The body of a response, piece by piece. Nothing packed was asked for; a server that packs it all the same is understood where that can
//! be undone on the way.

use std::io::Write;

use bytes::Bytes;
use flate2::write::MultiGzDecoder;
use reqwest::Response;
use reqwest::header::CONTENT_ENCODING;

use crate::wire::Coding;

/// A body that is being read.
pub(super) struct Reply {
    response: Response,
    unpacker: Option<MultiGzDecoder<Vec<u8>>>,
    /// The encoding, where it cannot be undone: what is read is packed then.
    pub(super) closed: Option<String>,
}

/// The rest of a body cannot be read.
#[derive(Debug)]
pub(super) enum Broken {
    /// It broke off.
    Off,
    /// It is not packed as its head says: its next piece.
    Packed(Bytes),
}

impl Reply {
    pub(super) fn new(response: Response) -> Reply {
        let header = response.headers().get(CONTENT_ENCODING).map(|value| String::from_utf8_lossy(value.as_bytes()));
        let (unpacker, closed) = match Coding::of(header.as_deref()) {
            Coding::Plain => (None, None),
            Coding::Gzip => (Some(MultiGzDecoder::new(Vec::new())), None),
            Coding::Closed(name) => (None, Some(name.to_string())),
        };
        Reply { response, unpacker, closed }
    }

    /// The next piece; `None` at the end.
    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>, Broken> {
        let chunk = self.response.chunk().await.map_err(|_| Broken::Off)?;
        match (chunk, &mut self.unpacker) {
            (Some(chunk), Some(unpacker)) => unpacked(unpacker, chunk).map(Some),
            (chunk, _) => Ok(chunk),
        }
    }
}

/// What a piece comes to. Nothing is held back for the next one: an event of a stream is read when it is there.
fn unpacked(unpacker: &mut MultiGzDecoder<Vec<u8>>, chunk: Bytes) -> Result<Bytes, Broken> {
    match unpacker.write_all(&chunk).and_then(|()| unpacker.flush()) {
        Ok(()) => Ok(std::mem::take(unpacker.get_mut()).into()),
        Err(_) => Err(Broken::Packed(chunk)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_event_of_a_packed_stream_is_there_at_once() {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        let mut unpacker = MultiGzDecoder::new(Vec::new());
        for event in ["data: 1\n\n", "data: 2\n\n"] {
            packer.write_all(event.as_bytes()).and_then(|()| packer.flush()).expect("packed");
            let packed = std::mem::take(packer.get_mut());
            assert_eq!(unpacked(&mut unpacker, packed.into()).expect("gzip"), event);
        }
        assert!(unpacked(&mut MultiGzDecoder::new(Vec::new()), Bytes::from_static(b"{\"jsonrpc\":\"2.0\"}")).is_err());
    }
}
