//! Keys that their makers gave a form of their own: what they begin with, and how they go on. The forms are those of the
//! makers' documentation and of the keys that they hand out.
//!
//! Lists in crates were weighed: the one that builds with this toolchain has 50 forms, most of them with exact lengths that
//! newer keys have outgrown, and brings a second TOML parser into a program that reads other people's bytes.

/// What a text must hold (one of these words, see `hints`), the kind of secret, and its form. A text without the first is not
/// searched for the last.
pub(super) const VENDORS: [(&str, &str, &str); 62] = [
    ("sk-", "api-key", r"\bsk-(?:[A-Za-z0-9]{1,12}-){0,3}[A-Za-z0-9_]{16,}[A-Za-z0-9_-]*"),
    ("AIza", "api-key", r"\bAIza[A-Za-z0-9_-]{35}"),
    ("GOCSPX-", "secret", r"\bGOCSPX-[A-Za-z0-9_-]{20,}"),
    ("ya29.", "token", r"\bya29\.[A-Za-z0-9_-]{20,}"),
    ("1//0", "token", r"\b1//0[A-Za-z0-9_-]{30,}"),
    ("k_live_|k_test_", "api-key", r"\b[rsp]k_(?:live|test)_[A-Za-z0-9]{10,}"),
    ("whsec_", "secret", r"\bwhsec_[A-Za-z0-9+/=]{20,}"),
    ("npm_", "api-key", r"\bnpm_[A-Za-z0-9]{30,}"),
    ("pypi-", "token", r"\bpypi-[A-Za-z0-9_-]{40,}"),
    ("rubygems_", "api-key", r"\brubygems_[a-f0-9]{40,}"),
    ("dckr_", "token", r"\bdckr_[a-z]+_[A-Za-z0-9_-]{20,}"),
    ("cio", "token", r"\bcio[A-Za-z0-9]{32}\b"),
    ("oy2", "api-key", r"\boy2[a-z0-9]{43}\b"),
    ("hf_", "api-key", r"\bhf_[A-Za-z0-9]{30,}"),
    ("gsk_", "api-key", r"\bgsk_[A-Za-z0-9]{40,}"),
    ("r8_", "token", r"\br8_[A-Za-z0-9]{30,}"),
    ("pplx-", "api-key", r"\bpplx-[A-Za-z0-9]{32,}"),
    ("xai-", "api-key", r"\bxai-[A-Za-z0-9]{32,}"),
    ("tvly-", "api-key", r"\btvly-[A-Za-z0-9-]{20,}"),
    ("lsv2_", "api-key", r"\blsv2_[a-z]{2}_[A-Za-z0-9_]{32,}"),
    ("ghp_|gho_|ghu_|ghs_|ghr_", "token", r"\bgh[pousr]_[A-Za-z0-9]{20,}"),
    ("github_pat_", "token", r"\bgithub_pat_[A-Za-z0-9_]{20,}"),
    (
        "glpat-|gldt-|glptt-|glcbt-|glimt-|glft-|glsoat-|glrt-|glrtr-|glagent-|gloas-|glffct-",
        "token",
        r"\bgl(?:pat|dt|ptt|cbt|imt|ft|soat|rt|rtr|agent|oas|ffct)-[A-Za-z0-9_.-]{16,}",
    ),
    ("GR1348941", "token", r"\bGR1348941[A-Za-z0-9_-]{20,}"),
    ("xox", "token", r"\bxox[a-z](?:-\d)?-[A-Za-z0-9-]{10,}"),
    ("xapp-", "token", r"\bxapp-\d-[A-Za-z0-9-]{20,}"),
    ("hooks", "token", r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/_-]{20,})"),
    ("webhooks/", "token", r"discord(?:app)?\.com/api/(?:v\d+/)?webhooks/(\d{17,20}/[A-Za-z0-9_-]{40,})"),
    (".@@@@@@.", "token", r"\b[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}"),
    (":AA", "token", r"\b\d{8,10}:AA[A-Za-z0-9_-]{33}\b"),
    ("AKIA|ASIA|ABIA|ACCA", "aws", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    (
        "AccountKey|SharedAccess",
        "secret",
        r"\b(?:AccountKey|SharedAccessKey|SharedAccessSignature)=([A-Za-z0-9+/=%&-]{20,})",
    ),
    ("8Q~", "secret", r"\b[A-Za-z0-9_~.-]{3}8Q~[A-Za-z0-9_~.-]{31,}"),
    ("doo_v1_|dop_v1_|dor_v1_", "token", r"\bdo[opr]_v1_[a-f0-9]{40,}"),
    ("HRKU-", "api-key", r"\bHRKU-[A-Za-z0-9_-]{30,}"),
    ("fo1_|fm1|fm2", "token", r"\b(?:fo1_|fm1[ar]_|fm2_)[A-Za-z0-9+/=_-]{40,}"),
    ("nfp_", "token", r"\bnfp_[A-Za-z0-9]{30,}"),
    ("rnd_", "api-key", r"\brnd_[A-Za-z0-9]{24,}"),
    ("v1.0-", "api-key", r"\bv1\.0-[a-f0-9]{24}-[a-f0-9]{100,}"),
    ("pscale_", "password", r"\bpscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{30,}"),
    ("sbp_|sb_secret_", "api-key", r"\b(?:sbp_[a-f0-9]{40,}|sb_secret_[A-Za-z0-9_-]{20,})"),
    ("SG.", "api-key", r"\bSG\.[A-Za-z0-9_-]{15,}\.[A-Za-z0-9_-]{30,}"),
    ("key-", "api-key", r"\bkey-[a-f0-9]{32}\b"),
    ("-us", "api-key", r"\b[a-f0-9]{32}-us\d{1,2}\b"),
    ("xkeysib-", "api-key", r"\bxkeysib-[a-f0-9]{40,}-[A-Za-z0-9]{8,}"),
    ("SK####", "api-key", r"\bSK[0-9a-f]{32}\b"),
    ("shp", "token", r"\bshp(?:at|ca|pa|ss|tka)_[A-Fa-f0-9]{32,}"),
    ("sq0", "token", r"\bsq0[a-z]{3}-[A-Za-z0-9_-]{22,}"),
    ("ATATT3|ATCTT3", "token", r"\bAT[AC]TT3[A-Za-z0-9_=-]{30,}"),
    ("lin_", "api-key", r"\blin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    ("ntn_|secret_", "token", r"\b(?:ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{40,})\b"),
    ("figd_", "token", r"\bfigd_[A-Za-z0-9_-]{30,}"),
    (
        "pat-@@@-@@@@@@@@-|pat@@@@@@@@@@@@@@.",
        "token",
        r"\bpat(?:[A-Za-z0-9]{14}\.[a-f0-9]{64}|-[a-z]{2}\d-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12})\b",
    ),
    ("NRAK-|NRII-", "api-key", r"\bNR(?:AK|II|AA|RA|BR|JS)-[A-Za-z0-9-]{20,}"),
    ("sntry", "token", r"\bsntry[su]_[A-Za-z0-9+/=_-]{32,}"),
    ("glsa_|glc_", "token", r"\b(?:glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}|glc_[A-Za-z0-9+/=]{32,})"),
    ("dt0", "token", r"\bdt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}\b"),
    ("hvs.|hvb.|hvr.", "token", r"\bhv[sbr]\.[A-Za-z0-9_-]{20,}"),
    ("atlasv1", "token", r"\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{40,}"),
    ("dp.", "token", r"\bdp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]+\.)?[A-Za-z0-9]{40,}"),
    ("dapi|pul-", "token", r"\b(?:dapi[a-f0-9]{32}(?:-\d)?|pul-[a-f0-9]{40})\b"),
    ("AGE-SECRET", "private-key", r"\bAGE-SECRET-KEY-1[A-Z0-9]{50,}"),
];

#[cfg(test)]
mod tests {
    use super::super::hints::{Hints, Word};
    use super::*;
    use regex::Regex;

    #[test]
    fn every_form_is_searched_for_where_its_beginning_stands() {
        // Keys of each form, made up: the word that the form begins with, and random letters of its alphabet.
        let hex = "0123456789abcdef".repeat(12);
        let word = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0z".repeat(4);
        let made = [
            format!("sk-ant-api03-{}", &word[..40]),
            format!("AIza{}", &word[..35]),
            format!("ghp_{}", &word[..36]),
            format!("glrt-{}", &word[..20]),
            format!("xoxb-{}", "123456789012-123456789012-abcdefghijkl"),
            format!("https://hooks.slack.com/services/T00000000/B00000000/{}", &word[..24]),
            format!("123456789:AA{}", &word[..33]),
            format!("M{}.{}.{}", &word[..23], &word[..6], &word[..27]),
            format!("dop_v1_{}", &hex[..64]),
            format!("SG.{}.{}", &word[..22], &word[..43]),
            format!("key-{}", &hex[..32]),
            format!("{}-us12", &hex[..32]),
            format!("SK{}", &hex[..32]),
            format!("hvs.{}", &word[..24]),
            format!("dapi{}", &hex[..32]),
            format!("patAbCdEfGhIjKlMn.{}", &hex[..64]),
            format!("DefaultEndpointsProtocol=https;AccountKey={}==", &word[..86]),
        ];
        for secret in made {
            let fits = VENDORS.iter().filter(|(hint, _, form)| {
                let hints = Hints::new(hint.split('|').map(|word| Word::exact(word, 0)));
                let mut hinted = false;
                hints.search(&secret, |_| {
                    hinted = true;
                    true
                });
                hinted && Regex::new(form).expect("a form").is_match(&secret)
            });
            assert!(fits.count() > 0, "{secret}");
        }
    }

    #[test]
    fn words_with_the_same_beginning_are_none() {
        for innocent in [
            "sk-learn-contrib-project-name-of-some-length",
            "hf_hub_download",
            "npm_config_registry",
            "ghp_ is what tokens begin with",
            "key-value",
            "pattern-us1",
            "secret_name",
            "cio of the company",
            "550e8400-e29b-41d4-a716-446655440000",
            "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        ] {
            let fits: Vec<_> =
                VENDORS.iter().filter(|(.., form)| Regex::new(form).expect("a form").is_match(innocent)).collect();
            assert!(fits.is_empty(), "{innocent}: {fits:?}");
        }
    }
}
