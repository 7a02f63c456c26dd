//! The corpus of `docs/secrets.md`: secrets of many kinds in many places, and what looks like them. Keys are made when the
//! test runs, from the alphabets of their makers, so that nothing here is one.

use super::Redactor;

/// What a maker's keys look like. `{w36}` is 36 letters or digits; `x` hexadecimal, `u` with `-` and `_`, `b` base64, `l` small
/// letters and digits, `U` capitals and digits, `d` digits, `g` a UUID.
const FORMS: &str = "AKIA{U16} ASIA{U16} ABSK{b120}= AIza{u35} GOCSPX-{u28} ya29.{u90} 1//0{u60} {w3}8Q~{w34} {w76}AZDO{w4} \
    ghp_{w36} gho_{w36} ghu_{w36} ghs_{w36} ghr_{w36} github_pat_{w22}_{w59} glpat-{u20} gldt-{u20} glrt-{u20} glptt-{x40} \
    glcbt-{w2}_{u20} glagent-{u50} xoxb-{d12}-{d13}-{w24} xoxp-{d12}-{d12}-{d12}-{x32} xapp-1-A{U10}-{d13}-{x64} \
    xoxe.xoxp-1-{w160} sk_live_{w24} rk_live_{w40} sk_test_{w24} whsec_{w32} sk-proj-{u48}T3BlbkFJ{u48} sk-{w20}T3BlbkFJ{w20} \
    sk-ant-api03-{u93}AA sk-or-v1-{x64} hf_{w34} api_org_{w34} npm_{w36} pypi-AgEIcHlwaS5vcmc{u80} dop_v1_{x64} doo_v1_{x64} \
    SK{x32} SG.{u22}.{u43} key-{x32} {x32}-{x8}-{x8} {x32}-us14 xkeysib-{x64}-{w16} shpat_{x32} shpss_{x32} sq0atp-{u22} \
    EAAA{u60} {d9}1:AA{u33} NRAK-{U27} {x36}NRAL sntryu_{x64} hvs.{u90} hvb.{u150} {w14}.atlasv1.{u64} dapi{x32} sbp_{x40} \
    sb_secret_{u31} lin_api_{w40} ntn_{w46} secret_{w43} pat{w14}.{x64} figd_{u40} PMAK-{x24}-{x34} dp.pt.{w43} dp.st.prd.{w43} \
    fo1_{u43} HRKU-AA{u58} v1.0-{x24}-{x146} AGE-SECRET-KEY-1{U58} rubygems_{x48} dckr_pat_{u27} cio{w32} oy2{l43} gsk_{w52} \
    r8_{w37} pplx-{w48} xai-{w80} tvly-dev-{w32} lsv2_pt_{x32}_{x10} nfp_{w36} rnd_{w28} pscale_tkn_{u43} ATATT3xFf{u170} \
    ATBB{w32} glsa_{w32}_{x8} glc_{b100} dt0c01.{U24}.{U64} pat-na1-{g} pul-{x40} ops_eyJ{b300} A3-{U6}-{U6}-{U5}-{U5}-{U5}-{U5} \
    p8e-{l32} LTAI{w20} AKCp{w69} CLOJARS_{l60} duffel_live_{u43} EZAK{w54} EAAC{w120} FLWSECK_TEST-{x32}-X fio-u-{u64} \
    API-{U26} sha256~{u43} access-production-{g} pnu_{w36} rdme_{l70} shippo_live_{x40} squ_{x40} sgp_{x16}_{x40} tfp_{u44} \
    nvapi-{u64} bkua_{x40} CCIPAT_{w22}_{w40} phx_{w43} CFPAT-{u43} sdk-{g} napi_{l64} tskey-auth-{w12}-{w32} fc-{x32} \
    cflt{b60} token-{l5}:{l54} EAAG{w120} unkey_{w24} K005{b27} ATTA{x64} zpka_{x32}_{x8} mzp_{x64} rootly_{x64} \
    esecret_{w26} {x32}FFFFNRAL v4.local.{u120} nsec1{l58} xprv9s21{w100} SU{U56} testsk_{u40} live_{w36} AVNS_{u20} waka_{g} lip_{w20} amzn1.oa2-cs.v1.{x64} \
    pcsk_{w6}_{w60} snyk_uat.{x8}.{u70} wandb_v1_{w60} amzn.mws.{g} xaat-{g} \
    00{u40} BSA{u28} 11{x32} {w52}JQQJ99{w14} csk-{l48} fw_{w24} hcaik_01{l58} st.{x24}.{x32}.{x32} 00D{w15}!{w96} \
    2/{d16}/{d16}:{x32} IGQV{u150} SCW{U17} $2b$12${w53} $6${w16}${w86} $apr1${w8}${w22} \
    $argon2id$v=19$m=65536,t=3,p=4${w22}${b43} pbkdf2_sha256$600000${w22}${b43}= \
    ghs_{d7}_eyJ{w33}.eyJ{w40}.{w64} snyk_uat.{x8}.{w40}.{w46} ATSTT3xFf{u170} EAAB{w104} \
    AstraCS:{w24}:{x64} 0.{g}.{w30}:{b22}== hawk.{u20}.{u20} akab-{l16}-{l16} api_{w22}.{w22} 2/{d16}:{x32} dvc_server_{x64} *:production.{x52} \
    ser.{w22} cu_{x32} web_{x64} ldpat_{x32} hb_{x32} dtn_{x64} rf_{w20} KGAT_{x32} shpua_{x32} gto_{l56} v1.{x40} AKLT{w40} as-{w22} 4b1d{w38} \
    chpt_{x12} s-s4t2ud-{x64} pk_{d8}_{U32} pk_{x34} {x24}:{x64} {g}:fx dG9rOj{w40} ver:1-hint:{d10}-{u60} t-g1{w28} b_{w44} m0-{w40} SCRAM-SHA-256$4096:{b22}==${b43}=:{b43}=";

