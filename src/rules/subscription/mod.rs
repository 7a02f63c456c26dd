//! Rules about subscriptions.

pub mod ack_not_first;
pub mod listen_result_data;
pub mod notification_without_subscription_id;
pub mod unrequested_type;
