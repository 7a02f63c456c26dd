//! Keys that their makers gave a form of their own: what they begin with, and how they go on. The forms are those of the
//! makers' documentation and of the keys that they hand out.
//!
//! Lists in crates were weighed: the one that builds with this toolchain has 50 forms, most of them with exact lengths that
//! newer keys have outgrown, and brings a second TOML parser into a program that reads other people's bytes. Keys of a form
//! that no list has are found by `made`.

/// What a text must hold, the kind of secret, and its form. A text without the first is not searched for the last.
pub(super) const VENDORS: [(&str, &str, &str); 139] = [
    ("access_token", "token", r"\baccess_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}\b"),
    ("sk-", "api-key", r"\bsk-[A-Za-z0-9][A-Za-z0-9_-]{18,}"),
    ("AIza", "api-key", r"\bAIza[A-Za-z0-9_-]{35}"),
    ("GOCSPX-", "secret", r"\bGOCSPX-[A-Za-z0-9_-]{20,}"),
    (r"ya29\.", "token", r"\bya29\.[A-Za-z0-9_-]{20,}"),
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
    ("ghp_|gho_|ghu_|ghs_|ghr_", "token", r"\bgh[pousr]_[A-Za-z0-9_]{20,}"),
    ("github_pat_", "token", r"\bgithub_pat_[A-Za-z0-9_]{20,}"),
    (
        "glpat-|gldt-|glptt-|glcbt-|glimt-|glft-|glsoat-|glrt-|glrtr-|glagent-|gloas-|glffct-|glwt-",
        "token",
        r"\bgl(?:pat|dt|ptt|cbt|imt|ft|soat|rt|rtr|agent|oas|ffct|wt)-[A-Za-z0-9_.-]{16,}",
    ),
    ("GR1348941", "token", r"\bGR1348941[A-Za-z0-9_-]{20,}"),
    ("xox", "token", r"\bxox[a-z](?:\.xox[a-z])?(?:-\d)?-[A-Za-z0-9-]{10,}"),
    ("xapp-", "token", r"\bxapp-\d-[A-Za-z0-9-]{20,}"),
    ("hooks", "token", r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/_-]{20,})"),
    ("webhooks/", "token", r"discord(?:app)?\.com/api/(?:v\d+/)?webhooks/(\d{17,20}/[A-Za-z0-9_-]{40,})"),
    (r"\.[A-Za-z0-9_-]{6}\.", "token", r"\b[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}"),
    (":AA", "token", r"\b\d{8,10}:AA[A-Za-z0-9_-]{33}\b"),
    ("AKIA|ASIA|ABIA|ACCA", "aws", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    (
        "AccountKey|SharedAccess",
        "secret",
        r"\b(?:AccountKey|SharedAccessKey|SharedAccessSignature)=([A-Za-z0-9+/=%&-]{20,})",
    ),
    ("JQQJ9", "secret", r"\b[A-Za-z0-9]{40,}JQQJ9[9D][A-Za-z0-9]{8,}={0,2}"),
    (
        r"AzFu|AzSe|AzCa|ACDb|\+ACR|\+ASt|\+ARm|AIoT|APIM",
        "secret",
        r"\b[A-Za-z0-9+/_-]{30,}(?:Az(?:Fu|Se|Ca)|ACDb|[+]A(?:CR|St|Rm)|AIoT|APIM)[A-Za-z0-9+/_-]{4,10}={0,2}",
    ),
    ("csk-", "api-key", r"\bcsk-[a-z0-9]{40,}"),
    ("fw_", "api-key", r"\bfw_[A-Za-z0-9]{22,}\b"),
    ("hc[a-z]ik_", "api-key", r"\bhc[a-z]ik_[a-z0-9]{50,}"),
    ("AQE", "api-key", r"\bAQE[A-Za-z0-9+/]{30,}={0,2}-[A-Za-z0-9+/]{20,}={0,2}-[^\s\x22'\x60]{16}"),
    (r"st\.[0-9a-f]", "token", r"\bst\.[a-f0-9-]{24,36}\.[a-f0-9]{32}\.[a-f0-9]{32}"),
    ("00D", "token", r"\b00D[A-Za-z0-9]{12,15}![A-Za-z0-9._]{60,}"),
    ("[12]/[0-9]", "token", r"\b[12]/\d{13,19}(?:/\d{13,19})?:[a-f0-9]{32}\b"),
    (r"\bSCW", "api-key", r"\bSCW[A-Z0-9]{17}\b"),
    (r"\bu\+", "token", r"\bu\+[A-Za-z0-9_-]{18}\b"),
    ("IGQ", "token", r"\bIGQ[A-Z][A-Za-z0-9_-]{80,}"),
    (r"\b2[A-Za-z]", "token", r"\b2[A-Za-z][A-Za-z0-9]{25}_[A-Za-z0-9]{21}\b"),
    ("8Q~", "secret", r"\b[A-Za-z0-9_~.-]{3}8Q~[A-Za-z0-9_~.-]{31,}"),
    ("doo_v1_|dop_v1_|dor_v1_", "token", r"\bdo[opr]_v1_[a-f0-9]{40,}"),
    ("HRKU-", "api-key", r"\bHRKU-[A-Za-z0-9_-]{30,}"),
    ("fo1_|fm1|fm2", "token", r"\b(?:fo1_|fm1[ar]_|fm2_)[A-Za-z0-9+/=_-]{40,}"),
    ("nfp_", "token", r"\bnfp_[A-Za-z0-9]{30,}"),
    ("rnd_", "api-key", r"\brnd_[A-Za-z0-9]{24,}"),
    (r"v1\.0-", "api-key", r"\bv1\.0-[a-f0-9]{24}-[a-f0-9]{100,}"),
    ("pscale_", "password", r"\bpscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{30,}"),
    ("sbp_|sb_secret_", "api-key", r"\b(?:sbp_[a-f0-9]{40,}|sb_secret_[A-Za-z0-9_-]{20,})"),
    (r"SG\.", "api-key", r"\bSG\.[A-Za-z0-9_-]{15,}\.[A-Za-z0-9_-]{30,}"),
    ("key-", "api-key", r"\bkey-[a-f0-9]{32}\b"),
    ("-us", "api-key", r"\b[a-f0-9]{32}-us\d{1,2}\b"),
    ("xkeysib-|xsmtpsib-", "api-key", r"\bx(?:key|smtp)sib-[a-f0-9]{40,}-[A-Za-z0-9]{8,}"),
    ("SK[0-9a-f]{4}", "api-key", r"\bSK[0-9a-f]{32}\b"),
    ("shp", "token", r"\bshp(?:at|ca|pa|ss|tka)_[A-Fa-f0-9]{32,}"),
    ("sq0|EAAA", "token", r"\b(?:sq0[a-z]{3}-[A-Za-z0-9_-]{22,}|EAAA[A-Za-z0-9_+=-]{56,})"),
    ("ATATT3|ATCTT3", "token", r"\bAT[AC]TT3[A-Za-z0-9_=-]{30,}"),
    ("lin_", "api-key", r"\blin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    ("ntn_|secret_", "token", r"\b(?:ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{40,})\b"),
    ("figd|figo|figu|figr", "token", r"\bfig(?:d|oh|or|u|ur)_[A-Za-z0-9_-]{30,}"),
    (
        "pat",
        "token",
        r"\bpat(?:[A-Za-z0-9]{14}\.[a-f0-9]{64}|-[a-z]{2}\d-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12})\b",
    ),
    ("NRAK-|NRII-", "api-key", r"\bNR(?:AK|II|AA|RA|BR|JS)-[A-Za-z0-9_-]{20,}"),
    ("sntry", "token", r"\bsntry[su]_[A-Za-z0-9+/=_-]{32,}"),
    ("glsa_|glc_", "token", r"\b(?:glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}|glc_[A-Za-z0-9+/=]{32,})"),
    ("dt0", "token", r"\bdt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}\b"),
    (r"hvs\.|hvb\.|hvr\.", "token", r"\bhv[sbr]\.[A-Za-z0-9_-]{20,}"),
    ("atlasv1", "token", r"\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{40,}"),
    (r"dp\.", "token", r"\bdp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]+\.)?[A-Za-z0-9]{40,}"),
    ("dapi|pul-", "token", r"\b(?:dapi[a-f0-9]{32}(?:-\d)?|pul-[a-f0-9]{40})\b"),
    (r"\bABSK", "aws", r"\bABSK[A-Za-z0-9+/]{90,}={0,2}"),
    ("AZDO", "token", r"\b[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}\b"),
    ("LTAI", "api-key", r"\bLTAI[A-Za-z0-9]{12,24}\b"),
    (r"AQVN|t1\.[A-Z]", "token", r"\b(?:AQVN[A-Za-z0-9_-]{35,}|t1\.[A-Z0-9a-z_-]+={0,2}\.[A-Za-z0-9_-]{86}={0,2})"),
    ("api_org_", "token", r"\bapi_org_[A-Za-z0-9]{30,}"),
    ("-[0-9a-f]{8}-", "api-key", r"\b[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}\b"),
    ("NRAL", "api-key", r"\b[a-f0-9]{36}NRAL\b"),
    (r"\bs\.", "token", r"\bs\.(?:[A-Za-z]*\d[A-Za-z0-9]*){2}\b"),
    ("dose", "token", r"\bdose[a-f0-9]{32}\b"),
    (r"\bkey", "api-key", r"\bkey[A-Za-z0-9]{14}\b"),
    ("PMAK-", "api-key", r"\bPMAK-[a-f0-9]{24}-[a-f0-9]{34}\b"),
    ("ATBB", "token", r"\bATBB[A-Za-z0-9]{28,}"),
    ("ops_eyJ", "token", r"\bops_eyJ[A-Za-z0-9+/=_-]{100,}"),
    ("A3-", "secret", r"\bA3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}\b"),
    ("p8e-", "secret", r"\bp8e-[A-Za-z0-9]{32}\b"),
    ("AKCp|cmVmd", "token", r"\b(?:AKCp[A-Za-z0-9]{60,}|cmVmd[A-Za-z0-9]{59})\b"),
    ("CLOJARS_", "token", r"(?i)\bCLOJARS_[a-z0-9]{50,}"),
    ("EZAK|EZTK", "api-key", r"\bEZ[AT]K[A-Za-z0-9]{50,}"),
    ("EAAC|EAAM", "token", r"\bEAA[CM][A-Za-z0-9]{80,}"),
    ("FLWSECK|FLWPUBK", "api-key", r"\bFLW(?:SEC|PUB)K(?:_TEST)?-[A-Za-z0-9]{12,}(?:-X)?"),
    (r"\.eyJ", "token", r"\b[st]k\.eyJ[A-Za-z0-9_-]{30,}\.[A-Za-z0-9_-]{20,}"),
    ("API-", "api-key", r"\bAPI-[A-Z0-9]{26}\b"),
    ("sha256~", "token", r"\bsha256~[A-Za-z0-9_-]{40,}"),
    (
        "access-|sdk-|mob-|api-",
        "token",
        r"\b(?:access-(?:sandbox|development|production)|sdk|mob|api)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b",
    ),
    ("rdme_", "api-key", r"\brdme_[a-z0-9]{60,}"),
    ("squ_|sqp_|sqa_", "token", r"\bsq[upa]_[a-f0-9]{40}\b"),
    ("sgp_", "token", r"\bsgp_(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}\b"),
    (r"\bsl\.", "token", r"\bsl\.(?:u\.)?[A-Za-z0-9_-]{100,}"),
    ("bkua_|bkaa_|bkct_|bkpt_", "token", r"\bbk(?:ua|aa|ct|pt)_[a-f0-9]{40}\b"),
    ("napi_", "api-key", r"\bnapi_[a-z0-9]{40,}"),
    (r"\bfc-", "api-key", r"\bfc-[a-f0-9]{32}\b"),
    ("e2b_", "api-key", r"\be2b_[a-f0-9]{40}\b"),
    (r"snyk_", "token", r"\bsnyk_[a-z]{3}\.[a-f0-9]{8}\.[A-Za-z0-9_-]{40,}"),
    ("webhook", "token", r"\b[a-z0-9-]+\.(?:webhook\.office|office)\.com/webhookb?2?/([A-Za-z0-9@/-]{60,})"),
    (r"hooks\.z|/catch/", "token", r"\bhooks\.zapier\.com/hooks/catch/([A-Za-z0-9/]{8,})"),
    ("tskey-", "token", r"\btskey-[a-z]+-[A-Za-z0-9-]{16,}"),
    ("nvapi-", "api-key", r"\bnvapi-[A-Za-z0-9_-]{40,}"),
    ("tfp_", "token", r"\btfp_[A-Za-z0-9_.=-]{40,}"),
    ("fio-u-", "token", r"\bfio-u-[A-Za-z0-9_=-]{50,}"),
    ("ico-", "api-key", r"\bico-[A-Za-z0-9]{32}\b"),
    ("tk-us-", "token", r"\btk-us-[A-Za-z0-9_-]{40,}"),
    ("vercel_", "token", r"\bvercel_blob_rw_[A-Za-z0-9]+_[A-Za-z0-9]{20,}"),
    ("_mmk", "api-key", r"\b[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk\b"),
    (r"\bre_", "api-key", r"\bre_[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,}"),
    ("CCIPAT_|CCIPRJ_", "token", r"\bCCIP(?:AT|RJ)_[A-Za-z0-9]+_[a-fA-F0-9A-Za-z]{40}"),
    ("duffel_", "token", r"\bduffel_(?:test|live)_[A-Za-z0-9_=-]{40,}"),
    ("shippo_", "token", r"\bshippo_(?:test|live)_[a-f0-9]{40}"),
    ("phx_|phs_", "api-key", r"\bph[xs]_[A-Za-z0-9]{40,}"),
    ("CFPAT-", "token", r"\bCFPAT-[A-Za-z0-9_-]{40,}"),
    ("essu_", "api-key", r"\bessu_[A-Za-z0-9+/=_-]{40,}"),
    ("pcsk_", "api-key", r"\bpcsk_[A-Za-z0-9_]{40,}"),
    ("pnu_", "api-key", r"\bpnu_[A-Za-z0-9]{36}\b"),
    ("cfut_|cfat_", "token", r"\bcf[uak]t?[tk]?_[A-Za-z0-9]{40,}"),
    ("wandb_", "api-key", r"\bwandb_v1_[A-Za-z0-9_]{40,}"),
    (r"\bak_", "api-key", r"\bak_[A-Za-z0-9]{24,}"),
    (r"\bco_", "api-key", r"\bco_[A-Za-z0-9]{36,}"),
    (r"amzn\.mws", "token", r"\bamzn\.mws\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"),
    (r"\b6L", "secret", r"\b6L[A-Za-z0-9_-]{6}AAAAA[A-Za-z0-9_-]{27}\b"),
    ("4/0A", "token", r"\b4/0A[A-Za-z0-9_-]{30,}"),
    ("AAAA", "token", r"\b(?:AAAA[A-Za-z0-9_-]{7}:[A-Za-z0-9_-]{130,}|A{15,}[A-Za-z0-9%]{60,})"),
    ("rzp_", "api-key", r"\brzp_(?:live|test)_[A-Za-z0-9]{14,}"),
    ("xaat-|xapt-", "token", r"\bxa[ap]t-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"),
    ("[|]eyJ", "token", r"\b(?:prod|dev|preview|project):[a-z0-9:|-]+\|eyJ[A-Za-z0-9+/=_-]{30,}"),
    ("AGE-SECRET", "private-key", r"\bAGE-SECRET-KEY-1[A-Z0-9]{50,}"),
];

#[cfg(test)]
mod tests {
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
                Regex::new(hint).expect("a hint").is_match(&secret)
                    && Regex::new(form).expect("a form").is_match(&secret)
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
            let mut redactor = crate::redact::Redactor::default();
            assert_eq!(redactor.text(innocent), innocent);
        }
    }
}
