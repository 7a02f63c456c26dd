//! What stands beside secrets, or looks like one, and stays; and what goes only where it is one.

use super::Redactor;

fn clean(text: &str) -> String {
    Redactor::default().text(text).into_owned()
}

/// A text as a result of a call, and what is left of it.
fn left(text: &str) -> String {
    let message =
        serde_json::json!({"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": text}]}});
    let clean: serde_json::Value = serde_json::from_str(&clean(&message.to_string())).expect("JSON stays JSON");
    clean["result"]["content"][0]["text"].as_str().expect("a text").to_string()
}

const DRAWN: &str = "pxWAyepHJKFYkVwGSahwrYhMerKrDuK1";

#[test]
fn texts_that_open_nothing_stay() {
    let texts = [
        // Lists of packages.
        "{\n  \"dependencies\": {\n    \"cookie\": \"^0.7.2\",\n    \"tough-cookie\": \">=4.1.3 <5\"\n  },\n  \"devDependencies\": {\n    \"@types/cookie\": \"~0.6.0-rc.1\"\n  }\n}\n",
        "[dependencies]\ncookie = \"0.18.1\"\nsecret = { version = \"0.18\" }\n",
        "{\"node_modules/jsonwebtoken\": {\"version\": \"9.0.2\", \"integrity\": \"sha512-PRp66vJ865SSqOlgqS8hujT5U4AOgMfhrwYIuIhfKaoSCZcirrmASQr8CX7cUg+RMih+hgznrjp99o+W4pJLHQ==\"}}",
        // Lists of names.
        "{\"grant_types_supported\": [\"authorization_code\", \"refresh_token\", \"client_credentials\"]}",
        "[\"token\", \"code token\"]",
        "[\"vault\", \"token\", \"revoke-orphan\"]",
        "[\"authorization\", \"x-api-key\", \"content-type\"]",
        "[\"--no-password\", \"acme_production\"]",
        "# \"md5\", \"password\", \"scram-sha-256\", \"gss\"",
        // Identifiers.
        "test_eof.py::EOFTestCase::test_line_continuation_EOF_from_file_bpo2180 PASSED",
        "test_PyByteArrayObject_converter__doc__",
        "acme-prod-DbPassword-5GU4BW720388",
        // What stands beside a secret, or is called so.
        "{\"Credentials\": {\"AccessKeyId\": \"x\", \"Expiration\": \"2026-11-29T12:00:00Z\", \"fingerprint\": \"9f86d081884c7d659a2feaa0c55ad015\"}}",
        "{\"pagination\": {\"input_token\": \"NextToken\", \"output_token\": \"NextToken\"}}",
        "LANG=C.UTF-8\nGPG_KEY=E3FF2839C048B25C084DEBE9B26995E310250568\nPYTHON_VERSION=3.8.13\n",
        "{\"token\": \"color.background.brand.bold\", \"access_token\": \"Zugriffstoken\"}",
        "token: 0xde0B295669a9FD93d5F28D9Ec85E40f4cb697BAe",
        // Programs, prose, files of systems.
        "headers['Proxy-Authorization'] = `Basic ${auth}`;",
        "struct S {\n    secret: &[u8],\n    token: Zeroizing<PayloadU8>,\n}\n",
        "pub trait Secret: ZeroizeOnDrop {}",
        "/// [`Token`]: ../struct.Token.html",
        "token = Keyword.Pseudo",
        "hash_password::<sha2::Sha256>(a)",
        "private_key: \"_RSAPrivateKey\"",
        "secret: *corev1.Secret\nsecret: bytes32\n",
        "$password = Read-Host -AsSecureString",
        "Pass `-Dpamconfdir=no` to meson, otherwise pass bmi2=0",
        "undefined token: MyTokenType2\nparse error near token: END_OF_FILE_2",
        "password\t[success=1 default=ignore]\tpam_unix.so obscure yescrypt",
        "kpasswd\t\t464/tcp\nkpasswd\t\t464/udp\n",
        "mount -o credentials=/etc/cifs.cred //h/s /mnt",
        // Placeholders of manuals.
        "OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxx\nGITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n",
        "//registry.npmjs.org/:_authToken=MYTOKEN",
    ];
    let touched: Vec<String> =
        texts.iter().map(|text| left(text)).filter(|left| !texts.contains(&left.as_str())).collect();
    assert_eq!(touched, [""; 0]);
    let zeros = format!("{}TUJSVao=", "A".repeat(400));
    assert_eq!(left(&zeros), zeros);
}

