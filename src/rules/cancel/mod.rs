//! Rules about cancels.

pub mod response_after_cancel;