/// Keys of makers that nobody has heard of.
const UNLISTED: &str = "acme_live_{w32} zz9_{w40} tok-{w24} qrs_test_{x40} blip_sk_{w28} svc-prod-{w36} hub_pat_{w30} vend_api_{x48} \
    nimbus_{w44} orbit-key-{w32} k9x_{w48} ferro_secret_{u40} lumen-token-{x32} pq_{w16}_{w32} tern_auth_{l40} wisp-{w40} \
    quill_bot_{w36} dune_access_{w40} moss_rt_{x64} pine-sandbox-{w26} reef_priv_{u44} elm_oauth_{w33} zeta_cli_{w40} \
    krx_{x40} krx_{x64} vbn_{l36} plq-{l36} dwz_{U34} tal_secret_{u22} oak-token-{u24} fir_sk_{u43} ash_key_{u22} tpz.{w32} tpz.{x40}";

/// Texts in which a key stands by itself. In all lists `~` ends a text, and `^` is the end of a line.
const PLACES: &str = "§~please use § for the next call~the value is '§'.~I found `§` in it~f(\"§\")~value: §^port: 80~[main]^value = §~\
    curl -d '§' https://x.io~{\"v\":\"§\"}~bad credentials §~id,val^1,§~| x | § |~<v>§</v>~--verbose §";

/// Texts in which a word and `_` stand before a key.
const BEHIND: &str = "backup_§~{\"v\":\"tool_§\"}~deploy_bot_§ is in use";

/// Names that give a secret away, and its letters.
const NAMES: &str = "AWS_SECRET_ACCESS_KEY={b40} DD_API_KEY={x32} DD_APPLICATION_KEY={x40} TWILIO_AUTH_TOKEN={x32} SNOWFLAKE_PASSWORD={w16} \
    CLOUDFLARE_API_TOKEN={u40} HEROKU_API_KEY={g} ALGOLIA_ADMIN_KEY={x32} COHERE_API_KEY={w40} OKTA_API_TOKEN=00{u40} DB_PASSWORD={w12} \
    PGPASSWORD={w14} MYSQL_ROOT_PASSWORD={w12} JWT_SECRET={w48} SECRET_KEY_BASE={x128} NEXTAUTH_SECRET={b43} OAUTH_CLIENT_SECRET={w40} \
    REFRESH_TOKEN={w60} CIRCLE_TOKEN={x40} ENCRYPTION_KEY={x64} SMTP_PASS={w16} TWITTER_CONSUMER_KEY={w25} PUSHER_APP_KEY={x20} \
    PAGERDUTY_INTEGRATION_KEY={x32} NEW_RELIC_LICENSE_KEY={x40} GPG_PASSPHRASE={w20} AZURE_DEVOPS_PAT={l52} COSMOS_ACCOUNT_KEY={b86} \
    SENTRY_AUTH_TOKEN={x64} ADMIN_PASSWD={w11} TOTP_SECRET={U32} VAULT_UNSEAL_KEY={b44} ETH_PRIVATE_KEY=0x{x64} API_BEARER={w40} \
    DB_PASSWORD_PROD={w16} API_TOKEN_V2={w24} rootPw={w14} smtppass={w14} CREDS={w20} JSESSIONID={U32} passwordOld={w14} WIFI_KEY={w16}";

