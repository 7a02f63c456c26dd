//! Labels inside texts: `DB_PASSWORD=...`, `api_key: ...` in YAML, `<password>...</password>`, `--token ...`, `The access token
//! is ...`. A label is a name as of a member (see `names`); what stands between it and the value says how sure it is.

use std::ops::Range;

use super::blocks;
use super::label::{Label, Link};
use super::names::{self, Said};
use super::near::{Whole, end_of};
use super::stand_ins::{is_code, is_plain_word, is_slug, is_stand_in};
use super::words::{is_four_words, is_mixed, is_of_name, is_phrase, is_random, is_strong, is_uuid, is_worded};

/// A part of a name without which no name is one of a secret: what a text must hold before a label can stand in it.
pub(super) const PARTS: &str = r"(?i-u:pass|pwd|secret|token|key|auth|cookie|creds|credential|jwt|bearer|mnemonic|phrase|otp|code|assertion|pat\b|pw\b|sessionid|sessid|csrf|xsrf|connect\.sid|security_answer|securityanswer|art-api|artapi|access-sign|accesssign|parool|webhook|saml|psk|\bsas\b|seed|community)";

/// The same in other languages.
pub(super) const OTHERS: &str = r"(?i-u:contrase|senha|wachtwoord|senord|haslo|heslo|jelszo|ifre|segredo|geheimnis|mdp|salasana|kode|parol|kennwort|lozink|palavra|kata sandi|katasandi|clave api|chave de api|chavedeapi|clave|geslo|slapta)|hlüssel|HLÜSSEL|API キー|APIキー|apiキー|API 키|API키|api키|lé API|lé api|léapi|секретный ключ|секретныйключ|окен|ОКЕН|トークン|토큰|令牌|ωδικός πρόσβασης|asło|ASŁO|elszó|ELSZÓ|арол|АРОЛ|озинк|كلمة المرور|كلمة السر|كلمةالمرور|كلمةالسر|סיסמ|ωδικό|ật khẩu|ậtkhẩu|รหัสผ่าน|पासवर्ड|رمز عبور|رمزعبور|密钥|암호|密码|密碼|口令|パスワード|비밀번호";

/// What says in Chinese, Japanese and Korean that a name is what follows; it stands right behind it.
pub(super) const IS: [char; 6] = ['是', '为', '為', 'は', '는', '은'];

/// Names longer than this, in bytes, are none.
const LONGEST_NAME: usize = 64;

