//! The rules: one file and one page each, same name. Pure functions of one event; they keep no state.

mod auditor;
mod charge;
mod coverage;
mod narrower;
mod occasion;
mod occur;
mod rule;

mod cancel;
mod capture;
mod document;
mod hop;
mod lifecycle;
mod payload;
mod progress;
mod rpc;
mod schema;
mod stuck;
mod subscription;
mod task;
mod transport;
mod turn;

pub use crate::finding::{Absence, Whose};
pub use auditor::{Auditor, Left, Seized, Selection, Undecided, rests_on_order, still_proven};
pub use charge::{Charge, charge};
pub use coverage::{Covered, Exercised, Standing, coverage, rule_of, totals};
pub use occasion::{Duty, Occasions};
pub use rule::{Build, On, Rule, found, found_by, noted, race_text, reserved};

/// All rules, in the order of their codes. Registering a rule is one line here.
pub static RULES: &[&Rule] = &[
    &cancel::cancel_wrong_direction::RULE,
    &cancel::server_cancel_forbidden::RULE,
    &cancel::initialize_cancelled::RULE,
    &cancel::cancel_unknown_id::RULE,
    &cancel::cancel_of_completed::RULE,
    &cancel::duplicate_cancel::RULE,
    &cancel::malformed_cancel::RULE,
    &cancel::cancel_dialect_mismatch::RULE,
    &cancel::response_after_cancel::RULE,
    &cancel::cancelled_never_answered::RULE,
    &cancel::wrong_error_code_on_cancel::RULE,
    &cancel::cancelled_code_without_cancel::RULE,
    &cancel::server_cancelled_unsupported::RULE,
    &cancel::cancel_before_capabilities::RULE,
    &cancel::cancel_without_capability::RULE,
    &cancel::task_cancelled_by_notification::RULE,
    &cancel::cascade_incomplete::RULE,
    &cancel::new_nested_after_cancel::RULE,
    &cancel::cancel_notification_on_http::RULE,
    &cancel::message_after_cancel::RULE,
    &cancel::listen_teardown_signal::RULE,
    &cancel::cancel_without_reason::RULE,
    &cancel::disconnect_treated_as_cancel::RULE,
    &cancel::retry_without_cancel::RULE,
    &cancel::cancel_id_type_mismatch::RULE,
    &capture::capture_starts_midway::RULE,
    &capture::capture_ends_open::RULE,
    &capture::clock_runs_backwards::RULE,
    &capture::revision_unknown::RULE,
    &capture::jsonrpc_member_dropped::RULE,
    &capture::no_usable_time::RULE,
    &capture::possible_secret::RULE,
    &document::document_opened_twice::RULE,
    &document::document_not_open::RULE,
    &document::version_not_increasing::RULE,
    &document::unchanged_without_result_id::RULE,
    &hop::cancel_not_forwarded::RULE,
    &hop::cancelled_but_ran::RULE,
    &hop::answered_ahead::RULE,
    &hop::shorter_patience::RULE,
    &lifecycle::request_before_initialize::RULE,
    &lifecycle::message_before_initialize_response::RULE,
    &lifecycle::server_message_too_early::RULE,
    &lifecycle::duplicate_initialize::RULE,
    &lifecycle::initialized_missing_or_early::RULE,
    &lifecycle::message_after_shutdown::RULE,
    &lifecycle::after_shutdown_wrong_answer::RULE,
    &lifecycle::not_initialized_wrong_code::RULE,
    &lifecycle::exit_before_shutdown_response::RULE,
    &lifecycle::removed_method::RULE,
    &lifecycle::missing_request_meta::RULE,
    &lifecycle::missing_meta_accepted::RULE,
    &lifecycle::missing_result_type::RULE,
    &lifecycle::server_initiated_request::RULE,
    &lifecycle::client_sent_response::RULE,
    &lifecycle::ping_answer::RULE,
    &lifecycle::mrtr_id_reused::RULE,
    &lifecycle::input_required_on_wrong_method::RULE,
    &lifecycle::capability_not_negotiated::RULE,
    &lifecycle::input_not_declared::RULE,
    &lifecycle::feature_not_declared::RULE,
    &lifecycle::cursor_not_issued::RULE,
    &lifecycle::logging_not_declared::RULE,
    &lifecycle::support_not_declared::RULE,
    &lifecycle::declared_not_served::RULE,
    &lifecycle::round_not_continued::RULE,
    &lifecycle::change_not_declared::RULE,
    &lifecycle::log_not_asked::RULE,
    &lifecycle::era_not_told::RULE,
    &lifecycle::name_dropped::RULE,
    &lifecycle::probe_skipped::RULE,
    &lifecycle::unregister_unknown::RULE,
    &lifecycle::shortfall_refused::RULE,
    &lifecycle::version_not_listed::RULE,
    &payload::meta_key_name::RULE,
    &payload::bad_tool_definition::RULE,
    &payload::bad_content::RULE,
    &payload::bad_elicitation::RULE,
    &payload::bad_sampling_message::RULE,
    &payload::bad_input_request::RULE,
    &payload::cache_hint_missing::RULE,
    &payload::root_not_file::RULE,
    &payload::structured_content_alone::RULE,
    &payload::error_data_missing::RULE,
    &payload::task_members_missing::RULE,
    &payload::cache_scope_changes::RULE,
    &payload::version_not_named::RULE,
    &payload::bad_uri::RULE,
    &payload::cursor_error_code::RULE,
    &payload::embedded_not_declared::RULE,
    &payload::empty_contents::RULE,
    &payload::tools_reordered::RULE,
    &payload::prompt_argument_missing::RULE,
    &payload::bad_range::RULE,
    &payload::bad_item::RULE,
    &payload::not_unique::RULE,
    &progress::progress_after_response::RULE,
    &progress::progress_after_cancel::RULE,
    &progress::progress_unknown_token::RULE,
    &progress::progress_not_increasing::RULE,
    &progress::progress_token_reused::RULE,
    &progress::progress_wrong_direction::RULE,
    &progress::progress_bad_token_type::RULE,
    &progress::workdone_sequence::RULE,
    &progress::workdone_never_ended::RULE,
    &progress::workdone_cancel_unknown_token::RULE,
    &progress::workdone_cancel_wrong_direction::RULE,
    &progress::partial_and_nonempty_final::RULE,
    &progress::progress_on_error_created_token::RULE,
    &rpc::invalid_json::RULE,
    &rpc::missing_jsonrpc::RULE,
    &rpc::result_and_error::RULE,
    &rpc::neither_result_nor_error::RULE,
    &rpc::bad_error_object::RULE,
    &rpc::null_request_id::RULE,
    &rpc::bad_id_type::RULE,
    &rpc::duplicate_response::RULE,
    &rpc::response_to_unknown_id::RULE,
    &rpc::id_reused_in_flight::RULE,
    &rpc::id_reused_in_session::RULE,
    &rpc::response_id_type_mismatch::RULE,
    &rpc::batch_forbidden::RULE,
    &rpc::initialize_in_batch::RULE,
    &rpc::empty_batch::RULE,
    &rpc::notification_with_id::RULE,
    &rpc::reserved_error_code::RULE,
    &rpc::dollar_request_not_rejected::RULE,
    &rpc::unclassifiable_message::RULE,
    &rpc::params_not_structured::RULE,
    &rpc::response_without_id::RULE,
    &rpc::batch_response_mismatch::RULE,
    &rpc::reply_to_notification::RULE,
    &rpc::reserved_method_name::RULE,
    &schema::params_off_schema::RULE,
    &schema::result_off_schema::RULE,
    &schema::tool_output_off_schema::RULE,
    &schema::tool_input_off_schema::RULE,
    &schema::form_off_schema::RULE,
    &turn::cancel_without_cancelled_stop::RULE,
    &turn::cancel_turned_into_error::RULE,
    &turn::permission_not_cancelled::RULE,
    &turn::permission_unanswered::RULE,
    &turn::update_after_cancelled_turn::RULE,
    &turn::session_cancel_unknown_session::RULE,
    &turn::session_cancel_idle::RULE,
    &turn::v2_no_idle_state::RULE,
    &turn::session_cancel_from_agent::RULE,
    &turn::close_without_cancel::RULE,
    &turn::overlapping_prompts::RULE,
    &turn::prompt_cancelled_without_cancel::RULE,
    &turn::choice_not_offered::RULE,
    &turn::kind_not_declared::RULE,
    &turn::relative_path::RULE,
    &turn::session_not_set_up::RULE,
    &turn::empty_prompt::RULE,
    &turn::prompt_without_stop_reason::RULE,
    &turn::terminal_after_release::RULE,
    &turn::cancel_not_offered::RULE,
    &turn::ended_cancel_taken::RULE,
    &turn::ended_cancel_offered::RULE,
    &turn::closed_at_work::RULE,
    &stuck::never_answered::RULE,
    &stuck::stuck_live::RULE,
    &stuck::head_of_line::RULE,
    &stuck::server_died::RULE,
    &task::cancel_terminal_accepted::RULE,
    &task::cancel_terminal_wrong_code::RULE,
    &task::cancelled_status_changed::RULE,
    &task::illegal_task_transition::RULE,
    &task::cancel_result_not_cancelled::RULE,
    &task::unknown_task_accepted::RULE,
    &task::tasks_cancel_without_capability::RULE,
    &task::tasks_result_early::RULE,
    &task::create_task_result_missing::RULE,
    &task::ext_cancel_ack_not_empty::RULE,
    &task::result_without_related_task::RULE,
    &task::task_augmentation_without_capability::RULE,
    &task::task_id_reused::RULE,
    &task::task_support_ignored::RULE,
    &transport::response_on_get_stream::RULE,
    &transport::broadcast::RULE,
    &transport::response_on_wrong_stream::RULE,
    &transport::session_header_missing::RULE,
    &transport::version_header::RULE,
    &transport::mirrored_headers::RULE,
    &transport::notification_status::RULE,
    &transport::response_content_type::RULE,
    &transport::ended_session_served::RULE,
    &transport::error_status::RULE,
    &transport::accept_header::RULE,
    &transport::get_accept::RULE,
    &transport::session_id_characters::RULE,
    &transport::not_by_post::RULE,
    &transport::header_value::RULE,
    &transport::bad_header_served::RULE,
    &transport::buffering_header::RULE,
    &subscription::ack_not_first::RULE,
    &subscription::notification_without_subscription_id::RULE,
    &subscription::unrequested_type::RULE,
    &subscription::listen_result_data::RULE,
];