/// Texts in which a name stands before its value.
const LABELLED: &str = "export £=§ && ./run~export £='§'; x~docker run -e £=§ img~tool --£ § go~tool --£=§ go~your £ is: §~app:^  £: §^  port: 80~\
    app:^  £: \"§\"~env:^  - name: £^    value: §^  - name: B~app:^  £: |^    §^  x: 1~[x]^£ = §^port = 80~A=1^£=\"§\"^B=2~\
    Config:^{ \"£\": \"§\" }~os.environ[\"£\"] = \"§\"~const c = { £: '§', x: 1 }~$env:£ = \"§\"~<c><£>§</£></c>~\
    <add key=\"£\" value=\"§\"/>~FROM x^ENV £ §^RUN y~'£' => '§',~setx £ §~https://x.io/a?b=1&£=§&c=2~curl -H 'X-£: §' x";

/// What no name and no form gives away, but the tool or the text around it; `§` is a password.
const AROUND: &str = "curl -u admin:§ https://x~mysql -u root -p§ shop~sshpass -p § ssh x~redis-cli -h x -a § ping~docker login -u jo -p § r.io~\
    unzip -P § a.zip~htpasswd -b f jo §~openssl enc -pass pass:§~CREATE USER a WITH PASSWORD '§'~CREATE USER a IDENTIFIED BY '§'~\
    machine x login jo password §~db.x:5432:app:svc:§~the password is §.~log in with password §~user jo (password: §)~\
    postgres://svc:§@db:5432/app~redis://:§@cache:6379/0~https://jo:§@git.io/x.git~Server=tcp:db;User ID=svc;Password=§;Encrypt=True~\
    jdbc:postgresql://db/app?user=svc&password=§~Cookie: theme=dark; session=§§~Set-Cookie: sid=§§; Path=/~Authorization: Bearer §§~\
    Authorization: token §§~Authorization: ApiKey §§~//registry.npmjs.org/:_authToken=§§~echo § | docker login --password-stdin~\
    username=jo&password=§&x=1~https://b.io/k?X-Amz-Signature=§§~-----BEGIN PRIVATE KEY-----^§§^-----END PRIVATE KEY-----~\
    id,user,password^1,jo,§^2,eve,yes~user\tdb_password^jo\t§~| user | Password |^|---|---|^| jo | `§` |~ user | password_hash ^-----+---^ jo | §^(1 row)~\
    variable \"db_password\" {^  type = string^  default = \"§\"^}~tokens:^  - §§^  - §§~<key>ApiKey</key>^<string>§§</string>~WIFI:T:WPA;S:a;P:§;;~\
    network={^ psk=\"§\"^}~sqlplus scott/§@//db:1521/x~mongosh -u a -p § db~snmpwalk -v2c -c § h~ipmitool -H h -P § power~rabbitmqctl add_user w §~wpa_passphrase net §~\
    vault kv put secret/app value=§~gh secret set X --body §~kubectl create secret generic a --from-literal=v=§~http -a bob:§ h~\
    s.login(\"bob@ex.com\",\"§\")~createHmac('sha256','§')~<input type=\"password\" name=\"f\" value=\"§\">~- textbox \"Password\" [ref=e12]: §~\
    page.fill('#password','§')~our admin password (`§`) must go~<add key=\"gpgPassphrase\" value=\"§\" />~{\"user\":\"bob\",\"pass\":\"§!\"}~sqlcmd -S x -U sa -P §~xfreerdp /u:a /p:§ /v:h~keytool -storepass § -list~requirepass §~\
    snmp-server community § RO~HTTPBasicAuth('ann', '§')~auth=('ann', '§')~page.getByLabel('Password').fill('§')~cy.get('#password').type('§')~\
    {\"selector\":\"input[type=password]\",\"text\":\"§\"}~{\"element\":\"Password field\",\"ref\":\"e5\",\"text\":\"§\"}~\
    {\"label\":\"password\",\"value\":\"§\"}~{\"password\":{\"value\":\"§\"}}~{\"kind\":\"Secret\",\"data\":{\"foo\":\"§\"}}~kind: Secret^data:^  FOO: §~\
    {\"kty\":\"oct\",\"k\":\"§§\"}~INSERT INTO users (name, password) VALUES ('ann', '§')~SET PASSWORD FOR a = PASSWORD('§')~\
    Your password is §~Password:^  §^~password for ann: §~Invalid token '§§'~let db_password: &str = \"§\";~val dbPassword: String = \"§\"~\
    db_password = b'§'~x.DB_PASSWORD || '§'~ds.setPassword(\"§\")~db_password: Some(\"§\")~- **Password**: `§`~**API Key:** §§~\
    <wsse:Password Type=\"x\">§</wsse:Password>~<password><![CDATA[§]]></password>~&lt;password&gt;§&lt;/password&gt;~<string name=\"api_key\">§§</string>~\
    password: !!str §^x: 1~password: &pw §^x: 1~TOKEN ?= §§~set -gx JWT_SECRET §~setx DB_PASSWORD \"§\" /M~name=\"password\"^^§^--b~\
    \u{1b}[32mDB_PASSWORD\u{1b}[0m=\u{1b}[33m§\u{1b}[0m~used {\"db_password\": \"§\"} here~?d=%7B%22db_password%22%3A%20%22§%22%7D~das Passwort lautet §~\
    {\"setting\":\"db_password\",\"new_value\":\"§\"}~{\"op\":\"replace\",\"path\":\"/spec/password\",\"value\":\"§\"}~{\"fieldName\":\"pwd\",\"fieldValue\":\"§\"}~\
    {\"element\":\"Mot de passe\",\"text\":\"§\"}~{\"key\":\"DB\",\"value\":\"§\",\"secret\":true}~{\"sensitive\":true,\"type\":\"string\",\"value\":\"§\"}~\
    {\"Type\":\"SecureString\",\"Value\":\"§\"}~{\"user\":\"jo\",\"pass\":\"§\"}~{\"pass\":\"§\",\"email\":\"a@x\"}~user=jo pass=§~username: jo^pass: §^x: 1~\
    root:§@tcp(h:3306)/app~scott/§@//h:1521/x~https://§§:@api.io/x~the password for the admin account is §.~I changed the root password to §.~\
    if password == \"§\":~Dim password As String = \"§\"~new NetworkCredential(\"ann\", \"§\")~document.querySelector('#password').value = '§'~\
    jwt.sign(payload, '§')~SET PASSWORD FOR 'a'@'%' = '§'~CREATE USER scott IDENTIFIED BY §;~ACL SETUSER bob on >§ +@all~vault login §~\
    mc alias set m https://x KEY §~username admin password 0 §~a001 LOGIN ann §~X-JFrog-Art-Api: §§~Authorization: Negotiate §§~\
    Hasło: §~Jelszó: §~Şifre: §~Парола: §~كلمة المرور: §~סיסמה: §~Mật khẩu: §~รหัสผ่าน: §~पासवर्ड: §~kata sandi: §~密码是 §~パスワードは § です~clave: §~\
    mot de passe: §~\
    {\"password_confirmation\":\"§\"}~{\"passwordAgain\":\"§\"}~curl -sSu admin:§ https://x~var secret = @\"§§\";~bob:{SHA}§§~ldap:^  bind_pw: §^~\
    INSERT INTO users (email, password) VALUES ('a@x', '§%d')~<input name=\"csrf_token\" type=\"hidden\" value=\"§§\">~The token was set to \"§§\"~\
    {\"id\":\"api-key\",\"password\":true,\"value\":\"§§\"}~https://mainnet.infura.io/v3/§§~https://api.telegram.org/bot123456789:AA§§/getMe~\
    ---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----^§§^---- END SSH2 ENCRYPTED PRIVATE KEY ----~§§§§^-----END RSA PRIVATE KEY-----~AUTH PLAIN §§^~\
    [\"password\"]=>^  string(14) \"§\"~contraseña=§~Пароль: §~密码：§~passwort_x: 1^kennwort: §~https://§§@git.acme.io/a/b.git~\
    define( 'DB_PASSWORD', '§' );~setenv(\"DB_PASSWORD\", \"§\", 1);~System.setProperty(\"db.password\", \"§\")~buildConfigField(\"String\", \"MAPS_API_KEY\", \"§§\")~\
    API-Schlüssel: §§~API密钥：§§~APIキー: §§~API 키: §§~clé API: §§~clave API: §§~chave de API: §§~токен: §§~トークン：§§~토큰: §§~访问令牌: §§~секретный ключ: §§~\
    κωδικός πρόσβασης: §~r.setValue(\"§§\", forHTTPHeaderField: \"X-API-Key\")~The temporary password for jdoe has been set to §.~vercel deploy -t §§~\
    CREATE USER scott IDENTIFIED BY \"§\";~net use z: \\\\srv\\share /user:bob §~expect \"password:\"^send \"§\\r\"~-----BEGIN OpenVPN Static key V1-----^§§^-----END OpenVPN Static key V1-----";