/// The secrets behind labels that have a part at one of these places, which are in their order.
pub(super) fn find(text: &str, parts: Vec<Range<usize>>, found: &mut Vec<(&'static str, Range<usize>)>) {
    let (whole, mut behind) = (Whole::new(text), 0);
    for part in parts {
        if part.start < behind {
            continue;
        }
        let name = around(text, part);
        behind = name.end;
        if names::opens_placeholder(&text[..name.start]) {
            continue;
        }
        let Some(label) = Label::of(&whole, name) else { continue };
        for secret in label.secrets() {
            behind = secret.end;
            found.push((label.said.kind, secret));
        }
    }
}

/// The whole name around a part of one.
fn around(text: &str, part: Range<usize>) -> Range<usize> {
    let of_name = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let bytes = |letters: &mut dyn Iterator<Item = char>| {
        letters.take(LONGEST_NAME).take_while(of_name).map(char::len_utf8).sum::<usize>()
    };
    let before = bytes(&mut text[..part.start].chars().rev());
    let after = bytes(&mut text[part.end..].chars().take_while(|c| !IS.contains(c)));
    let end = part.end + text[part.end..part.end + after].trim_end_matches(['.', '-']).len();
    part.start - before..end
}

impl<'t> Label<'t> {
    /// A name that speaks of a secret, with up to two words before it: `aws secret access key`.
    fn of(whole: &'t Whole<'t>, mut name: Range<usize>) -> Option<Label<'t>> {
        let text = whole.text;
        let mut best = names::said(&text[name.clone()], &[]);
        // `token` alone may be one of many things, which the word before it says.
        let before =
            text[..name.start].strip_suffix(' ').map(|text| text.rsplit(|c: char| !c.is_alphanumeric()).next());
        if let (Some(said), Some(Some(word))) = (best, before)
            && said.kind == "token"
            && !word.is_empty()
        {
            best = names::said(&text[name.start - 1 - word.len()..name.end], &[])
                .or(best.filter(|_| !names::is_harmless(word)));
        }
        // `pass` is a verb, too: only what it is said of makes it a password.
        let is_verb = ["pass", "pw"].iter().any(|word| text[name.clone()].eq_ignore_ascii_case(word));
        for _ in 0..2 {
            let Some(before) = text[..name.start].strip_suffix(' ').filter(|_| best.is_none_or(|said| !said.sure))
            else {
                break;
            };
            let word = before.bytes().rev().take_while(u8::is_ascii_alphanumeric).count();
            let owns = || names::is_owner(&before[before.len() - word..]);
            if word == 0 || word > 16 || is_verb && !owns() {
                break;
            }
            name.start = before.len() - word;
            best = names::said(&text[name.clone()], &[]).or(best);
        }
        let label = Label { whole, text, said: best?, name };
        Some(Label { said: Said { sure: label.said.sure || label.is_beside_user(), ..label.said }, ..label })
    }

    /// True for `pass` behind the name of a user, on its line or on the one before: `user=ann pass=...`.
    fn is_beside_user(&self) -> bool {
        if self.said.kind != "password" || !self.text[self.name.end..].starts_with(['=', ':', '"']) {
            return false;
        }
        let mut lines = end_of(&self.text[..self.name.start], 2 * LONGEST_NAME).rsplit('\n').take(2);
        let names = |line: &str, word: &str| {
            let behind = line.find(word).map(|at| line[at..].trim_start_matches(|c: char| c.is_ascii_alphanumeric()));
            behind.is_some_and(|rest| rest.starts_with(['=', ':', '"']))
        };
        lines.any(|line| ["user", "User", "login", "email"].iter().any(|word| names(line, word)))
    }

    /// The secrets behind this label: one, or the items of a list.
    fn secrets(&self) -> Vec<Range<usize>> {
        let is_secret = |item: &Range<usize>| {
            let shown = &self.text[item.clone()];
            (is_random(shown, 12) || is_strong(shown)) && self.said.fits(shown) && !is_stand_in(shown)
        };
        match self.secret() {
            Some(secret) => vec![secret],
            None => blocks::items(self.text, self.name.end).into_iter().filter(is_secret).collect(),
        }
    }

    /// The secret, where one stands behind this label.
    fn secret(&self) -> Option<Range<usize>> {
        let (link, at) = self.link()?;
        let name = self.text[self.name.clone()].to_ascii_lowercase();
        let of_wallet = name.ends_with("phrase") || name.ends_with("mnemonic");
        if let Some(phrase) = of_wallet.then(|| blocks::phrase(self.text, at)).flatten() {
            return Some(phrase);
        }
        let header = matches!(self.said.kind, "cookie" | "authz");
        let value = match link {
            Link::Element => self.of_element(at),
            link if header && link != Link::Words => self.of_header(at)?,
            _ => self.value(at)?,
        };
        let (secret, quoted) = value;
        let shown = &self.text[secret.clone()];
        let then = &self.text[secret.end..];
        // Where to go for authorization is no secret; where a webhook goes is.
        let is_place = name == "bearer"
            || ["uri", "url", "endpoint"].iter().any(|word| name.ends_with(word)) && !name.contains("webhook");
        if is_place && shown.starts_with("http") {
            return None;
        }
        if is_schema(shown) {
            return None;
        }
        if names::is_folder(&self.text[self.name.clone()], shown) {
            return None;
        }
        if shown.len() < 4 || is_stand_in(shown) || !quoted && is_code(shown, then) || !self.said.fits(shown) {
            return None;
        }
        let wrapped = self.text[at..secret.start].contains('(');
        if wrapped && (is_worded(shown) || !is_mixed(shown, 8)) {
            return None;
        }
        let innocent = match quoted {
            _ if self.said.kind == "token" && is_plain_word(shown) || self.is_part_of_name() => true,
            _ if self.before().ends_with(['?', '&']) && is_slug(shown) => true,
            // The name of what follows: `key="dbPassword" value="..."`.
            _ if !has_digit(shown)
                && names::said(shown, &[]).is_some_and(|said| said.sure || self.said.kind != "password") =>
            {
                true
            }
            true => false,
            // What stands between a colon and an equals sign is a type.
            // A password may be such a word.
            false if self.said.kind != "password" && !has_digit(shown) && is_type_name(shown) => true,
            false => {
                self.is_programs(shown, link) || link == Link::Colon && then.trim_start_matches(' ').starts_with("= ")
            }
        };
        (!innocent && self.is_told(link, &secret, quoted)).then_some(secret)
    }

    /// True if a value is one by its look, as far as what links it to the name leaves that open.
    fn is_told(&self, link: Link, secret: &Range<usize>, quoted: bool) -> bool {
        let shown = &self.text[secret.clone()];
        let looks = is_random(shown, 12) || is_strong(shown);
        let is_password = self.said.kind == "password";
        match link {
            Link::Element => true,
            Link::Assigned => quoted || !self.is_of_prose(secret),
            // A variable, an address, a flag or what stands in brackets beside it is none.
            Link::Words if shown.starts_with(['-', '[', '(', '<', '{']) => false,
            Link::Said | Link::Words if self.before().ends_with(['$', '{']) || shown.contains("://") => false,
            Link::Colon => {
                quoted || has_digit(shown) || looks || is_password && is_four_words(shown) || self.is_alone(secret)
            }
            Link::Below => self.is_below(secret) && (looks || is_password && is_mixed(shown, 8)),
            Link::Listed => quoted && has_digit(shown) && looks,
            Link::Set => quoted && !shown.contains(' ') && (looks || is_mixed(shown, 8)),
            Link::Called => quoted && !is_worded(shown) && (looks || is_password && is_mixed(shown, 6)),
            Link::Said | Link::Words if (quoted || is_password && link == Link::Said) && looks => true,
            Link::Said => {
                let told = is_password || looks || is_long(shown) || is_uuid(shown);
                is_mixed(shown, 6) && (told || is_phrase(shown)) || is_four_words(shown)
            }
            Link::Words => {
                (quoted || self.is_long_name() || !is_uuid(shown))
                    && !self.before().ends_with(['/', '.'])
                    && is_mixed(shown, 6)
                    && (is_password || looks || is_long(shown))
            }
        }
    }

    /// True for what a program sets a name to: another name, as `token = next_token`. A password may be such a word, too, where no
    /// program is.
    fn is_programs(&self, shown: &str, link: Link) -> bool {
        let name = self.text[self.name.clone()].rsplit(['.', '-']).next().unwrap_or_default();
        let (name, shown_plain) = (names::plain(name), names::plain(shown));
        let is_name = shown.chars().all(|c| c.is_ascii_alphabetic() || c == '_');
        if is_name && (shown_plain.ends_with(&name) || name.ends_with(&shown_plain)) {
            return true;
        }
        let behind = self.text[self.name.end..].trim_start_matches(['"', '\'', ']']);
        let apart = [" = ", " := ", " += "].iter().any(|sign| behind.starts_with(sign));
        let several = apart && self.before().ends_with(", ");
        let spoken = self.said.kind != "password" || self.whole.is_program();
        link == Link::Assigned && is_name && (several || apart && is_worded(shown) && spoken)
    }

    /// True within the name of a resource: `arn:aws:secretsmanager:...:secret:prod/db`.
    fn is_part_of_name(&self) -> bool {
        let word = self.before().rsplit([' ', '"', '\'', '\n', '=']).next().unwrap_or_default();
        word.starts_with("arn:") && word.ends_with(':')
    }

    /// True for a flag that a sentence speaks of, or the table of a help text: `the --username and --password options`,
    /// `--secret stringArray  secrets`, `--client-secret   Client secret`.
    fn is_of_prose(&self, secret: &Range<usize>) -> bool {
        let shown = &self.text[secret.clone()];
        let columns = ["  ", "\t"];
        let is_table = columns
            .iter()
            .any(|gap| self.text[self.name.end..].starts_with(gap) || self.text[secret.end..].starts_with(gap));
        let word = self.before().trim_end_matches(['`', ' ']).rsplit([' ', '\n']).next().unwrap_or_default();
        let joins = ["and", "or", "the", "a", "via", "with", "use", "using", "of", "both", "either"].contains(&word);
        self.is_flag() && (joins || is_table) && is_worded(shown) && !has_digit(shown)
    }

    /// True for a name of several words: `heroku api key` says more than `token`.
    fn is_long_name(&self) -> bool {
        self.text[self.name.clone()].contains(|c: char| !c.is_alphanumeric())
    }

    /// True if the value is all that stands on its line.
    fn is_below(&self, secret: &Range<usize>) -> bool {
        let blank = [' ', '\t', '\r', '`'];
        let before = self.text[..secret.start].trim_end_matches(blank);
        let behind = self.text[secret.end..].trim_start_matches(blank);
        (before.is_empty() || before.ends_with('\n')) && (behind.is_empty() || behind.starts_with('\n'))
    }

    /// True if label and value are all that stands on a line of several, as in YAML.
    fn is_alone(&self, secret: &Range<usize>) -> bool {
        let behind = &self.text[secret.end..];
        let quoted = behind.starts_with(['"', '\'', '`']);
        let behind = behind.trim_start_matches(|c| matches!(c, '"' | '\'' | '`' | ' ' | '\r') || quoted && c == ',');
        self.starts_line() && (behind.starts_with('\n') || behind.is_empty() && self.text.contains('\n'))
    }
}

/// True for the name of a type: `ZeroizeOnDrop`.
fn is_type_name(shown: &str) -> bool {
    shown.starts_with(|c: char| c.is_ascii_uppercase())
        && shown.bytes().any(|byte| byte.is_ascii_lowercase())
        && is_of_name(shown)
}

/// True for a word that is longer than any of a language.
fn is_long(text: &str) -> bool {
    text.len() >= 24 && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// True for the beginning of a schema: it says what a value of this name looks like. In the place of a type only a type is one.
fn is_schema(shown: &str) -> bool {
    let plain = shown.replace('\\', "");
    let Some(member) = plain.strip_prefix("{\"") else { return false };
    let types = ["string", "integer", "number", "boolean", "object", "array", "null"];
    match member.strip_prefix("type\":") {
        // The text of a value may end before a blank.
        Some(kind) => kind.is_empty() || types.iter().any(|name| kind.starts_with(&format!("\"{name}\""))),
        None => {
            ["$ref\"", "anyOf\"", "oneOf\"", "minLength\"", "maxLength\""].iter().any(|word| member.starts_with(word))
        }
    }
}