/// A rule by code or name, without regard to case.
pub fn find(id: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.code.eq_ignore_ascii_case(id) || rule.name.eq_ignore_ascii_case(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::profiles;

    /// A rule without an occasion could never be said to be kept, and its side would be nobody.
    #[test]
    fn every_rule_about_a_side_has_a_duty() {
        for rule in RULES {
            let capture = rule.code.starts_with("CAP");
            assert_eq!(rule.duty == Duty::NONE, capture, "{}", rule.code);
            assert_eq!(rule.duty.on.words().is_empty(), capture, "{}", rule.code);
        }
    }

    /// Payloads are looked at again only for somebody who judges what is wrong with them.
    #[test]
    fn flaws_are_wanted_where_a_rule_about_them_runs() {
        let wants = |select: &[&str]| {
            let select = select.iter().map(ToString::to_string).collect();
            Auditor::new(&Selection { select, ..Selection::default() }).wants(On::Flawed)
        };
        assert!(!wants(&[]) && !wants(&["CAN", "SCH"]));
        assert!(wants(&["PAY"]) && wants(&["bad-tool-definition"]));
    }

    #[test]
    fn who_asks_for_rules_about_payloads_alone_is_told_where_they_are_not_looked_at() {
        let unheard = |select: &[&str], schema: bool| {
            let select = select.iter().map(ToString::to_string).collect();
            Selection { select, schema, ..Selection::default() }.unheard().map(str::to_string)
        };
        assert_eq!(unheard(&["CAN", "SCH001"], false).as_deref(), Some("SCH001"));
        assert_eq!(unheard(&["CAN", "SCH001"], true), None);
        assert_eq!(unheard(&["CAN", "all", "", "no-such-rule"], false), None);
    }

    /// A ruling without a rule would be a promise, a rule without a ruling would never speak.
    #[test]
    fn rulings_and_rules_belong_together() {
        for profile in profiles() {
            for ruling in profile.rulings {
                let code = ruling.rule.split('/').next().unwrap_or_default();
                let label = profile.label();
                assert!(find(code).is_some(), "{label}: {} has a rule", ruling.rule);
            }
        }
        for rule in RULES.iter().filter(|rule| !rule.code.starts_with("CAP")) {
            let ruled = profiles().any(|profile| profile.ruling(rule.code).is_some());
            let cases = || {
                profiles()
                    .flat_map(|profile| profile.rulings)
                    .any(|ruling| ruling.rule.split('/').next() == Some(rule.code))
            };
            assert!(ruled || cases(), "no profile has a ruling for {}", rule.code);
        }
    }
}
