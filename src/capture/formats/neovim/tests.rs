//! Both forms of the log, several servers in one, and what is rendered comes back.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::capture::literal::Dialect;
use crate::capture::literal::render::render;
use crate::capture::testing::{read, read_as};
use crate::capture::{Direction, Skip};
use crate::protocol::Side;

const LOG: &str = "[START][2026-03-01 09:00:00] LSP logging initiated\n\
[INFO][2026-03-01 09:00:00] .../vim/lsp/rpc.lua:661\t\"Starting RPC client\"\t{  args = {},  cmd = \"/usr/bin/alphals\",  extra = {}}\n\
[DEBUG][2026-03-01 09:00:01] C:/Program Files/rpc.lua:285\t\"rpc.send\"\t{  id = 1,  jsonrpc = \"2.0\",  method = \"initialize\",  params = {    [\"end\"] = vim.empty_dict()  }}\n\
[DEBUG][2026-03-01 09:00:02] .../vim/lsp/rpc.lua:388\t\"rpc.receive\"\t{  id = 1,  jsonrpc = \"2.0\"}\n\
[DEBUG][2026-03-01 09:00:02] .../vim/lsp/client.lua:600\t\"LSP[alphals]\"\t\"client.request\"\t1\t\"textDocument/hover\"\t{  a = <function 1>}\n\
[ERROR][2026-03-01 09:00:02] .../vim/lsp/rpc.lua:733\t\"rpc\"\t\"alphals\"\t\"stderr\"\t\"V[09:00:02.000] <<< {}\\n\"\n\
[DEBUG][2026-03-01 09:00:03] .../vim/lsp/rpc.lua:285\t\"rpc.send\"\t{  id = 2,  method = ";

#[test]
fn messages_duplicates_and_a_cut_end() {
    let kept = read("neovim-lsp-log", LOG);
    let got: Vec<_> =
        kept.frames.iter().map(|frame| (frame.line, frame.direction, frame.json.as_deref().unwrap_or(""))).collect();
    let initialize = r#"{"id":1,"jsonrpc":"2.0","method":"initialize","params":{"end":{}}}"#;
    let want = [
        (3, Direction::By(Side::Client), initialize),
        (4, Direction::By(Side::Server), r#"{"id":1,"jsonrpc":"2.0","result":null}"#),
    ];
    assert_eq!(got, want);
    assert_eq!(
        kept.skipped,
        [(1, Skip::Header), (2, Skip::NotAMessage), (5, Skip::Duplicate), (6, Skip::NotAMessage), (7, Skip::CutOff)]
    );
    assert_eq!((kept.names(), kept.frames[0].at_us), (vec![Some("alphals")], Some(1_772_355_601_000_000)));
    let frame = &kept.frames[0];
    assert_eq!(&LOG[frame.byte_offset as usize..][..frame.text.len()], frame.text);
}

#[test]
fn the_form_before_0_6() {
    let kept = read(
        "neovim-lsp-log",
        "[ DEBUG ] 2021-08-12T19:17:02+0300 ] ...lsp/rpc.lua:264 ]\t\"rpc.send\"\t{  id = 1,  method = \"a\",  jsonrpc = \"2.0\"}\n",
    );
    assert_eq!((kept.frames.len(), kept.frames[0].at_us), (1, Some(1_628_785_022_000_000)));
}

#[test]
fn servers_are_told_apart_by_their_ids() {
    let line = |event: &str, lua: &str| format!("[DEBUG][2026-03-01 09:00:01] rpc.lua:1\t\"{event}\"\t{lua}\n");
    let log = [
        line("rpc.send", r#"{ id = 1, method = "initialize" }"#),
        line("rpc.receive", r#"{ id = 1, result = {} }"#),
        line("rpc.send", r#"{ id = 2, method = "a" }"#),
        line("rpc.send", r#"{ id = 1, method = "initialize" }"#),
        line("rpc.receive", r#"{ id = 1, result = {} }"#),
        line("rpc.send", r#"{ method = "didOpen", params = { x = 1 } }"#),
        line("rpc.send", r#"{ method = "didOpen", params = { x = 1 } }"#),
        line("rpc.send", r#"{ id = 3, method = "b" }"#),
        line("rpc.receive", r#"{ id = "q", method = "c" }"#),
        line("rpc.send", r#"{ id = 2, method = "d" }"#),
        line("rpc.send", r#"{ id = "q", result = {} }"#),
        line("rpc.send", r#"{ method = "$/cancelRequest", params = { id = 3 } }"#),
    ];
    let kept = read("neovim-lsp-log", &log.concat());
    let of = |is_message: bool| kept.frames.iter().filter(move |frame| frame.json.is_some() == is_message);
    let channels: Vec<_> = of(true).map(|frame| frame.channel).collect();
    assert_eq!(channels, [0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 0, 0]);
    let guessed: Vec<_> = of(false).map(|frame| (frame.line, frame.channel)).collect();
    assert_eq!(guessed, [6, 7, 9, 11].map(|line| [(line, 0), (line, 1)]).concat(), "either server's");
}

fn message() -> impl Strategy<Value = Value> {
    let text = "\\PC{0,20}";
    (0i64..99, text, text).prop_map(|(id, key, text)| json!({"jsonrpc": "2.0", "id": id, "method": "m", "params": {"a": {key: [text, null, {}, []]}}}))
}

proptest! {
    #[test]
    fn messages_come_back_as_they_were(messages in proptest::collection::vec(message(), 1..8), old in any::<bool>()) {
        let head = if old { "[ DEBUG ] 2021-08-12T19:17:02+0300 ] x.lua:1 ]" } else { "[DEBUG][2026-03-01 09:00:01] x.lua:1" };
        let log: String = messages.iter().map(|message| format!("{head}\t\"rpc.send\"\t{}\r\n", render(Dialect::Lua, message, ""))).collect();
        let kept = read("neovim-lsp-log", &log);
        let got: Vec<Value> = kept.frames.iter().map(|frame| serde_json::from_str(frame.json.as_deref().unwrap_or("")).expect("JSON")).collect();
        prop_assert_eq!(got, messages);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), tail in "[{}\\[\\]\"=<> ,a-z0-9\\\\\\t]{0,80}") {
        read_as("neovim-lsp-log", &bytes);
        read_as("neovim-lsp-log", format!("[DEBUG][2026-03-01 09:00:01] x\t\"rpc.send\"\t{{{tail}\n[ERROR][{tail}").as_bytes());
    }
}
