//! How a screen looks: its width, colour or none, and the eight ANSI colours. Meaning never rests on colour alone.

/// What is known of the place that will show the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// True to write ANSI colours.
    pub color: bool,
    /// True to keep our own text to ASCII.
    pub ascii: bool,
    /// Columns; `None` for no limit.
    pub width: Option<usize>,
}

impl Style {
    /// No colour, 100 columns: what a file or a test gets.
    pub const PLAIN: Style = Style { color: false, ascii: false, width: Some(100) };

    /// Columns for screens that need a limit.
    pub fn columns(&self) -> usize {
        self.width.unwrap_or(100).max(40)
    }

    /// Columns at which a sentence is broken: nowhere where there is no limit.
    pub fn wrap_at(&self) -> usize {
        self.width.unwrap_or(usize::MAX)
    }

    /// Text in a colour, where there is colour.
    pub fn paint(&self, ink: Ink, text: &str) -> String {
        if self.color && !text.is_empty() { format!("\x1b[{}m{text}\x1b[0m", ink.code()) } else { text.to_string() }
    }

    /// The word of a severity in its colour.
    pub fn severity(&self, severity: &str, text: &str) -> String {
        self.paint(Ink::of(severity), text)
    }
}

/// What a colour stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// Something is broken.
    Error,
    /// Something should not be so.
    Warning,
    /// Something to know.
    Note,
    /// A heading.
    Strong,
    /// Frames and labels.
    Faint,
}

impl Ink {
    fn code(self) -> &'static str {
        match self {
            Ink::Error => "1;31",
            Ink::Warning => "1;33",
            Ink::Note => "1;36",
            Ink::Strong => "1",
            Ink::Faint => "2",
        }
    }

    fn of(severity: &str) -> Ink {
        match severity {
            "error" => Ink::Error,
            "warning" => Ink::Warning,
            _ => Ink::Note,
        }
    }
}
