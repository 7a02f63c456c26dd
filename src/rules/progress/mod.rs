//! Rules about progress.

pub mod partial_and_nonempty_final;
pub mod progress_after_cancel;
pub mod progress_after_response;
pub mod progress_bad_token_type;
pub mod progress_not_increasing;
pub mod progress_on_error_created_token;
pub mod progress_token_reused;
pub mod progress_unknown_token;
pub mod progress_wrong_direction;
pub mod workdone_cancel_unknown_token;
pub mod workdone_cancel_wrong_direction;
pub mod workdone_never_ended;
pub mod workdone_sequence;
