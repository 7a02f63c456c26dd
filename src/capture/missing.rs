//! What a log does not show, said at the place where it is missing.
//!
//! A reader hands on a stretch and decides nothing: what cannot be concluded for its sake is settled in one place,
//! by the ledger of `session` and the auditor of `rules`.

/// Why a stretch of a log does not show what passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Why {
    /// What was before the log.
    Head,
    /// What came after it.
    Tail,
    /// Whoever recorded it says that messages were lost, or numbers of records are missing.
    Gap,
    /// What stands at this place is about a message that no record shows.
    Unrecorded,
    /// Text that looks like messages and was not understood.
    Unread,
    /// The log itself was cut: a last line without its end, a compressed file without its end.
    Torn,
    /// A kind of message that the log leaves out.
    Dropped,
    /// To which connection the message at this place belongs, or who sent it, was guessed.
    Guessed,
    /// From here on the records of several connections stand in one stream and nothing tells them apart.
    Mixed,
    /// From here on the log goes back in time behind a file that was read before it.
    Behind,
    /// A filter took a part of the message at this place out, and left a word.
    TakenOut,
    /// What looks like a message at this place may be none: the log does not say who sent it, as it does of others.
    Doubtful,
    /// What looks like a message at this place may be none: it has no `jsonrpc` and members that JSON-RPC does not know, or stands
    /// beside such.
    Foreign,
    /// The message right behind this place says what one before it says, at the same time: it may be that record, delivered twice.
    Twice,
    /// Where the message right behind this place belongs is not told: its time contradicts where it stands, or it stands beside what it
    /// should stand behind.
    Unordered,
    /// When the answer right behind this place came is not told: it stands where it can first have come.
    Untimed,
    /// The log shows what followed from records that it lacks: it was sampled, or lost some anywhere.
    Sampled,
}

impl Why {
    /// All of them.
    pub const ALL: [Why; 17] = [
        Why::Head,
        Why::Tail,
        Why::Gap,
        Why::Unrecorded,
        Why::Unread,
        Why::Torn,
        Why::Dropped,
        Why::Guessed,
        Why::Mixed,
        Why::Behind,
        Why::TakenOut,
        Why::Doubtful,
        Why::Foreign,
        Why::Twice,
        Why::Unordered,
        Why::Untimed,
        Why::Sampled,
    ];

    /// The word used in the database, in recordings and in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Why::Head => "head",
            Why::Tail => "tail",
            Why::Gap => "gap",
            Why::Unrecorded => "unrecorded",
            Why::Unread => "unread",
            Why::Torn => "torn",
            Why::Dropped => "dropped",
            Why::Guessed => "guessed",
            Why::Mixed => "mixed",
            Why::Behind => "behind",
            Why::TakenOut => "taken-out",
            Why::Doubtful => "doubtful",
            Why::Foreign => "foreign",
            Why::Twice => "twice",
            Why::Unordered => "unordered",
            Why::Untimed => "untimed",
            Why::Sampled => "sampled",
        }
    }

    /// Reads the word back.
    pub fn from_name(name: &str) -> Option<Why> {
        Why::ALL.into_iter().find(|why| why.as_str() == name)
    }
}

/// A stretch of a log that does not show what passed. The frame that holds it says where it begins and, by its direction,
/// whose messages are missing; [`super::Frame::WHOLE_SOURCE`] as its channel says that any connection may miss them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing<'a> {
    /// Why.
    pub why: Why,
    /// How many messages, where known.
    pub lost: Option<u64>,
    /// The last line of the stretch, where it is longer than the line of its frame.
    pub to_line: Option<u64>,
    /// What stands there, or what the reader has to say about it; may be empty.
    pub words: &'a str,
}

impl<'a> Missing<'a> {
    /// A stretch of which nothing else is known.
    pub const fn new(why: Why) -> Missing<'a> {
        Missing { why, lost: None, to_line: None, words: "" }
    }

    /// It was guessed whose message stands here, and it is a notification: whoever misses it lacks no request and no answer.
    pub const fn of_notification() -> Missing<'a> {
        Missing { lost: Some(0), ..Missing::new(Why::Guessed) }
    }

    /// True if what may be missing neither asks nor answers.
    pub fn notifies(&self) -> bool {
        self.why == Why::Guessed && self.lost == Some(0)
    }
}
