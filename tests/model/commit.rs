//! How each fault is committed, moment by moment.

use rpctape::protocol::Side;

use super::fault::{ID, Moment, TOKEN, TWIN};
use super::sim::{Deed, Kind, Meaning, Sim};
use super::speech::{error, notification, result};
use super::turn::permission;

impl Sim {
    pub fn moment(&mut self, moment: Moment) {
        match &self.code()[..3] {
            "CAN" => self.cancel_fault(moment),
            "SES" => self.turn_fault(moment),
            "PRG" => self.progress_fault(moment),
            _ => self.answer_fault(moment),
        }
    }

    /// The issuer cancels; what the fault is comes after that.
    fn cancel_rigged(&mut self) -> usize {
        let request = self.rigged();
        let text = self.speech.cancel(&self.requests[request].id).unwrap_or_default();
        self.requests[request].cancel_sent = true;
        let message = self.send(self.requests[request].issuer, text, Meaning::Cancel(request));
        if let Some(sabotage) = &mut self.sabotage {
            sabotage.first = message;
        }
        message
    }

    fn cancel_fault(&mut self, moment: Moment) {
        let request = self.rigged();
        let issuer = self.requests[request].issuer;
        match (self.code(), moment) {
            ("CAN001" | "CAN002", Moment::Came) => {
                self.strike_later(1);
                self.later(4000, 4500, Deed::Answer(request));
            }
            ("CAN001" | "CAN002", Moment::Step(1)) => self.say_guilty(issuer.peer(), self.speech.cancel(ID)),
            ("CAN003", Moment::Step(1)) => {
                let text = self.speech.cancel(&self.requests[request].id);
                self.say_guilty(issuer, text);
            }
            ("CAN005", Moment::Came) => self.strike_soon(1),
            ("CAN005", Moment::Step(1)) => {
                let message = self.reply_result(request);
                if let Some(sabotage) = &mut self.sabotage {
                    sabotage.first = message;
                }
            }
            ("CAN005", Moment::Answered) => self.strike_later(2),
            ("CAN005", Moment::Step(2)) => {
                let text = self.speech.cancel(ID).unwrap_or_default();
                let message = self.send(issuer, text, Meaning::Nothing);
                self.guilty_if_late(message);
            }
            ("CAN006", Moment::Step(1)) => {
                self.cancel_rigged();
                self.strike_soon(2);
            }
            ("CAN006", Moment::Step(2)) => self.say_guilty(issuer, self.speech.cancel(ID)),
            ("CAN006", Moment::CancelCame) if self.speech.profile.answers_cancelled() => {
                self.later(3000, 3500, Deed::Answer(request));
            }
            ("CAN008", Moment::Step(1)) => {
                let foreign = ["notifications/cancelled", "$/cancelRequest", "$/cancel_request"];
                let own = self.speech.profile.cancel.map(|(method, _)| method);
                let list: Vec<&str> = foreign.into_iter().filter(|method| Some(*method) != own).collect();
                let method = *self.rng.pick(&list);
                let member = if method == "$/cancelRequest" { "id" } else { "requestId" };
                self.say_guilty(issuer, Some(notification(method, &format!(r#""{member}":{ID}"#))));
                self.later(3000, 3500, Deed::Answer(request));
            }
            ("CAN010" | "CAN012", Moment::Step(1)) => {
                self.cancel_rigged();
            }
            ("CAN010" | "CAN012", Moment::CancelCame) => self.strike_later(2),
            ("CAN010", Moment::Step(2)) => {
                let message = self.reply_result(request);
                self.guilty_if_late(message);
            }
            ("CAN012", Moment::Step(2)) => {
                let message = self.reply(request, error(ID, -32603));
                self.guilty_if_late(message);
            }
            ("CAN011", Moment::Step(1)) => {
                self.cancel_rigged();
                self.unanswered(request);
            }
            ("CAN013", Moment::Came) => self.strike_later(1),
            ("CAN013", Moment::Step(1)) => {
                let message = self.reply(request, error(ID, -32800));
                self.guilty(message);
            }
            ("CAN016", Moment::Step(1)) => {
                self.say_guilty(issuer, self.speech.cancel(ID));
                self.later(3000, 3500, Deed::Answer(request));
            }
            ("CAN030", Moment::Step(1)) => {
                self.say_guilty(issuer, self.speech.cancel(TWIN));
                self.later(3000, 3500, Deed::Answer(request));
            }
            _ => {}
        }
    }

    fn answer_fault(&mut self, moment: Moment) {
        let request = self.rigged();
        match (self.code(), moment) {
            ("RPC008", Moment::Came) => {
                self.reply_result(request);
                self.strike_later(1);
            }
            ("RPC008", Moment::Step(1)) => {
                let message = self.reply_result(request);
                self.guilty(message);
            }
            ("RPC012", Moment::Came) => self.strike_later(1),
            ("RPC012", Moment::Step(1)) => {
                let text = result(TWIN, &self.requests[request].ask.result);
                let message = self.reply(request, text);
                self.guilty(message);
            }
            ("RPC010", Moment::Came) => self.later(3000, 3500, Deed::Answer(request)),
            ("RPC011", Moment::Came) => {
                self.reply_result(request);
            }
            ("RPC011", Moment::Answered) => self.strike_later(1),
            ("RPC010" | "RPC011", Moment::Step(1)) => {
                let issuer = self.requests[request].issuer;
                let ask = self.requests[request].ask.clone();
                let again = self.rig(issuer, ID, ask, Kind::Plain, None);
                self.guilty(self.requests[again].message);
            }
            _ => {}
        }
    }

    fn progress_fault(&mut self, moment: Moment) {
        let request = self.rigged();
        match (self.code(), moment) {
            ("PRG001", Moment::Came) => {
                self.reply_result(request);
                self.strike_later(2);
            }
            ("PRG002", Moment::Step(1)) => {
                self.cancel_rigged();
            }
            ("PRG002", Moment::CancelCame) => self.strike_later(2),
            ("PRG004", Moment::Came) => {
                self.report_kind(request, "begin");
                self.later(5000, 5500, Deed::Answer(request));
                self.strike_later(2);
            }
            ("PRG004", Moment::Step(2)) => {
                let by = self.requests[request].issuer.peer();
                self.say_guilty(by, Some(self.speech.progress(TOKEN, 0.0, "report")));
            }
            ("PRG001", Moment::Step(2)) => {
                let message = self.report_kind(request, "report");
                self.guilty(message);
            }
            ("PRG002", Moment::Step(2)) => {
                let message = self.report_kind(request, "report");
                self.guilty_if_late(message);
            }
            ("PRG005", Moment::Came) => self.later(3000, 3500, Deed::Answer(request)),
            ("PRG005", Moment::Step(1)) => {
                let issuer = self.requests[request].issuer;
                let ask = self.requests[request].ask.clone();
                let again = self.rig(issuer, TWIN, ask, Kind::Plain, Some(TOKEN));
                self.guilty(self.requests[again].message);
            }
            _ => {}
        }
    }

    fn turn_fault(&mut self, moment: Moment) {
        let prompt = self.rigged();
        let id = self.requests[prompt].id.clone();
        match (self.code(), moment) {
            ("SES003", Moment::Came) => {
                self.rig(Side::Server, TWIN, permission(9), Kind::Permission(prompt), None);
            }
            ("SES003", Moment::Step(2)) => {
                self.cancel_rigged_turn(prompt);
                self.strike_soon(3);
            }
            ("SES003", Moment::Step(3)) => {
                let asked = (0..self.requests.len()).find(|at| self.requests[*at].kind == Kind::Permission(prompt));
                let message = self.reply_result(asked.unwrap_or_default());
                self.guilty(message);
            }
            ("SES003", Moment::Answered) if !self.requests[prompt].answered => {
                let stop = if self.speech.profile.revision == "2" { "{}" } else { r#"{"stopReason":"cancelled"}"# };
                self.reply(prompt, result(&id, stop));
            }
            (_, Moment::Step(1)) => self.cancel_rigged_turn(prompt),
            ("SES001" | "SES002", Moment::CancelCame) => self.strike_later(2),
            ("SES001", Moment::Step(2)) => {
                let message = self.reply(prompt, result(&id, r#"{"stopReason":"end_turn"}"#));
                self.guilty_if_late(message);
            }
            ("SES002", Moment::Step(2)) => {
                let message = self.reply(prompt, error(&id, -32603));
                self.guilty_if_late(message);
            }
            ("SES005", Moment::CancelCame) => {
                self.reply(prompt, result(&id, r#"{"stopReason":"cancelled"}"#));
                self.strike_later(2);
            }
            ("SES005", Moment::Step(2)) => {
                let message = self.say_update(prompt, "agent_message_chunk", "");
                self.guilty(message);
            }
            _ => {}
        }
    }

    fn cancel_rigged_turn(&mut self, prompt: usize) {
        let text = notification("session/cancel", r#""sessionId":"S9""#);
        let message = self.send(Side::Client, text, Meaning::TurnCancel(prompt));
        if let Some(sabotage) = &mut self.sabotage {
            sabotage.first = message;
        }
    }
}
