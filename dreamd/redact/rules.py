"""The shapes of known credentials: one rule for each vendor's format, found by a literal part of it."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SecretRule:
    """One format. `anchors` are literal substrings: where none of them stands, the pattern is never tried.

    `at_anchor`: the secret begins with an anchor, so the pattern is matched there and nowhere else; otherwise the whole text is
    searched once. `edge`: what stands before must not be a letter or digit (formats whose prefix is also the end of a word).
    A group named `v` is what is replaced, else the whole match. Every repeat is bounded or possessive: matching is linear.
    """

    kind: str
    anchors: tuple[str, ...]
    pattern: re.Pattern[str]
    at_anchor: bool = True
    edge: bool = False
    wraps: bool = False  # may be cut by a terminal's line wrap
    long: bool = False  # a failed try rules out every other anchor in the same run of token characters


def _token(kind: str, pattern: str, *anchors: str, edge: bool = False, long: bool = False) -> SecretRule:
    return SecretRule(kind, anchors, re.compile(pattern, re.ASCII), edge=edge, wraps=True, long=long)


def _beside(kind: str, pattern: str, *anchors: str, edge: bool = False) -> SecretRule:
    return SecretRule(kind, anchors, re.compile(pattern, re.ASCII), edge=edge)


def _anywhere(kind: str, pattern: str, *anchors: str) -> SecretRule:
    return SecretRule(kind, anchors, re.compile(pattern, re.ASCII), at_anchor=False)


_END = r"(?![A-Za-z0-9])"
_START = r"(?:(?<![A-Za-z0-9\-_])|(?<=\\[nrt]))"  # also behind an escaped line end

#: Vendor formats, from the vendors' documentation and public scanners' rule sets. Order decides the kind of overlapping hits.
VENDOR_RULES: tuple[SecretRule, ...] = (
    # Models and machine learning
    _token("anthropic", r"sk-ant-(?:[a-z]{2,8}\d{2}-)?[\w\-]{16,256}", "sk-ant-"),
    _token("openrouter", r"sk-or-v1-[a-f0-9]{48,64}", "sk-or-v1-"),
    _token("langfuse", r"sk-lf-[a-f0-9\-]{36}", "sk-lf-"),
    _token(
        "openai", r"sk-(?:proj|svcacct|admin|None)-[\w\-]{20,256}", "sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"
    ),
    _token("openai", r"sk-(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{32,64}" + _END, "sk-", edge=True),
    _token("huggingface", r"(?:hf_|api_org_)[A-Za-z0-9]{30,60}" + _END, "hf_", "api_org_", edge=True),
    _token("groq", r"gsk_[A-Za-z0-9]{40,64}" + _END, "gsk_", edge=True),
    _token("xai", r"xai-[A-Za-z0-9]{60,100}" + _END, "xai-", edge=True),
    _token("perplexity", r"pplx-[A-Za-z0-9]{40,64}" + _END, "pplx-", edge=True),
    _token("replicate", r"r8_[A-Za-z0-9]{36,40}" + _END, "r8_", edge=True),
    _token("langsmith", r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}", "lsv2_"),
    # Code hosting, registries, delivery
    _token("github", r"gh[pousr]_[A-Za-z0-9]{36,255}", "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
    _token("github", r"github_pat_[A-Za-z0-9_]{22,255}", "github_pat_"),
    _token(
        "gitlab",
        r"gl(?:pat|dt|rt|rtr|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[\w\-.]{20,128}",
        *(
            "glpat-",
            "gldt-",
            "glrt-",
            "glrtr-",
            "glcbt-",
            "glptt-",
            "glft-",
            "glimt-",
            "glagent-",
            "gloas-",
            "glsoat-",
            "glffct-",
        ),
    ),
    _token("bitbucket", r"AT(?:ATT3|CTT3|BB)[\w\-=]{24,300}", "ATATT3", "ATCTT3", "ATBB", edge=True),
    _token("npm", r"npm_[A-Za-z0-9]{36}" + _END, "npm_", edge=True),
    _token("pypi", r"pypi-A[gG]E[\w\-]{40,300}", "pypi-AgE"),
    _token("rubygems", r"rubygems_[a-f0-9]{48}", "rubygems_"),
    _token("crates-io", r"cio[A-Za-z0-9]{32}" + _END, "cio", edge=True),
    _token("clojars", r"CLOJARS_[a-z0-9]{60}", "CLOJARS_"),
    _token("docker", r"dckr_(?:pat|oat)_[\w\-]{24,64}", "dckr_pat_", "dckr_oat_"),
    _token("artifactory", r"AKCp[A-Za-z0-9]{64,80}" + _END, "AKCp", edge=True),
    _token("buildkite", r"bk(?:ua|pt|ct)_[A-Fa-f0-9]{40}", "bkua_", "bkpt_", "bkct_"),
    _token("circleci", r"CCIPAT_[A-Za-z0-9]{16,40}_[a-f0-9]{40}", "CCIPAT_"),
    # Clouds and hosting
    _token("aws", r"A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}" + _END, "AKIA", "ASIA", "ABIA", "ACCA", edge=True),
    _token("google", r"AIza[\w\-]{35}" + r"(?![\w\-])", "AIza"),
    _token("google-oauth", r"ya29\.[\w\-.]{20,512}", "ya29."),
    _token("google-oauth", r"GOCSPX-[\w\-]{24,32}", "GOCSPX-"),
    _token("google-oauth", r"1//0[\w\-]{30,200}", "1//0", edge=True),
    _anywhere("azure", _START + r"[\w~.\-]{3}8Q~[\w~.\-]{31,40}", "8Q~"),
    _token(
        "azure",
        r"(?:AccountKey|SharedAccessKey|SharedSecretValue)=(?P<v>[A-Za-z0-9+/]{40,100}={0,2})",
        "AccountKey=",
        "SharedAccessKey=",
    ),
    _token("azure", r"sig=(?P<v>[A-Za-z0-9%+/\-_]{40,128}={0,2})", "sig="),
    _token("digitalocean", r"do[opr]_v1_[a-f0-9]{64}", "dop_v1_", "doo_v1_", "dor_v1_"),
    _token("heroku", r"HRKU-[\w\-]{36,70}", "HRKU-"),
    _token("fly-io", r"fm[12][ar]?_[\w+/=\-]{40,700}", "fm1_", "fm2_", "fm1a_", "fm1r_"),
    _token("netlify", r"nfp_[A-Za-z0-9]{36}" + _END, "nfp_", edge=True),
    _token("cloudflare", r"v1\.0-[a-f0-9]{24}-[a-f0-9]{146}", "v1.0-"),
    _token("alibaba", r"LTAI[A-Za-z0-9]{12,26}" + _END, "LTAI", edge=True),
    _token("tencent", r"AKID[A-Za-z0-9]{32}" + _END, "AKID", edge=True),
    _token("hashicorp-vault", r"hv[sbr]\.[\w\-]{24,300}", "hvs.", "hvb.", "hvr.", edge=True),
    _anywhere("terraform", _START + r"[A-Za-z0-9]{14}\.atlasv1\.[\w\-]{50,80}", ".atlasv1."),
    _token("pulumi", r"pul-[a-f0-9]{40}", "pul-", edge=True),
    _token("doppler", r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[\w\-]{2,35}\.)?[A-Za-z0-9]{40,44}", "dp.", edge=True),
    _token("supabase", r"(?:sbp_[a-f0-9]{40}|sb_secret_[\w\-]{20,64})", "sbp_", "sb_secret_", edge=True),
    _token("planetscale", r"pscale_(?:tkn|pw|oauth)_[\w\-.=]{32,64}", "pscale_"),
    _token("databricks", r"dapi[a-f0-9]{32}(?:-\d)?", "dapi", edge=True),
    _token("tailscale", r"tskey-[a-z]{3,12}-[A-Za-z0-9]{8,32}(?:-[A-Za-z0-9]{16,64})?", "tskey-"),
    # Messages and mail
    _token(
        "slack",
        r"xox[abeoprs](?:\.xox[bp])?-(?=[A-Za-z\-]{0,40}\d)[A-Za-z0-9\-]{16,250}",
        *(f"xox{c}" for c in "abeoprs"),
    ),
    _token("slack", r"x(?:app|wfp)-\d-?[A-Za-z0-9\-]{16,250}", "xapp-", "xwfp-"),
    _token("slack", r"hooks\.slack\.com/(?P<v>(?:services|workflows|triggers)/[\w/\-]{30,120})", "hooks.slack.com/"),
    _anywhere(
        "discord",
        r"[MNO](?:(?<![\w\-].)|(?<=\\[nrt].))[\w\-]{23,27}\.[\w\-]{6}\.[\w\-]{27,40}(?![\w\-])",
        ".G",
        ".X",
        ".Y",
        ".Z",
    ),
    _token(
        "discord",
        r"discord(?:app)?\.com/api/(?:v\d+/)?webhooks/(?P<v>\d{16,20}/[\w\-]{60,80})",
        "discord.com/api/",
        "discordapp.com/api/",
    ),
    _anywhere("telegram", _START + r"\d{8,10}:A[A-Z][\w\-]{32,34}(?![\w\-])", ":AA", ":AE", ":AF", ":AG", ":AH"),
    _token("twilio", r"SK[a-f0-9]{32}" + _END, "SK", edge=True),
    _token("sendgrid", r"SG\.[\w\-]{16,32}\.[\w\-]{30,64}", "SG.", edge=True),
    _token("mailgun", r"key-[a-f0-9]{32}" + _END, "key-", edge=True),
    _anywhere("mailchimp", _START + r"[a-f0-9]{32}-us\d{1,2}(?!\d)", "-us"),
    _token("brevo", r"xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}", "xkeysib-"),
    _token("resend", r"re_[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,30}" + _END, "re_", edge=True),
    # Money and shops
    _token(
        "stripe",
        r"[srp]k_(?:live|test|prod)_[A-Za-z0-9]{10,120}",
        *(f"{p}k_{m}_" for p in "sr" for m in ("live", "test", "prod")),
    ),
    _token("stripe", r"whsec_[A-Za-z0-9+/=]{24,80}", "whsec_"),
    _token("square", r"sq0(?:atp|csp|idp)-[\w\-]{22,44}", "sq0atp-", "sq0csp-"),
    _token("shopify", r"shp(?:at|ca|pa|ss|ua)_[A-Fa-f0-9]{32}", "shpat_", "shpca_", "shppa_", "shpss_", "shpua_"),
    _token("braintree", r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}", "access_token$"),
    _token("shippo", r"shippo_(?:live|test)_[a-f0-9]{40}", "shippo_"),
    _token("easypost", r"EZ[AT]K[A-Za-z0-9]{54}", "EZAK", "EZTK", edge=True),
    # Work and watching
    _token("atlassian", r"ATSTT3[\w\-=]{100,300}", "ATSTT3"),
    _token("linear", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,64}", "lin_api_", "lin_oauth_"),
    _token("notion", r"ntn_[A-Za-z0-9]{40,60}", "ntn_", edge=True),
    _token("notion", r"secret_[A-Za-z0-9]{43}" + _END, "secret_", edge=True),
    _anywhere("airtable", r"pat(?:(?<![A-Za-z0-9]...)|(?<=\\[nrt]...))[A-Za-z0-9]{14}\.[a-f0-9]{64}", "pat"),
    _token("figma", r"fig[dou]r?_[\w\-]{36,60}", "figd_", "figu_", "figo_", edge=True),
    _token("postman", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}", "PMAK-"),
    _token("typeform", r"tfp_[\w\-.]{40,64}", "tfp_", edge=True),
    _token(
        "new-relic", r"NR(?:AK|II|JS|RA|MA)-[A-Za-z0-9\-]{19,40}", *(f"NR{c}-" for c in ("AK", "II", "JS", "RA", "MA"))
    ),
    _token("grafana", r"gl(?:sa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|c_[A-Za-z0-9+/=]{32,400})", "glsa_", "glc_", edge=True),
    _token("sentry", r"sntry[su]_[\w=+/]{40,400}", "sntrys_", "sntryu_"),
    _token("adafruit", r"aio_[A-Za-z0-9]{28}" + _END, "aio_", edge=True),
    _token("facebook", r"EAA[A-Za-z0-9]{80,300}" + _END, "EAA", edge=True),
    _token(
        "twitter", r"A{20}(?=[A-Za-z0-9]{0,120}%)[A-Za-z0-9%]{60,150}", "AAAAAAAAAAAAAAAAAAAA", edge=True, long=True
    ),
    _token("dropbox", r"sl\.(?:u\.)?[\w\-]{100,1200}", "sl.", edge=True),
    _anywhere("deepl", _START + r"[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}:fx(?!\w)", ":fx"),
    _token("age", r"AGE-SECRET-KEY-1[0-9A-Z]{58}", "AGE-SECRET-KEY-1"),
    _token("onepassword", r"ops_eyJ[\w\-=+/]{100,2000}", "ops_eyJ"),
    # Formats that many share
    SecretRule(
        "jwt",
        ("eyJ",),
        re.compile(
            r"eyJ[\w\-]{8,4096}+\.(?:eyJ[\w\-]{4,8192}+\.[\w\-]{8,2048}+|[\w\-]{0,700}+\.[\w\-]{8,64}+\.[\w\-]{8,8192}+\.[\w\-]{8,64}+)",
            re.ASCII,
        ),
        edge=True,
        wraps=True,
        long=True,
    ),
    _token("aws-session", r"(?:FwoGZXIvYXdz|IQoJb3JpZ2lu)[A-Za-z0-9/+=]{100,1600}", "FwoGZXIvYXdz", "IQoJb3JpZ2lu"),
    _token("aws", r"X-Amz-(?:Signature|Security-Token)=(?P<v>[A-Za-z0-9%/+=\-]{32,2000})", "X-Amz-S"),
    _token("google", r"X-Goog-Signature=(?P<v>[a-f0-9]{64,1100})", "X-Goog-Signature="),
)

#: A credential encoded whole in base64 (a Kubernetes secret, `base64 <<<`) begins with its prefix's own encoding.
ENCODED_ANCHORS: tuple[str, ...] = (
    *(
        "c2stYW50L",
        "c2stcHJva",
        "Z2hwX",
        "Z2hvX",
        "Z2hzX",
        "Z2l0aHViX3Bhd",
        "Z2xwYXQt",
        "eG94Y",
        "eG94c",
        "QUtJQ",
        "QUl6Y",
    ),
    *("c2tfbGl2ZV", "bnBtX", "aGZf", "cHlwaS1B", "LS0tLS1CRUdJTi", "U0cu"),
)
ENCODED = re.compile(r"[A-Za-z0-9+/_\-]{24,16384}+={0,2}", re.ASCII)

#: What a person's password may stand in without a name beside it.
CONTEXT_RULES: tuple[SecretRule, ...] = (
    _beside("url-password", r"://[^\s:/@'\"<>`]{0,100}:(?P<v>[^\s/'\"<>`]{1,200})@(?=[\w\[.%${\-])", "://"),
    _beside(
        "url-password", r"(?i:%3A%2F%2F)[\w.\-]{0,100}?%3A(?P<v>[\w.~%\-+!*]{1,200}?)%40", "%3A%2F%2F", "%3a%2f%2f"
    ),
    _anywhere(
        "dsn-password",
        r"(?<![\w./:\-])[\w.\-]{1,64}+:(?P<v>[^\s:@/'\"]{3,100})@(?:tcp|unix|udp)\(",
        "@tcp(",
        "@unix(",
        "@udp(",
    ),
    _anywhere(
        "pgpass",
        r"(?m)^[\w.*\-]{1,100}+:(?:\d{2,5}|\*):[\w.*\-]{1,64}+:[\w.*\-]{1,64}+:(?P<v>\S{4,100})$",
        ":5432:",
        ":*:",
    ),
    _beside(  # "the password for the staging box: …"
        "password",
        r"(?i:assword|asscode|assphrase|asswort|ecret|oken|pi key)[ \t](?:for|of|to|on|für)[ \t](?:[\w.\-]{1,40}[ \t]){0,4}?[\w.\-]{1,40}[ \t]?(?::|=|is)[ \t]{1,3}"
        r"(?P<v>(?=[^\s/]{0,60}\d)(?=[^\s/]{0,60}[A-Za-z])[^\s'\"`,;/]{8,200})(?![^\s'\"`,;.])",
        *("assword ", "asscode ", "assphrase ", "asswort ", "ecret ", "oken ", "PI key ", "pi key "),
    ),
    _beside(  # "login robin, password …"
        "password",
        r"(?i:assword|asswort|assphrase)[ \t]{1,2}(?P<v>(?=(?:[^\s\d]{0,60}\d){2})(?=[^\s]{0,60}[A-Z])(?=[^\s]{0,60}[a-z])[^\s'\"`,;/._(){}\[\]]{8,200})(?![^\s'\"`,;.])",
        *("assword ", "asswort ", "assphrase "),
    ),
    _beside("netrc", r"login\s{1,20}\S{1,100}\s{1,20}password\s{1,20}(?P<v>\S{4,200})", "login"),
    _beside(
        "authorization",
        r"(?i:uthorization)[\"'\\]{0,6}\s{0,4}[:=,]\s{0,4}[\"'`\\]{0,4}(?:(?i:bearer|basic|token|apikey|negotiate|bot|key)\s{1,4})"
        r"(?P<v>[A-Za-z0-9\-._~+/]{8,4096}+={0,2})",
        *("uthorization", "UTHORIZATION"),
    ),
    _beside(
        "authorization",
        r"(?i:earer)[ \t]{1,4}(?P<v>(?=[A-Za-z\-._~+/]{0,40}\d)[A-Za-z0-9\-._~+/]{16,4096}+={0,2})",
        *("earer ", "EARER "),
    ),
    _beside(
        "cookie",
        r"(?i:ookie)[\"']?[:=]\s{0,4}[\"']?(?P<v>[\w.\-]{1,60}=[^\s;\"'\\]{8,4096}+(?:;\s?[^\s;\"'\\]{1,4096}+){0,40}+)",
        *("ookie:", 'ookie":', "OOKIE:"),
    ),
    _beside(
        "sql-password",
        r"(?i:dentified\s{1,4}by)\s{1,4}(?:as\s)?['\"](?P<v>[^'\"\s]{3,200})['\"]",
        "DENTIFIED",
        "dentified",
    ),
    _beside("sql-password", r"PASSWORD\s{1,4}['\"](?P<v>[^'\"\s]{3,200})['\"]", "PASSWORD "),
    _beside(
        "sql-password",
        r"(?:with|encrypted) password\s{1,4}'(?P<v>[^'\"\s]{3,200})'",
        "with password",
        "encrypted password",
    ),
    _beside("cli-password", r"sshpass\s{1,4}-p\s{0,4}(?P<q>['\"]?)(?P<v>[^\s'\"]{3,200})(?P=q)", "sshpass", edge=True),
    _beside(
        "cli-password",
        r"(?:curl|wget|http)\s(?:[^\n|;&]{0,200}?\s)?(?:-u|--user|--proxy-user|-a)[\s=]{0,3}(?P<q>['\"]?)[\w.@+\-]{1,80}:(?P<v>[^\s'\":]{3,200})(?P=q)",
        *("curl ", "wget ", "http "),
        edge=True,
    ),
    _beside(
        "cli-password",
        r"(?:mysql|mysqldump|mysqladmin|mariadb)\s(?:[^\n|;&]{0,200}?\s)?-p(?P<q>['\"]?)(?P<v>[^\s'\"\-][^\s'\"]{2,100})(?P=q)(?=\s|$)",
        *("mysql", "mariadb "),
        edge=True,
    ),
    _beside(
        "cli-password",
        r"redis-cli\s(?:[^\n|;&]{0,200}?\s)?-a\s{1,4}(?P<q>['\"]?)(?P<v>[^\s'\"]{3,200})(?P=q)",
        "redis-cli ",
    ),
    _beside(
        "cli-password",
        r" login\s(?:[^\n|;&]{0,200}?\s)?-p[\s=]{1,3}(?P<q>['\"]?)(?P<v>(?!\d{1,5}\b)[^\s'\"]{3,2000})(?P=q)",
        " login ",
    ),
)

#: A second half that stands alone near an AWS access key id: 40 characters of base64.
AWS_SECRET = re.compile(
    r"(?<![A-Za-z0-9/+=_\-.])(?=[A-Za-z0-9/+]{0,39}[a-z])(?=[A-Za-z0-9/+]{0,39}[A-Z])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=_])",
    re.ASCII,
)

PRIVATE_KEY_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----", re.ASCII)
PRIVATE_KEY_END = re.compile(r"-----END [A-Z0-9 ]{0,40}-----", re.ASCII)
#: The body of a key that was cut off: rows of base64, headers and escapes between them.
PRIVATE_KEY_BODY = re.compile(
    r"(?:(?:\s|\\+[nr]|[\"',+>|]){0,40}+(?:[A-Za-z0-9+/]{16,}+|(?:Proc-Type|DEK-Info|Version|Comment): [^\n\\]{0,100}+)={0,2})*+",
    re.ASCII,
)
