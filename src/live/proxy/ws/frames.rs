//! WebSocket frames, read out of a copy of the bytes: messages put together, masks taken off.

use crate::live::tape::FRAME_BYTES;

/// What a side said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// A text or binary message. `length` is its length in bytes, of which at most the limit is kept.
    Message {
        bytes: Vec<u8>,
        length: u64,
        compressed: bool,
    },
    Ping,
    Pong,
    /// A close frame and its code, where it has one.
    Close(Option<u16>),
    /// These are no frames; nothing more is read.
    Broken,
}

/// Reads one direction.
#[derive(Debug, Default)]
pub(super) struct Frames {
    /// Bytes of a head that is not whole.
    head: Vec<u8>,
    frame: Option<Frame>,
    message: Vec<u8>,
    length: u64,
    compressed: bool,
    broken: bool,
}

/// The frame whose payload is being read.
#[derive(Clone, Copy, Debug)]
struct Frame {
    fin: bool,
    opcode: u8,
    left: u64,
    mask: Option<[u8; 4]>,
    /// How far into the payload the mask is.
    at: usize,
}

const CONTROL: u8 = 8;

impl Frames {
    /// A direction of which nothing more can be read.
    pub(super) fn broken() -> Frames {
        Frames { broken: true, ..Frames::default() }
    }

    /// Takes the next bytes.
    pub(super) fn push(&mut self, mut bytes: &[u8]) -> Vec<Said> {
        let mut said = Vec::new();
        while !self.broken {
            let Some(mut frame) = self.frame.take() else {
                match self.start(&mut bytes) {
                    Ok(true) => continue,
                    Ok(false) => return said,
                    Err(()) => {
                        self.broken = true;
                        said.push(Said::Broken);
                        return said;
                    }
                }
            };
            let size = usize::try_from(frame.left).unwrap_or(usize::MAX).min(bytes.len());
            let (piece, rest) = bytes.split_at(size);
            bytes = rest;
            self.take(piece, &mut frame);
            frame.left -= size as u64;
            if frame.left > 0 {
                self.frame = Some(frame);
                return said;
            }
            said.extend(self.end(frame));
        }
        said
    }

    /// Reads the head of a frame. False where it is not whole.
    fn start(&mut self, bytes: &mut &[u8]) -> Result<bool, ()> {
        loop {
            if let Some((frame, compressed)) = head(&self.head)? {
                self.head.clear();
                if frame.opcode < CONTROL && frame.opcode != 0 {
                    self.message.clear();
                    (self.length, self.compressed) = (0, false);
                }
                // A control frame may stand between the pieces of a message, and is never in pieces itself.
                if frame.opcode < CONTROL {
                    self.length += frame.left;
                    self.compressed |= compressed;
                }
                self.frame = Some(frame);
                return Ok(true);
            }
            let Some((first, rest)) = bytes.split_first() else { return Ok(false) };
            self.head.push(*first);
            *bytes = rest;
        }
    }

    /// A piece of payload: of a control frame into `head`, which is empty then, of a message into `message`.
    fn take(&mut self, piece: &[u8], frame: &mut Frame) {
        let to = if frame.opcode >= CONTROL { &mut self.head } else { &mut self.message };
        let room = FRAME_BYTES.saturating_sub(to.len());
        let kept = &piece[..piece.len().min(room)];
        match frame.mask {
            Some(mask) => to.extend(kept.iter().enumerate().map(|(at, byte)| byte ^ mask[(frame.at + at) % 4])),
            None => to.extend_from_slice(kept),
        }
        frame.at = (frame.at + piece.len()) % 4;
    }

    fn end(&mut self, frame: Frame) -> Option<Said> {
        match frame.opcode {
            8 => {
                let code = self.head.first_chunk().map(|code| u16::from_be_bytes(*code));
                self.head.clear();
                Some(Said::Close(code))
            }
            9 | 10 => {
                self.head.clear();
                Some(if frame.opcode == 9 { Said::Ping } else { Said::Pong })
            }
            _ if frame.fin => {
                let bytes = std::mem::take(&mut self.message);
                Some(Said::Message { bytes, length: std::mem::take(&mut self.length), compressed: self.compressed })
            }
            _ => None,
        }
    }
}

