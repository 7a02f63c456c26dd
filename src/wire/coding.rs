//! Content encodings of HTTP, by the value of their header: gzip is undone, all else stays closed.

/// How a body is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding<'a> {
    /// Not at all.
    Plain,
    /// As gzip.
    Gzip,
    /// In another way, which is not undone here.
    Closed(&'a str),
}

impl Coding<'_> {
    /// Reads the header; a body without one is plain.
    pub fn of(header: Option<&str>) -> Coding<'_> {
        let name = header.unwrap_or_default().trim();
        match name.to_ascii_lowercase().as_str() {
            "" | "identity" => Coding::Plain,
            "gzip" | "x-gzip" => Coding::Gzip,
            _ => Coding::Closed(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_encodings() {
        assert_eq!(Coding::of(None), Coding::Plain);
        assert_eq!(Coding::of(Some(" Identity")), Coding::Plain);
        assert_eq!(Coding::of(Some("X-GZip ")), Coding::Gzip);
        assert_eq!(Coding::of(Some("gzip, br")), Coding::Closed("gzip, br"));
    }
}