/// What looks like a secret, and is none.
const INNOCENT: &str = "sk-learn-contrib-lightning-project~Bearer $TOKEN~Bearer <token>~Authorization: Bearer YOUR_TOKEN_HERE~Authorization: Bearer {token}~\
    sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08~da39a3ee5e6b4b0d3255bfef95601890afd80709~\
    550e8400-e29b-41d4-a716-446655440000~01ARZ3NDEKTSV4RRFFQ69G5FAV~507f1f77bcf86cd799439011~toolu_01A09q90qw90lq917835lq9~\
    call_abc123DEF456ghi789JKL012~msg_01XFDUDYJgAACzvnptvVoYEL~chatcmpl-9XyZabcdefGHIJKL0123456789mnop~req_011CSHoEeqs5C35K2UUqR7Fy~\
    resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b~commit 1a410efbd13591db07496601ebc7a059dd55cfe9~index 83db48f..bf269f4 100644~\
    refs/heads/feature/token-refresh~the token bucket algorithm~a password must have 8 characters~Password: required~password: string~\
    max_tokens=4096~total_tokens: 5123~secret: optional~api_key: null~API_KEY=~API_KEY=your-api-key-here~export TOKEN=$(cat /run/token)~\
    TOKEN=${{ secrets.TOKEN }}~password=****~-----BEGIN CERTIFICATE-----^MIIBszCCARygAwIBAgIJ^-----END CERTIFICATE-----~\
    ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8Vt0Q8Xn1k jo@x~https://example.com/a?page_token=abc123&next=4~nextPageToken: CAUQAA~\
    eyJvZmZzZXQiOjEwMCwibGltaXQiOjUwfQ==~aGVsbG8gd29ybGQsIHRoaXMgaXMganVzdCB0ZXh0~git@github.com:acme/secrets.git~src/auth/token.ts:12:5~\
    import { getToken } from './auth'~const token = await getToken();~let password = prompt('Password');~password = os.environ['PASSWORD']~\
    token = request.headers.get('Authorization')~if (token === null) return;~primary_key=id~foreign key (user_id)~sort_key = created_at~\
    partition_key: user_id~public_key: MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE~SK is short for secret key~ghp_short~xoxb-example~\
    hf_hub_download(repo_id='a/b')~npm_config_cache=/tmp/x~key-value-store~version 1.2.3-rc.1+build.5~192.168.1.1:8080~me@example.org~\
    /usr/lib/x86_64-linux-gnu/libcrypto.so.3~arn:aws:iam::123456789012:role/admin~projects/acme/secrets/db-password/versions/latest~\
    postgres://localhost:5432/app~postgres://user@localhost/app~postgres://user:$PGPASSWORD@localhost/app~https://user:password@example.com~\
    http://localhost:3000/cb?code=<code>~std::collections::HashMap::<String, Token>::new()~auth: oauth2~Authorization code flow with PKCE~\
    cookie: accepted~Basic authentication~session: 3 of 5~author: Jane~tokenizer: cl100k_base~token_type=bearer~secretName: db-credentials~\
    passwordless: true~key_id=4~--password-stdin~--token-file /run/t~curl -u $USER:$PASS x~mysql -p shop~com.acme.token.TokenService~\
    TestTokenExpired_returns401~refresh_token_expired~error=invalid_token~unexpected token < in JSON at position 0~missing API key~\
    The api key is invalid~The password is incorrect~token is expired~password was changed yesterday~us-east-1~react-dom@18.2.0~\
    0xde0B295669a9FD93d5F28D9Ec85E40f4cb697BAe~traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01~etag: 5d8c72a5edda8d6a~\
    nginx-deployment-66b6c48dd5-7xk2p~main-9f86d081884c7d65.js~progress token 550e8400-e29b-41d4-a716-446655440000~{\"type\":\"string\",\"format\":\"password\"}~\
    | Token | Count |^|---|---|^| the | 12 |^| gpt-4 | 3 |~name,token,count^hello,the,3^world,of,2~password_hash VARCHAR(255) NOT NULL~\
    variable \"db_password\" {^  type = string^}~tokens:^  - access^  - refresh~$2b$ is how bcrypt begins~awk '{print $1$2$3}'~https://jsmith42@git.acme.io/x~\
    sqlplus user@db~seed phrase: write down twelve words~\
    x = ask(\"Password: \")^y = 2^z = ask(\"ok\")~print(\"token=\" + repr(raw))^print(\"done\")~token, value = get_cfws(value)~token = get_token(value)~\
    api_key = GraphqlAPIKey(description, expires)~self.api_key = api_key~client_token=client_token,~headers['Authorization'] = auth_header~\
    self.token = nextchar~username, password = split~token = tokens[i]~password = params[:password]~secret_key = config[\"secret_key\"]~let secret = self~\
    let password = match password {~pub frag_token: __u32,~token = (NAME, 'Hello')~user_pass = '%s:%s' % (u, p)~the --username and --password options~\
    man5/passwd.5 man5/proc.5~token          = 1*tchar~xoxo-hugs-and-kisses~Token.String: \"#AB0909\",~{\"token\":\"identifier\",\"value\":\"fooBar\"}~\
    {\"credentials\":\"include\"}~{\"errors\":{\"password\":\"must be at least 8 characters\"}}~Cookie: lang=en~Set-Cookie: theme=dark; Path=/~\
    'KvJumpToKey',^'KvGetNameSymbol',^'SQLTxnFailure',~{\"tokens\":[\"the\",\"quick\",\"fox\"]}~req.headers.authorization~my_test_helper_for_tokens~\
    curl -H \"Authorization: Bearer $TOKEN\" https://api.example.com/v1/me~$token = $request->bearerToken();~/docs?key=getting-started&section=install~\
    ?token=next-page~api_token = \"TODO\"~arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-feV6ZU~the password is case-sensitive~\
    the token was set to expire~password_confirmation does not match~<input name=\"token\" type=\"text\" value=\"Enter here\">~{\"id\":\"token\",\"value\":\"fooBar\"}~\
    https://mainnet.infura.io/v3/<key>~name = '%s_password_%d' % (u, n)~\
    {\"command\":\"ls\",\"pwd\":\"/home/jo/project\"}~a^pwd: /home/jo/project^b~{\"pwd\":\"C:\\\\work\"}~a^password: incorrect^b~\
    password: arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-AbCdEf~a^password: file:///run/secrets/db^b~\
    a^password: @Microsoft.KeyVault(SecretUri=https://x)^b~{\"password\":\"/run/secrets/db2\"}~{\"bypass\":\"on-2026-weekdays\"}~\
    {\"sessionId\":\"a3f9c2d1b8e7\"}~{\"compass\":\"north42west17north\"}~{\"user\":\"jo\",\"pass\":true}~a tests: pass 12, fail 3~\
    {\"token_test\":\"passed twice\"}~user jo: pass 3 of 4~incredible credits: 12 points~answer: the key of the map is next~\
    changed the password to something else~set the token to null~if (password == \"\") return~token === 'identifier2'~password !== confirm~\
    {\"path\":\"/src/token\",\"value\":\"let x\"}~{\"value\":\"\",\"secret\":true}~{\"name\":\"q\",\"value\":\"aB3dE5gH7jK9mN1p\",\"sensitive\":false}~\
    login tests pass: 1204 of 1300~clave: valor primaria~geslo: ne~parole: English 2~密码是必填的~パスワードは 必須です~the token for this session is expired~\
    {\"prompt\":\"Write a password checker\",\"system\":\"be brief\"}~{\"setting\":\"theme\",\"new_value\":\"dark-2\"}~{\"keyName\":\"id\",\"value\":\"jo-smith\"}~\
    users identified by their email2~vault login -method=oidc~username admin privilege 15~git clone https://git.io/a.git@//x~\
    the password for the demo is optional~set.add(key) for each key is fine~el.value = 'hello2you'~as-is, was-not, ak-47~user.name and parser.v1.2~\
    ambiguous: cu_type, hb_shape, rf_model, web_server_2~Newtonsoft.Json, Culture=neutral, PublicKeyToken=30ad4fe6b2a6aeed~\
    postgresql://%(user)s:%(password)s@%(host)s/db~Pass --secret needed~{\"messages\":{\"password\":\"Mot de passe\",\"secret\":\"Secret partagé\"}}~\
    {\"password\":\"Passwort\",\"forgot_password\":\"Mot de passe oublié\"}~\
    disk_sk-learn-contrib-lightning-project~my_ghp_short~test_re_compile_catastrophicbacktrackingpattern2~use_hf_hub_download_with_resume~\
    cache_key-9f86d081884c7d659a2feaa0c55ad015~public_api-550e8400-e29b-41d4-a716-446655440000~x_npm_config_registry_of_the_project~\
    release_v1.da39a3ee5e6b4b0d3255bfef95601890afd80709~task_sk-estimators-checks-common-parametrize~\
    is_pypi-package-index-with-a-long-name-of-many-words";