/// The head of a frame, where it is whole, and whether an extension has compressed what it begins.
fn head(bytes: &[u8]) -> Result<Option<(Frame, bool)>, ()> {
    let [first, second, ..] = *bytes else { return Ok(None) };
    let opcode = first & 15;
    if !matches!(opcode, 0..=2 | 8..=10) {
        return Err(());
    }
    let (length_at, mask_at) = match second & 127 {
        126 => (2, 4),
        127 => (2, 10),
        _ => (2, 2),
    };
    let masked = second & 128 != 0;
    if bytes.len() < mask_at + if masked { 4 } else { 0 } {
        return Ok(None);
    }
    let left = match mask_at - length_at {
        0 => u64::from(second & 127),
        _ => bytes[length_at..mask_at].iter().fold(0, |length, byte| length << 8 | u64::from(*byte)),
    };
    if opcode >= CONTROL && left > 125 {
        return Err(());
    }
    let mask = bytes[mask_at..].first_chunk().copied().filter(|_| masked);
    let frame = Frame { fin: first & 128 != 0, opcode, left, mask, at: 0 };
    Ok(Some((frame, first & 64 != 0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A frame as it stands on the wire.
    fn wire(fin: bool, opcode: u8, payload: &[u8], mask: Option<[u8; 4]>) -> Vec<u8> {
        let mut out = vec![if fin { 128 | opcode } else { opcode }];
        let flag = if mask.is_some() { 128 } else { 0 };
        match payload.len() {
            size @ 0..126 => out.push(flag | size as u8),
            size @ 126..65536 => {
                out.push(flag | 126);
                out.extend((size as u16).to_be_bytes());
            }
            size => {
                out.push(flag | 127);
                out.extend((size as u64).to_be_bytes());
            }
        }
        out.extend(mask.unwrap_or_default().iter().take(if mask.is_some() { 4 } else { 0 }));
        out.extend(payload.iter().enumerate().map(|(at, byte)| byte ^ mask.map_or(0, |mask| mask[at % 4])));
        out
    }

    fn message(text: &[u8]) -> Said {
        Said::Message { bytes: text.to_vec(), length: text.len() as u64, compressed: false }
    }

    #[test]
    fn messages_in_pieces_with_control_frames_between() {
        let mask = Some([1, 2, 3, 4]);
        let bytes = [
            wire(true, 1, b"{}", mask),
            wire(false, 1, b"ab", mask),
            wire(true, 9, b"hi", mask),
            wire(false, 0, b"", None),
            wire(true, 0, b"c", mask),
            wire(true, 10, b"", None),
            wire(true, 8, &[3, 232, b'x'], mask),
        ]
        .concat();
        let want = [message(b"{}"), Said::Ping, message(b"abc"), Said::Pong, Said::Close(Some(1000))];
        assert_eq!(Frames::default().push(&bytes), want);
        let mut frames = Frames::default();
        let single: Vec<Said> = bytes.iter().flat_map(|byte| frames.push(&[*byte])).collect();
        assert_eq!(single, want);
    }

    #[test]
    fn what_is_no_frame_ends_it() {
        let mut frames = Frames::default();
        assert_eq!(frames.push(b"\x07\x00"), [Said::Broken]);
        assert_eq!(frames.push(&wire(true, 1, b"{}", None)), []);
        assert_eq!(Frames::default().push(&[0x88, 126, 0, 200]), [Said::Broken]);
    }

    proptest! {
        #[test]
        fn where_it_is_split_does_not_matter(
            all in proptest::collection::vec((proptest::collection::vec(any::<u8>(), 0..300), any::<Option<[u8; 4]>>()), 0..6),
            size in 1usize..50,
        ) {
            let bytes: Vec<u8> = all.iter().flat_map(|(payload, mask)| wire(true, 2, payload, *mask)).collect();
            let want: Vec<Said> = all.iter().map(|(payload, _)| message(payload)).collect();
            let mut frames = Frames::default();
            let got: Vec<Said> = bytes.chunks(size).flat_map(|piece| frames.push(piece)).collect();
            prop_assert_eq!(got, want);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            Frames::default().push(&bytes);
        }
    }
}