#[test]
fn messages_that_open_nothing_stay() {
    for params in [
        "{\"ClientRequestToken\":\"550e8400-e29b-41d4-a716-446655440000\",\"LockToken\":\"a1b2c3d4e5f6a7b8\"}",
        "{\"element\":\"Email field of the password reset form\",\"ref\":\"e3\",\"text\":\"bob@acme.test\"}",
        "{\"element\":\"Search box of the password manager\",\"ref\":\"e4\",\"text\":\"github account\"}",
        "{\"SecretId\":\"prod/db-2026\"}",
    ] {
        let message = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{params}}}");
        assert_eq!(clean(&message), message);
    }
    let token = "eyJhbGciOiJIUzI1NiJ9.eyJvZmZzZXQiOjUwLCJpZCI6ImFiYyJ9.dBjftJeZ4CVPmB92K27uhbUJU1p1r";
    for message in [
        format!("{{\"jsonrpc\":\"2.0\",\"method\":\"$/progress\",\"params\":{{\"token\":\"{token}\",\"value\":[]}}}}"),
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"window/workDoneProgress/create\",\"params\":{{\"token\":\"live-{DRAWN}\"}}}}"
        ),
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{{\"cursor\":\"{token}\"}}}}"),
    ] {
        assert_eq!(clean(&message), message);
    }
    let other =
        format!("{{\"method\":\"$/progress\",\"params\":{{\"token\":\"a\",\"value\":{{\"message\":\"{token}\"}}}}}}");
    assert!(!clean(&other).contains(token), "what else progress says is looked at");
}

#[test]
fn an_id_that_is_a_secret_goes_where_it_is_a_uuid() {
    let id = "676a9ffa-a29f-4843-aea9-79bd9ee17629";
    for text in [
        format!("AccessorID:       0501bed5-8ab3-4360-a27a-24a2da999459\nSecretID:         {id}\n"),
        format!("Secret ID = {id}"),
        format!("{{\"role_id\":\"576a9ffa-a29f-4843-aea9-79bd9ee17629\",\"secret_id\":\"{id}\"}}"),
    ] {
        let left = left(&text);
        assert_eq!(left, text.replace(id, "<<secret:secret-id#1>>"));
    }
}

#[test]
fn only_the_bytes_of_a_secret_go() {
    for (text, secret, kind) in [
        ("密码是 Harbor8812lantern，请勿外传", "Harbor8812lantern", "password"),
        ("密码：Harbor8812lantern。请登录", "Harbor8812lantern", "password"),
        ("パスワードはHarbor8812lanternです", "Harbor8812lantern", "password"),
        ("\u{1b}[32mAPI_KEY\u{1b}[0m=\u{1b}[1mpxWAyepHJKFYkVwGSahwrYhMerKrDuK1\u{1b}[0m\n", DRAWN, "api-key"),
    ] {
        assert_eq!(left(text), text.replace(secret, &format!("<<secret:{kind}#1>>")));
    }
}

#[test]
fn a_key_behind_a_word_is_found_and_what_a_name_ends_with_stays() {
    for (key, kind) in [("ghp_", "token"), ("hf_", "api-key"), ("xoxb-", "token")] {
        let text = format!("tool_{key}{DRAWN} and backup_{key}{DRAWN}");
        let placeholder = format!("<<secret:{kind}#1>>");
        assert_eq!(left(&text), text.replace(&format!("{key}{DRAWN}"), &placeholder));
    }
    for name in [
        "disk_sk-learn-contrib-lightning-project",
        "cache_key-9f86d081884c7d659a2feaa0c55ad015",
        "release_v1.da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "my_ghp_is_what_tokens_begin_with",
    ] {
        assert_eq!(left(name), name);
    }
}