/// What is drawn by lot, too, and opens nothing: hashes, public keys, ids.
const DRAWN: &str = "\"contentHash\": \"{b86}==\"~sha512-{b86}==~Restored from key: Linux-cargo-{x64}~Linux-node-{x64}~Windows-build-{x40}~\
    macOS-pip-{x64}~r.io/app:prod-{x40}~a test_{x40}.tar~app-prod-{x40}~npm-{x64}~{\"code_challenge\":\"{u43}\"}~{\"y\":\"{u43}\"}~\
    {\"n\":\"{u342}\"}~{\"credentialId\":\"{u27}\"}~etag: \"{u43}\"~google-site-verification={u43}~?versionId={u32}~pk_live_{w24}~pk_test_{w24}~\
    phc_{w43}~https://{x32}@o123.ingest.sentry.io/4~Deployment dpl_{w28} is ready~prj_{w28}~cntr_{x48}~conv_{x48}~mcpl_{x48}~ckpt_{U26}~\
    user_2{w26}~org-{w24}~{x40}~{x64}~{g}~/nix/store/{l32}-hello-2.12~SHA256:{b43}~h1:{b43}=~AROA{U16}~pkg:a@{x40}~css-{x40}~css.{x40}~main.{x40}.js~ctx.getUserByIdWhenItIsThere2~a.{x40}~x.tgz.{x40}~thing_{w27}~\
    {\"sha\":\"{x40}\",\"key\":\"build-{x64}\"}~{\"cacheKey\":\"v2-deps-{x64}\"}~{\"sessionId\":\"{x32}\"}~\"etag\":\"W/{u27}\"~\
    {b86}==~{\"signature\":\"{b86}==\"}~a.py,sha256={u43},4088~vpce-svc-{x17}~{\"clientToken\":\"{g}\"}~\
    trace_{x32}-{x8}-{x8}~my_web_{x64}~main_app-{l24}~cache_key-{x32}~main_api-{g}~build_v1.{x40}~out_md-{u22}~\
    span_{x16}~tool_{x40}~backup_{x64}.tar~get_item_{g}";

