//! gzip: members one behind the other, and the zeros with which tapes and block devices fill up what they keep.

use std::io::{BufRead, BufReader, Read, Result};

use flate2::bufread::GzDecoder;

/// The text of all members.
pub(crate) struct Gzip<R> {
    member: Option<GzDecoder<BufReader<R>>>,
}

impl<R: Read> Gzip<R> {
    /// The text from the start of the first member.
    pub(crate) fn new(packed: R) -> Gzip<R> {
        Gzip { member: Some(GzDecoder::new(BufReader::new(packed))) }
    }
}

impl<R: Read> Read for Gzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        while let Some(member) = &mut self.member {
            let got = member.read(buffer)?;
            if got > 0 || buffer.is_empty() {
                return Ok(got);
            }
            pass_zeros(member.get_mut())?;
            let more = !member.get_mut().fill_buf()?.is_empty();
            self.member = self.member.take().filter(|_| more).map(|member| GzDecoder::new(member.into_inner()));
        }
        Ok(0)
    }
}

fn pass_zeros(packed: &mut impl BufRead) -> Result<()> {
    loop {
        let read = packed.fill_buf()?;
        let zeros = read.iter().take_while(|byte| **byte == 0).count();
        if zeros == 0 {
            return Ok(());
        }
        packed.consume(zeros);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn packed(text: &str) -> Vec<u8> {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        writer.write_all(text.as_bytes()).expect("written");
        writer.finish().expect("finished")
    }

    fn text(packed: &[u8]) -> Result<String> {
        let mut text = String::new();
        Gzip::new(packed).read_to_string(&mut text).map(|_| text)
    }

    #[test]
    fn all_members_are_read_and_zeros_behind_them_are_passed_over() {
        let zeros = vec![0; 20_000];
        assert_eq!(text(&[packed("a"), packed("b"), zeros.clone()].concat()).expect("read"), "ab");
        assert_eq!(text(&[packed("a"), zeros, packed("b")].concat()).expect("read"), "ab");
    }

    #[test]
    fn what_ends_early_or_is_no_gzip_is_an_error() {
        let whole = packed("a text");
        assert!(text(&whole[..whole.len() - 4]).is_err());
        assert!(text(&[whole.clone(), whole[..5].to_vec()].concat()).is_err());
        assert!(text(&[whole, b"something else".to_vec()].concat()).is_err());
    }
}
