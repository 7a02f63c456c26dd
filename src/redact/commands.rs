//! Secrets in command lines that no label names: `curl -u user:...`, `mysql -p...`, `sshpass -p ...`, and in the files of such tools.

/// What a text must hold, the kind of secret, and its form, as in `shapes`.
pub(super) const COMMANDS: [(&str, &str, &str); 16] = [
    ("curl", "password", r#"\bcurl\b[^\n|;]*?\s(?:-u|--user|-U|--proxy-user)[ =]?["']?[^\s:"'$]+:([^\s"'$]{3,})"#),
    ("curl", "cookie", r#"\bcurl\b[^\n|;]*?\s(?:-b|--cookie)[ =]?["']?([^\s"'=]+=[^\s"']{6,})"#),
    ("(?i-u:mysql|mariadb)", "password", r#"\b(?:mysql|mariadb)[a-z-]*\b[^\n|;]*?\s-p["']?([^\s"'$-][^\s"']{2,})"#),
    ("sshpass", "password", r#"\bsshpass\s+-p\s*["']?([^\s"'$][^\s"']{2,})"#),
    ("redis-cli", "password", r#"\bredis-cli\b[^\n|;]*?\s-a\s+["']?([^\s"'$][^\s"']{3,})"#),
    (
        r"\blogin\b",
        "password",
        r#"\b(?:docker|podman|helm|oras|crane|az|skopeo|nerdctl|buildah)\b[^\n|;]*?\blogin\b[^\n|;]*?\s-p\s+["']?([^\s"'$-][^\s"']{3,})"#,
    ),
    (
        "(?i-u:zip|7z|rar)",
        "password",
        r#"\b(?:unzip|zip|7za?|unrar|rar)\b[^\n|;]*?\s-[Pp]\s*["']?([^\s"'$-][^\s"']{3,})"#,
    ),
    ("htpasswd", "password", r#"\bhtpasswd\b[^\n|;]*?\s-[a-zA-Z]*b[a-zA-Z]*\s+\S+\s+\S+\s+["']?([^\s"'$][^\s"']{2,})"#),
    ("pass:", "password", r#"\s-(?:pass|passin|passout|k)\s+pass:([^\s"'$][^\s"']{3,})"#),
    (
        "(?i-u:echo|printf)",
        "password",
        r#"\b(?:echo|printf)\s+(?:-n\s+)?["']?([^\s"'$|][^\s"'|]{5,})["']?\s*\|\s*(?:sudo\s+-S|[a-z]+\s+login|[^\n|;]*--password-stdin|passwd\b|chpasswd)"#,
    ),
    ("ldap", "password", r#"\bldap[a-z]+\b[^\n|;]*?\s-w\s+["']?([^\s"'$][^\s"']{3,})"#),
    (
        "smbclient|winexe|rpcclient",
        "password",
        r#"\b(?:smbclient|winexe|rpcclient)\b[^\n|;]*?\s-U\s+["']?[^\s%"']+%([^\s"'$]{3,})"#,
    ),
    ("sqlplus|sqlldr", "password", r#"\b(?:sqlplus|sqlldr)\b[^\n|;]*?\s["']?[^\s"'/=-]+/([^\s"'@$/]{4,})@"#),
    ("(?i-u:login)", "password", r#"(?i)\blogin\s+\S+\s+password\s+["']?([^\s"'$<]{4,})"#),
    ("(?i-u:identified|password)", "password", r"(?i)\b(?:identified\s+by|password)\s+'([^'\s$<]{4,})'"),
    (r":5432:|:3306:|:\*:", "password", r"(?m)^[\w.*-]+:(?:\d{2,5}|\*):[\w*-]+:[\w*-]+:([^\s:]{4,})$"),
];