/// Letters by lot, always the same.
struct Lot(u64);

impl Lot {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % below
    }

    /// So many letters of an alphabet, with a letter and a digit among them, and no sign at either end.
    fn letters(&mut self, alphabet: &[u8], count: usize) -> String {
        loop {
            let text: String = (0..count).map(|_| char::from(alphabet[self.next(alphabet.len())])).collect();
            let mixed = |text: &str| {
                text.bytes().any(|byte| byte.is_ascii_digit()) && text.bytes().any(|byte| byte.is_ascii_alphabetic())
            };
            let ends = !text.starts_with(['-', '_', '+', '/']) && !text.ends_with(['-', '_', '+', '/']);
            if ends && (count < 8 || alphabet.len() == 10 || mixed(&text)) {
                return text;
            }
        }
    }

    fn part(&mut self, kind: &str) -> String {
        let (small, capitals, digits) = ("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789");
        let count = kind[1..].parse().unwrap_or_default();
        let of = |parts: &[&str]| parts.concat().into_bytes();
        match &kind[..1] {
            "x" => self.letters(b"0123456789abcdef", count),
            "u" => self.letters(&of(&[small, capitals, digits, "-_"]), count),
            "b" => self.letters(&of(&[small, capitals, digits, "+/"]), count),
            "l" => self.letters(&of(&[small, digits]), count),
            "U" => self.letters(&of(&[capitals, digits]), count),
            "d" => self.letters(digits.as_bytes(), count),
            "g" => [8, 4, 4, 4, 12].map(|count| self.letters(b"0123456789abcdef", count)).join("-"),
            _ => self.letters(&of(&[small, capitals, digits]), count),
        }
    }

    /// A key of a form.
    fn key(&mut self, form: &str) -> String {
        let mut parts = form.split(['{', '}']);
        let mut key = parts.next().unwrap_or_default().to_string();
        while let (Some(kind), Some(rest)) = (parts.next(), parts.next()) {
            key.push_str(&self.part(kind));
            key.push_str(rest);
        }
        key
    }
}

