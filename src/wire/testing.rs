//! Streams cut into chunks, for the property that what is read depends on the bytes alone.

/// The bytes in chunks of these sizes, over and over again.
pub(crate) fn chunks<'b>(mut bytes: &'b [u8], sizes: &[usize]) -> Vec<&'b [u8]> {
    let (mut chunks, mut sizes) = (Vec::new(), sizes.iter().cycle());
    while !bytes.is_empty() {
        let size = sizes.next().copied().unwrap_or(usize::MAX).max(1);
        let (chunk, rest) = bytes.split_at(bytes.len().min(size));
        chunks.push(chunk);
        bytes = rest;
    }
    chunks
}
