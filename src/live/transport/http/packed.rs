//! Bodies that cannot be unpacked: told as they are, so that nobody is blamed for what nobody could read.

use super::reply::{Broken, Reply};
use super::wire::{EOF, Wire};
use crate::live::Incoming;
use crate::live::link::{MESSAGE_BYTES, RESET};
use crate::live::transport::port::Gone;

impl Wire {
    /// Tells what is to be told of the rest of a body, and how it ended.
    pub(super) async fn broke(&self, stream: u32, broken: Broken) -> Result<&'static str, Gone> {
        let Broken::Packed(bytes) = broken else { return Ok(RESET) };
        let (bytes, encoding) = (bytes.into(), "gzip".to_string());
        self.report.tell(Incoming::Packed { stream: Some(stream), bytes, encoding }).await?;
        Ok(EOF)
    }

    /// A body that is packed in a way that cannot be undone: a stream piece by piece, for it may have no end.
    pub(super) async fn packed(
        &self,
        stream: u32,
        encoding: String,
        streams: bool,
        mut reply: Reply,
    ) -> Result<&'static str, Gone> {
        let mut body = Vec::new();
        loop {
            let (more, how) = match reply.chunk().await {
                Ok(Some(chunk)) => {
                    let room = MESSAGE_BYTES.saturating_sub(body.len());
                    body.extend_from_slice(&chunk[..chunk.len().min(room)]);
                    (true, EOF)
                }
                Ok(None) => (false, EOF),
                Err(_) => (false, RESET),
            };
            if (streams || !more) && !body.is_empty() {
                let (bytes, encoding) = (std::mem::take(&mut body), encoding.clone());
                self.report.tell(Incoming::Packed { stream: Some(stream), bytes, encoding }).await?;
            }
            if !more {
                return Ok(how);
            }
        }
    }
}