fn texts(list: &'static str) -> impl Iterator<Item = String> {
    list.split('~').map(|text| text.replace('^', "\n"))
}

/// A message that holds a text, as a parameter, in a result, and packed.
fn messages(text: &str) -> [String; 3] {
    let call = serde_json::json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x", "arguments": {"input": text}}});
    let result =
        serde_json::json!({"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": text}]}});
    let packed = serde_json::json!({"jsonrpc": "2.0", "method": "m", "params": {"json": serde_json::json!({"v": text}).to_string()}});
    [call.to_string(), result.to_string(), packed.to_string()]
}

/// How many texts there are, and those in which a secret can still be read.
#[derive(Default)]
struct Leaks {
    all: usize,
    left: Vec<String>,
}

impl Leaks {
    fn look(&mut self, secret: &str, text: &str) {
        // One way of holding it after the other: all of them take too long.
        let message = &messages(text)[self.all % 3];
        self.all += 1;
        let clean = Redactor::default().text(message).into_owned();
        assert!(serde_json::from_str::<serde_json::Value>(&clean).is_ok(), "JSON stays JSON: {clean}");
        // A part of it is as good as all of it.
        let window = if secret.len() < 20 { 8 } else { 12 };
        let runs = secret.split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '+' | '/'));
        let run = runs.max_by_key(|run| run.len()).unwrap_or_default().as_bytes();
        if run.windows(window).any(|part| clean.contains(&*String::from_utf8_lossy(part))) {
            self.left.push(clean);
        }
    }

    /// At most so many of a thousand may be left.
    fn at_most(&self, name: &str, bar: usize) {
        assert!(
            self.left.len() * 1000 <= self.all * bar,
            "{name}: {} left of {}: {:#?}",
            self.left.len(),
            self.all,
            self.left
        );
    }
}

