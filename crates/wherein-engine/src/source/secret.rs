//! Files that hold credentials: by the names that tools give them, and by a private key in the text.
//!
//! A name that only speaks of secrets (`secrets/router.go`, `token.rs`) is code and stays in.

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
    fn key_text() {
        assert!(by_content("-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n"));
        assert!(!by_content("-----BEGIN CERTIFICATE-----\n"));
        assert!(!by_content("const HEAD: &str = \"-----BEGIN PRIVATE KEY-----\";"));
    }
}
