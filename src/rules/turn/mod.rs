//! Rules about prompt turns and their cancels.

pub mod cancel_turned_into_error;
pub mod cancel_without_cancelled_stop;
pub mod permission_not_cancelled;
pub mod permission_unanswered;
pub mod update_after_cancelled_turn;
