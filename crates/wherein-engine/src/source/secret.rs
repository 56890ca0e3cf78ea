//! Files that hold credentials: by the names that tools give them, by a private key in the text, and by tokens of known shape in
//! files of configuration.
//!
//! A name that only speaks of secrets (`secrets/router.go`, `token.rs`) is code and stays in; so does code, and prose, with a token in
//! it: tests and manuals are full of made-up ones.

/// Whether a file of this name is credentials.
pub(super) fn by_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    if let Some(rest) = name.strip_prefix(".env") {
        let sample = ["example", "sample", "template", "dist", "defaults"].iter().any(|s| rest.ends_with(s));
        return (rest.is_empty() || rest.starts_with('.')) && !sample;
    }
    matches!(
        name.as_str(),
        ".npmrc"
            | ".pypirc"
            | ".netrc"
            | "_netrc"
            | ".git-credentials"
            | ".htpasswd"
            | ".pgpass"
            | ".dockercfg"
            | "id_rsa"
            | "id_dsa"
            | "id_ecdsa"
            | "id_ed25519"
    ) || [".pem", ".key", ".ppk", ".kdbx"].iter().any(|end| name.ends_with(end))
}

/// Whether a file begins with a private key.
pub(super) fn by_content(text: &str) -> bool {
    let head = text.trim_start_matches('\u{feff}').trim_start();
    head.strip_prefix("-----BEGIN ")
        .and_then(|rest| rest.lines().next())
        .is_some_and(|line| line.contains("PRIVATE KEY"))
}

/// Tokens that services give out: how they begin, and how many letters and digits follow at least. From the services' own
/// documentation, as secret scanners use them.
const TOKENS: &[(&str, usize)] = &[
    ("ghp_", 36),
    ("gho_", 36),
    ("ghs_", 36),
    ("ghr_", 36),
    ("github_pat_", 22),
    ("glpat-", 20),
    ("AKIA", 16),
    ("ASIA", 16),
    ("xoxb-", 20),
    ("xoxp-", 20),
    ("sk_live_", 24),
    ("rk_live_", 24),
    ("AIza", 35),
    ("npm_", 36),
    ("pypi-AgEI", 50),
    ("hf_", 34),
    ("sk-ant-", 40),
    ("sk-proj-", 40),
];
/// Endings of configuration; files without one count too.
const CONFIGURATION: &[&str] = &["json", "yaml", "yml", "toml", "ini", "cfg", "conf", "properties", "tfvars"];

/// Whether a file of configuration holds a token of known shape, or a key of a service's account.
pub(super) fn has_token(name: &str, text: &str) -> bool {
    let is_configuration = name.rsplit_once('.').is_none_or(|(before, ending)| {
        before.is_empty() || CONFIGURATION.contains(&ending.to_ascii_lowercase().as_str())
    });
    is_configuration
        && (text.contains("\"-----BEGIN PRIVATE KEY-----\\n")
            || TOKENS.iter().any(|(begin, length)| holds(text, begin, *length)))
}

/// Whether a text holds a token that is no placeholder.
fn holds(text: &str, begin: &str, length: usize) -> bool {
    text.match_indices(begin).any(|(at, _)| {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let is_inside = text[..at].chars().next_back().is_some_and(is_part);
        let token = &text[at + begin.len()..];
        let token = &token[..token.find(|c| !is_part(c)).unwrap_or(token.len())];
        let letters: std::collections::BTreeSet<char> = token.chars().collect();
        // `xxxx…` and `AKIAIOSFODNN7EXAMPLE` stand for one.
        !is_inside
            && token.len() >= length
            && letters.len() > 6
            && !token.to_ascii_lowercase().contains("example")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (name, want) in [
            (".env", true),
            (".env.production", true),
            (".env.example", false),
            (".environment.rs", false),
            ("server.key", true),
            ("router.go", false),
            (".npmrc", true),
            ("keys.ts", false),
        ] {
            assert_eq!(by_name(name), want, "{name}");
        }
    }

    #[test]
    fn tokens() {
        // Put together here, so that no scanner takes them for real.
        let github = format!("token: gh{}_{}\n", "p", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
        let amazon = format!("key = AK{}{}\n", "IA", "Q3EGZ4XWJT7MPL2V");
        for (name, text, want) in [
            ("deploy.yaml", github.as_str(), true),
            ("credentials", &amazon, true),
            ("settings.toml", &amazon, true),
            ("token_test.go", &github, false),
            ("manual.md", &github, false),
            ("deploy.yaml", "key: AKIAIOSFODNN7EXAMPLE", false),
            ("deploy.yaml", "token: ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", false),
            ("deploy.yaml", "token: $GITHUB_TOKEN", false),
            ("account.json", r#"{"private_key": "-----BEGIN PRIVATE KEY-----\nMIIE"}"#, true),
        ] {
            assert_eq!(has_token(name, text), want, "{name}: {text}");
        }
    }

    #[test]
    fn key_text() {
        assert!(by_content("-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n"));
        assert!(!by_content("-----BEGIN CERTIFICATE-----\n"));
        assert!(!by_content("const HEAD: &str = \"-----BEGIN PRIVATE KEY-----\";"));
    }
}
