//! What is told before a message of which the log leaves something open: who sent it, whose it is, whether it is one, where it belongs.

use super::Out;
use crate::capture::place::Place;
use crate::capture::{Body, Frame, Missing, Why};
use crate::error::Result;

impl Out<'_> {
    /// Who sent the next message, its record and its method say otherwise.
    #[cold]
    pub(crate) fn sender_is_guessed(&mut self, place: &Place) -> Result<()> {
        self.suppose(place, Why::Guessed, "its record says that another side sent it than sends such messages")
    }

    /// Whether the next message was said twice or delivered twice, nothing tells.
    #[cold]
    pub(super) fn doubt(&mut self, place: &Place, why: Why) -> Result<()> {
        let words = match place.at_us {
            Some(_) => "it says what a record before it says, at the same time: it may have been delivered twice",
            None => "it says what a record before it says, and has no time: it may have been written twice",
        };
        self.suppose(place, why, words)
    }

    fn suppose(&mut self, place: &Place, why: Why, words: &str) -> Result<()> {
        let guess = Body::Missing(Missing { words, ..Missing::new(why) });
        self.sink.frame(&place.frame(self.source, guess))
    }

    /// The next message has no name of a connection: whichever it belongs to, the others may miss it.
    #[cold]
    pub(super) fn may_be_of_any(&mut self, place: &Place) -> Result<()> {
        let words = "it stands without the name of a connection, and others have one";
        let guess = Missing { words, ..Missing::new(Why::Guessed) };
        let anywhere = Place { channel: Frame::WHOLE_SOURCE, ..*place };
        self.sink.frame(&anywhere.frame(self.source, Body::Missing(guess)))
    }

    /// The next message may belong to any of these channels, its own among them. `notifies` where it is a notification.
    #[cold]
    pub(crate) fn whose_is_guessed(&mut self, place: &Place, channels: &[u32], notifies: bool) -> Result<()> {
        let words = "several servers live here, and nothing tells whose it is";
        let missing = if notifies { Missing::of_notification() } else { Missing::new(Why::Guessed) };
        for channel in channels {
            let guess = Body::Missing(Missing { words, ..missing });
            self.sink.frame(&Place { channel: *channel, ..*place }.frame(self.source, guess))?;
        }
        Ok(())
    }

    /// Where the next message belongs, nothing tells.
    #[cold]
    pub(super) fn unordered(&mut self, place: &Place) -> Result<()> {
        let words = "its place in the log and its time, or what it is about, contradict each other";
        let told = Body::Missing(Missing { words, ..Missing::new(Why::Unordered) });
        self.sink.frame(&place.frame(self.source, told))
    }
}
