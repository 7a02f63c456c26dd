//! Rules about prompt turns and their cancels.

pub mod cancel_not_offered;
pub mod cancel_turned_into_error;
pub mod cancel_without_cancelled_stop;
pub mod choice_not_offered;
pub mod close_without_cancel;
pub mod closed_at_work;
pub mod empty_prompt;
pub mod ended_cancel_offered;
pub mod ended_cancel_taken;
pub mod kind_not_declared;
pub mod overlapping_prompts;
pub mod permission_not_cancelled;
pub mod permission_unanswered;
pub mod prompt_cancelled_without_cancel;
pub mod prompt_without_stop_reason;
pub mod relative_path;
pub mod session_cancel_from_agent;
pub mod session_cancel_idle;
pub mod session_cancel_unknown_session;
pub mod session_not_set_up;
pub mod terminal_after_release;
pub mod update_after_cancelled_turn;
pub mod v2_no_idle_state;
