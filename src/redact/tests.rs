use proptest::prelude::*;

use super::*;

fn text(text: &str) -> String {
    Redactor::default().text(text).into_owned()
}

#[test]
fn only_the_bytes_of_a_secret_are_replaced() {
    let cases = [
        (
            r#"{"id":1, "params":{"password" : "hunter2"}}"#,
            r#"{"id":1, "params":{"password" : "<<secret:password#1>>"}}"#,
        ),
        (
            r#"{"headers":{"Authorization":"Bearer abc"}}"#,
            r#"{"headers":{"Authorization":"Bearer <<secret:authz#1>>"}}"#,
        ),
        (
            r#"{"env":{"OPENAI_API_KEY":"k","GH_TOKEN":"t"}}"#,
            r#"{"env":{"OPENAI_API_KEY":"<<secret:api-key#1>>","GH_TOKEN":"<<secret:token#1>>"}}"#,
        ),
        (r#"["use sk-proj-0123456789abcdefghij now"]"#, r#"["use <<secret:api-key#1>> now"]"#),
        (r#"{"t":"a\nghp_abcdefghij0123456789\nb"}"#, r#"{"t":"a\n<<secret:token#1>>\nb"}"#),
        (r#"{"k":"AKIAIOSFODNN7EXAMPLE"}"#, r#"{"k":"<<secret:aws#1>>"}"#),
        (r#"{"u":"postgres://me:pa55@db/x"}"#, r#"{"u":"postgres://me:<<secret:password#1>>@db/x"}"#),
        (r#"{"u":"https://x/y?token=abcdef123&z=1"}"#, r#"{"u":"https://x/y?token=<<secret:token#1>>&z=1"}"#),
        (r#"{"name":"Cookie","value":"sid=1"}"#, r#"{"name":"Cookie","value":"<<secret:cookie#1>>"}"#),
        (r#"{"text":"{\"token\":\"\\u0061bc\"}"}"#, r#"{"text":"{\"token\":\"<<secret:token#1>>\"}"}"#),
        (
            r#"{"k":"-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\n"}"#,
            r#"{"k":"<<secret:private-key#1>>\n"}"#,
        ),
        (r#"{"password":"cut of"#, r#"{"password":"<<secret:password#1>>"#),
        ("Authorization: Bearer abc123", "Authorization: Bearer <<secret:authz#1>>"),
        ("login with password=hunter2 failed", "login with password=<<secret:password#1>> failed"),
        (
            r#"{"e":{"AWS_SECRET_ACCESS_KEY":"a/b","githubToken":"t","jwtSecret":"j"}}"#,
            r#"{"e":{"AWS_SECRET_ACCESS_KEY":"<<secret:api-key#1>>","githubToken":"<<secret:token#1>>","jwtSecret":"<<secret:secret#1>>"}}"#,
        ),
        (
            r#"{"t":"db:\n  host: x\n  password: correct-horse\n"}"#,
            r#"{"t":"db:\n  host: x\n  password: <<secret:password#1>>\n"}"#,
        ),
        (
            r#"{"t":"[a]\nAWS_SECRET_ACCESS_KEY = abcd1234\n"}"#,
            r#"{"t":"[a]\nAWS_SECRET_ACCESS_KEY = <<secret:api-key#1>>\n"}"#,
        ),
        ("export DB_PASSWORD=hunter2", "export DB_PASSWORD=<<secret:password#1>>"),
        (r#"{"a":"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln"}"#, r#"{"a":"<<secret:jwt#1>>"}"#),
    ];
    for (before, after) in cases {
        assert_eq!(text(before), after, "{before}");
    }
}

#[test]
fn the_hint_lets_nothing_through_that_would_be_found() {
    let known = vocabulary::NAMES.iter().filter(|(_, kind)| *kind != "secret-id").map(|(name, _)| (*name).to_string());
    let spelled =
        ["api_key", "client-secret", "access token", "Private-Key", "pass_word", "pass-phrase", "X-Auth-Token"];
    for name in known.chain(spelled.map(str::to_string)) {
        let message = format!("{{\"params\":{{\"{name}\":\"hush hush\"}}}}");
        assert_ne!(text(&message), message);
    }
    for spoken in [
        r#"{"message":"failed: X-Api-Key: zXqWvPjKbGxTzRqLmKjH"}"#,
        r#"{"text":"cookie=aB3dE5gH7jK9mN1pQ2rS"}"#,
        r#"{"text":"a,Basic dXNlcjpodW50ZXIy,b"}"#,
        r#"{"text":"use SSWS 00aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0z"}"#,
        r#"{"args":["--githubtoken","aB3dE5gH7jK9mN1pQ2rS"]}"#,
        r#"{"text":"password: {\"type\":\"hush5Hush\"}"}"#,
        r#"["mysql","-u","root","-phush5Hush","shop"]"#,
        r#"{"command":"/usr/bin/curl","args":["-s","-u","jo:hush5Hush","http://h/"]}"#,
        r#"{"argv":["sshpass","-p","my hush5Hush","ssh","h"]}"#,
        r#"{"id":"ghp_aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0z12345","event":"message"}"#,
        r#"{"q": 2, "k": "sse", "sse": {"id": "ghp_aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0z12345"}}"#,
    ] {
        assert_ne!(text(spoken), spoken);
    }
    for hidden in [r#"{"t":"sk\u002d0123456789abcdefghij"}"#, r#"{"t":"db:\/\/me:hush@host\/x"}"#] {
        assert_ne!(text(hidden), hidden);
    }
}

#[test]
fn what_is_no_secret_stays() {
    for same in [
        r#"{"jsonrpc":"2.0","id":"sk-abcdefghijklmnopqrstuvwx","method":"tools/call","params":{"maxTokens":5}}"#,
        r#"{"method":"$/progress","params":{"token":"abc","value":{"kind":"end"}}}"#,
        r#"{"params":{"_meta":{"progressToken":"abc"}}}"#,
        r#"{"inputSchema":{"properties":{"token":{"type":"string","description":"the token"}},"required":["token"]}}"#,
        r#"{"password":"","token":null,"secret":7}"#,
        r#"{"text":"bearer authentication is basic functionality"}"#,
        r#"{"nextPageToken":"abc","text":"me@example.org"}"#,
        r#"{"env":{"API_KEY":"${API_KEY}","TOKEN":"$TOKEN"},"password":"<your password>","secret":"string"}"#,
        r#"{"text":"Password: at least eight letters; the token is next","pageToken":"abc","primaryKey":"id"}"#,
        r#"{"text":"install sk-learn-contrib-something-else, sha256:9f86d081884c7d659a2feaa0c55ad015"}"#,
        r#"{"text":"curl -H 'Authorization: Bearer $TOKEN' and then"}"#,
        r#"{"text":"cookie=enabled, basic understanding, of it; X-Api-Key: configureEnvironment"}"#,
        r#"{"args":["--nexttoken","aB3dE5gH7jK9mN1pQ2rS"]}"#,
        r#"["mysql","-u","root","-p","shop"]"#,
        r#"{"text":"auth:\n  otp: disabled\n  public_token: link"}"#,
        r#"{"command":"ls","args":["-phush5Hush","mysql"]}"#,
        r#"{"text":"\"password\": {\"type\":\"string\",\"minLength\":8}"}"#,
        r#"{"id":"ghp_aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0z12345","result":{}}"#,
        "plain text without any",
        "",
        "{",
        "\"",
        "{\"a\\",
    ] {
        assert_eq!(text(same), same);
    }
}

#[test]
fn the_same_secret_has_the_same_placeholder_and_a_second_run_changes_nothing() {
    let mut redactor = Redactor::default();
    let (once, replaced) = redactor.replace(r#"{"a":{"token":"x1"},"b":[{"password":"x2"}],"secret":"x1"}"#);
    assert_eq!(
        once,
        r#"{"a":{"token":"<<secret:token#1>>"},"b":[{"password":"<<secret:password#1>>"}],"secret":"<<secret:token#1>>"}"#
    );
    let places: Vec<(&str, &str)> = replaced.iter().map(|one| (one.pointer.as_str(), one.name.as_str())).collect();
    assert_eq!(places, [("/a/token", "token#1"), ("/b/0/password", "password#1"), ("/secret", "token#1")]);
    assert_eq!(told(redactor.counts()), "3 values (password 1, token 2)");
    assert_eq!(text(&once), once);
    let mut again = Redactor::default();
    assert_eq!(again.text(&once), once);
    assert_eq!(again.text(r#"{"token":"new"}"#), r#"{"token":"<<secret:token#2>>"}"#);
}

#[test]
fn what_is_packed_in_base64_goes_as_a_whole() {
    let pack = |plain: &str| crate::base64::encode(plain.as_bytes());
    let key = format!("ghp_{}", "aB3dE5fG7h".repeat(4));
    for plain in [key.clone(), format!("{{\"token\":\"{key}\"}}"), format!("machine x\npassword={key}\n"), pack(&key)] {
        let packed = pack(&plain);
        for packed in [packed.as_str(), packed.trim_end_matches('='), &packed.replace('+', "-").replace('/', "_")] {
            let before = serde_json::json!({"params": {"q": format!("see {packed}")}}).to_string();
            let after = text(&before);
            assert!(after.starts_with(r#"{"params":{"q":"see <<secret:"#) && after.ends_with("#1>>\"}}"), "{after}");
            assert_eq!(text(&after), after);
        }
    }
    let innocent =
        serde_json::json!({"q": pack("a long and harmless sentence about cats"), "id": "x".repeat(40)}).to_string();
    assert_eq!(text(&innocent), innocent);
}

#[test]
fn a_user_adds_names_places_and_shapes() {
    let custom = Custom {
        keys: vec!["tenant_key".into()],
        paths: vec!["/params/pin".into()],
        values: vec!["ACME-[0-9]+".into()],
        emails: true,
    };
    assert_eq!(custom.check(), Ok(()));
    let before = r#"{"params":{"pin":"1234","tenantKey":"a","t":"ACME-77 of me@example.org"}}"#;
    let after = r#"{"params":{"pin":"<<secret:custom#1>>","tenantKey":"<<secret:custom#2>>","t":"<<secret:custom#3>> of <<secret:email#1>>"}}"#;
    assert_eq!(Redactor::new(&custom).text(before), after);
    let record = format!(r#"{{"dir":"c2s","msg":{before}}}"#);
    assert_eq!(Redactor::new(&custom).text(&record), record.replace(before, after), "in a record, too");
    assert!(Custom { values: vec!["(".into()], ..Custom::default() }.check().is_err());
}

/// A placeholder where a name stood says what that name was, and nothing of the value.
#[test]
fn what_was_redacted_is_looked_at_a_second_time_and_stays() {
    for once in [
        r#"{"<<secret:api-key#1>>":"2026-09-03T10:15:00.1"}"#,
        r#"{"text":"\"<<secret:api-key#1>>\":\"2026-09-03T10:15:00.1\"0"}"#,
        "<<secret:token#1>>: 0123456789abcdef",
        r#"{"text":"{\"a-<<secret:token#1>>\":\"one2three4five6\u0000\u0000"}"#,
    ] {
        assert_eq!(text(once), once);
    }
}

/// The id of a session may have visible ASCII only; that one had not stays known.
#[test]
fn the_name_of_a_secret_is_none() {
    for said in ["secret password#1", "the variable K for the secret api-key#12 is not set"] {
        assert_eq!(text(said), said);
    }
    assert_ne!(text("password=hunter#1"), "password=hunter#1");
}

#[test]
fn what_stands_for_a_session_says_whether_its_id_was_visible() {
    let head = |id: &str| text(&format!(r#"{{"mcp-session-id":"{id}"}}"#));
    for id in ["büro-7", r"b\u00fcro-7", r"b\n7"] {
        assert_eq!(head(id), r#"{"mcp-session-id":"<<secret:odd-session#1>>"}"#, "{id}");
    }
    assert_eq!(head("w-86"), r#"{"mcp-session-id":"<<secret:session#1>>"}"#);
    assert_eq!(head("<<secret:odd-session#1>>"), r#"{"mcp-session-id":"<<secret:odd-session#1>>"}"#);
    assert!(super::is_visible("<<secret:session#1>>") && !super::is_visible("<<secret:odd-session#1>>"));
}

/// A name that speaks of a secret which this cannot be does not hide what stands beside the value.
#[test]
fn what_a_name_beside_the_value_says_is_heard_too() {
    let pair = r#"{"secret":[{"name":"mcp-session-id","value":"w-86"}]}"#;
    assert_eq!(text(pair), r#"{"secret":[{"name":"mcp-session-id","value":"<<secret:session#1>>"}]}"#);
}

#[test]
fn a_list_of_quoted_words_names_a_secret_only_where_one_follows() {
    assert_eq!(text("define('DB_PASSWORD', 'q7Rt2xVb9LpZ4mKs');"), "define('DB_PASSWORD', '<<secret:password#1>>');");
    for innocent in [
        r#"["username", "password", "newPassword2", "email"]"#,
        r#"password = input("Password: ")"#,
        "PWD=/home/jo/project",
    ] {
        assert_eq!(text(innocent), innocent);
    }
}

/// The end of the one that begins in the middle of the other is no less a part of it.
#[test]
fn secrets_that_share_something_go_together() {
    let line = "essu_----------------------------------sha256~--------assword-------------------sha256~\
                ----------------workDoneProgress------si";
    let once = text(line);
    assert_ne!(once, line);
    assert_eq!(text(&once), once);
    let hit = |start, end, secret: &str| walk::Hit {
        mark: String::new(),
        start,
        end,
        kind: "token",
        secret: secret.into(),
        pointer: String::new(),
        inner: String::new(),
    };
    let ranges = |hits: Vec<walk::Hit>| apart(hits).iter().map(|hit| (hit.start, hit.end)).collect::<Vec<_>>();
    assert_eq!(
        ranges(vec![hit(1, 5, "a"), hit(2, 3, "b"), hit(4, 8, "c"), hit(8, 9, "d"), hit(9, 9, "")]),
        [(1, 8), (8, 9)]
    );
}

proptest! {
    #[test]
    // A plain word behind `token` is none, so that the second name is one that always holds a secret.
    fn json_stays_json_and_secrets_go(secret in "[a-zA-Z0-9\\\\\"\n\u{1b}é]{6,20}", other in "\\PC{0,20}") {
        let before = serde_json::json!({"a": [other, {"password": secret}], "raw": serde_json::json!({"passphrase": secret}).to_string()});
        let written = before.to_string();
        let after: serde_json::Value = serde_json::from_str(&text(&written)).expect("still JSON");
        prop_assert_eq!(after["a"][1]["password"].as_str(), Some("<<secret:password#1>>"));
        let inner: serde_json::Value = serde_json::from_str(after["raw"].as_str().expect("text")).expect("still JSON");
        prop_assert_eq!(inner["passphrase"].as_str(), Some("<<secret:password#1>>"));
    }

    #[test]
    fn nothing_makes_it_fail(input in "\\PC{0,80}", json in "[\\[\\]{}\":,\\\\u0-9a-f tokenpswrd=]{0,120}") {
        text(&input);
        text(&json);
    }
}

#[test]
fn numbers_that_are_passwords_become_strings() {
    for (text, clean) in [
        (r#"{"password":9123456789}"#, r#"{"password":"<<secret:password#1>>"}"#),
        (r#"{"a":{"passcode":-1.5e9},"b":1}"#, r#"{"a":{"passcode":"<<secret:password#1>>"},"b":1}"#),
        (r#"{"b":"{\"password\":91234}"}"#, r#"{"b":"{\"password\":\"<<secret:password#1>>\"}"}"#),
    ] {
        assert_eq!(Redactor::default().text(text), clean);
        assert!(serde_json::from_str::<serde_json::Value>(clean).is_ok());
    }
    for text in
        [r#"{"max_tokens":4096}"#, r#"{"token":912345}"#, r#"{"password":12}"#, r#"{"method":"ping","id":9123456789}"#]
    {
        assert_eq!(Redactor::default().text(text), text);
    }
}

#[test]
fn json_that_is_escaped_is_read_however_often_it_was() {
    let plain = r#"{"password":"hunter2hunter2"}"#.to_string();
    let escape = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    for text in [escape(&plain), escape(&escape(&plain)), format!(r#"{{"t":"{}"}}"#, escape(&escape(&plain)))] {
        let clean = Redactor::default().text(&text).into_owned();
        assert_eq!(clean, text.replace("hunter2hunter2", "<<secret:password#1>>"));
    }
    assert_eq!(Redactor::default().text(r"{\alpha} and {\beta}"), r"{\alpha} and {\beta}");
}

#[test]
fn ids_that_look_like_secrets_stay_and_are_counted() {
    let key = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let text =
        format!(r#"{{"jsonrpc":"2.0","id":"{key}","method":"m","params":{{"_meta":{{"progressToken":"{key}"}}}}}}"#);
    let mut redactor = Redactor::default();
    assert_eq!(redactor.text(&text), text);
    assert_eq!(redactor.kept().values().sum::<u64>(), 2);
    assert_eq!(Redactor::default().first_kind(&text), Some(TIED));
    assert_eq!(Redactor::default().first_kind(r#"{"jsonrpc":"2.0","id":"token-1","method":"m"}"#), None);
}

#[test]
fn what_help_texts_say_of_flags_is_no_secret() {
    for text in [
        "  --secret stringArray  secrets",
        "  --private-key file    path to key",
        "  --client-secret        Client secret of the app",
        "  --password\n  --username",
        "--no-password\nlast",
        "NEXT rpctape replay a.jsonl --secret 'token#1=env:TK' -- server",
        "rpctape replay a.jsonl --secret token#1=env:TK -- server",
        "rpctape replay a.jsonl --secret 'token#1=file:/run/keys/token' -- server",
        "error: unexpected argument '--password' found",
        "WWW-Authenticate: Bearer authorization_uri=\"https://login.example.com/common/oauth2/authorize\"",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ] {
        assert_eq!(Redactor::default().text(text), text);
    }
    for guilty in [
        "tool --password swordfish",
        "tool --password \\\n  hunter2X9 --x",
        "'--password' 'hunter2X9'",
        "run\n--token\ng7Hs82kd92Lk3jd8\n",
        "sk_live_TYooMQauvdEDq54NiTphI7jx",
        "backup codes: 8f3k-29dk-xk3k",
    ] {
        assert_ne!(Redactor::default().text(guilty), guilty);
    }
    let tencent = format!("AKID{}", "z8krbsJ5yKBZQpn7".repeat(2));
    assert_ne!(Redactor::default().text(&tencent), tencent);
}