#[test]
fn secrets_of_known_makers_are_found_wherever_they_stand() {
    let (mut lot, mut found) = (Lot(0x9e37_79b9_7f4a_7c15), Leaks::default());
    for form in FORMS.split_whitespace() {
        for place in texts(PLACES) {
            let key = lot.key(form);
            found.look(&key, &place.replace('§', &key));
        }
    }
    found.at_most("known makers", 10);
}

#[test]
fn keys_of_known_makers_are_found_behind_a_word() {
    let (mut lot, mut found) = (Lot(0x0f0f_3c3c_5a5a_9696), Leaks::default());
    for form in FORMS.split_whitespace() {
        for place in texts(BEHIND) {
            let key = lot.key(form);
            found.look(&key, &place.replace('§', &key));
        }
    }
    // Some forms begin as names end, or with letters by lot: those are left alone there.
    found.at_most("known makers behind a word", 100);
}

#[test]
fn secrets_of_makers_that_no_list_has_are_found() {
    let (mut lot, mut found) = (Lot(0x2545_f491_4f6c_dd1d), Leaks::default());
    for form in UNLISTED.split_whitespace() {
        for place in texts(PLACES) {
            let key = lot.key(form);
            found.look(&key, &place.replace('§', &key));
        }
    }
    found.at_most("other makers", 30);
}

#[test]
fn what_a_name_or_a_tool_says_is_found() {
    let (mut lot, mut found) = (Lot(0x1234_5678_9abc_def1), Leaks::default());
    for (name, form) in NAMES.split_whitespace().filter_map(|pair| pair.split_once('=')) {
        for place in texts(LABELLED) {
            let key = lot.key(form);
            found.look(&key, &place.replace('£', name).replace('§', &key));
        }
        for spelled in [name.to_string(), name.to_lowercase(), name.replace('_', "-").to_lowercase()] {
            let key = lot.key(form);
            found.look(&key, &serde_json::json!({"env": {spelled: key}}).to_string());
        }
    }
    for place in texts(AROUND) {
        for _ in 0..10 {
            let (password, half) = (lot.part("w14"), lot.part("w20"));
            let (key, text) = match place.contains("§§") {
                true => (format!("{half}{password}"), place.replace("§§", &format!("{half}{password}"))),
                false => (password.clone(), place.replace('§', &password)),
            };
            found.look(&key, &text);
        }
    }
    found.at_most("names and tools", 10);
}

#[test]
fn what_only_looks_like_a_secret_stays() {
    let mut touched = Vec::new();
    let mut all = 0;
    for text in texts(INNOCENT) {
        for message in messages(&text) {
            all += 1;
            let clean = Redactor::default().text(&message).into_owned();
            if clean != message {
                touched.push(clean);
            }
        }
    }
    assert!(touched.len() * 100 <= all, "{touched:#?}");
}

#[test]
fn what_is_drawn_by_lot_and_opens_nothing_stays() {
    let (mut lot, mut touched, mut all) = (Lot(0x51ed_270b_27b5_f3a1), Vec::new(), 0);
    for form in texts(DRAWN) {
        for draw in 0..12 {
            // A form is JSON, too, whose brackets are none of its own.
            let text = lot
                .key(&form.replace("{\"", "\u{1}\"").replace("\"}", "\"\u{2}"))
                .replace('\u{1}', "{")
                .replace('\u{2}', "}");
            let message = &messages(&text)[draw % 3];
            all += 1;
            let clean = Redactor::default().text(message).into_owned();
            if clean != *message {
                touched.push(clean);
            }
        }
    }
    assert!(touched.len() * 100 <= all, "{} of {all}: {touched:#?}", touched.len());
}
