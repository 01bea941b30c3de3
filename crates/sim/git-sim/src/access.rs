//! Tokens: who may read or write what.
//!
//! Decides only; the transports turn a [`Refusal`] into their own answer. As on the real forges the user name of basic
//! authentication does not matter, the token does, and somebody who may not see a repository is told that there is none.

use crate::RepoName;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// What may be done. A greater right includes the smaller ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Right {
    Read,
    Write,
    /// Pushes to protected branches, creates repositories, edits webhooks.
    Admin,
}

/// Where a right holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reach {
    Everything,
    Org(String),
    Repo(RepoName),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    pub on: Reach,
    pub right: Right,
}

/// A token of a user. Only the hash of its secret is kept.
#[derive(Clone, Debug)]
pub struct Token {
    user: String,
    hash: [u8; 32],
    grants: Vec<Grant>,
}

impl Token {
    pub fn new(user: impl Into<String>, secret: &str) -> Self {
        Self { user: user.into(), hash: hash(secret), grants: Vec::new() }
    }

    /// Adds a right on everything.
    pub fn everywhere(self, right: Right) -> Self {
        self.grant(Grant { on: Reach::Everything, right })
    }

    /// Adds a right on all repositories of an organisation.
    pub fn on_org(self, org: impl Into<String>, right: Right) -> Self {
        self.grant(Grant { on: Reach::Org(org.into()), right })
    }

    /// Adds a right on one repository.
    pub fn on_repo(self, repo: RepoName, right: Right) -> Self {
        self.grant(Grant { on: Reach::Repo(repo), right })
    }

    pub fn grant(mut self, grant: Grant) -> Self {
        self.grants.push(grant);
        self
    }

    pub fn user(&self) -> &str {
        &self.user
    }

    /// The greatest right on a repository.
    pub fn right_on(&self, repo: &RepoName) -> Option<Right> {
        let holds = |grant: &&Grant| match &grant.on {
            Reach::Everything => true,
            Reach::Org(org) => org == repo.org(),
            Reach::Repo(name) => name == repo,
        };
        self.grants.iter().filter(holds).map(|grant| grant.right).max()
    }

    /// Whether the token may create repositories in an organisation.
    pub fn administers(&self, org: &str) -> bool {
        let holds = |grant: &Grant| match &grant.on {
            Reach::Everything => true,
            Reach::Org(name) => name == org,
            Reach::Repo(_) => false,
        };
        self.grants.iter().any(|grant| grant.right == Right::Admin && holds(grant))
    }
}

/// Why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("no token was sent")]
    Anonymous,
    #[error("the token is unknown or was revoked")]
    BadCredentials,
    #[error("the token of {user} gives no right on {repo}")]
    Unseen { user: String, repo: RepoName },
    #[error("the token of {user} gives {has:?} on {repo}, and {need:?} is needed")]
    TooLittle { user: String, repo: RepoName, has: Right, need: Right },
}

/// All tokens of a server.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tokens(Vec<Token>);

impl Tokens {
    pub(crate) fn add(&mut self, token: Token) {
        self.0.retain(|known| known.hash != token.hash);
        self.0.push(token);
    }

    pub(crate) fn revoke(&mut self, secret: &str) {
        let hash = hash(secret);
        self.0.retain(|token| token.hash != hash);
    }

    /// Finds the token of a request by its `Authorization` header.
    pub(crate) fn identify(&self, authorization: Option<&str>) -> Result<&Token, Refusal> {
        let secret = secret_of(authorization.ok_or(Refusal::Anonymous)?).ok_or(Refusal::BadCredentials)?;
        let hash = hash(&secret);
        self.0.iter().find(|token| bool::from(token.hash.ct_eq(&hash))).ok_or(Refusal::BadCredentials)
    }

    pub(crate) fn judge(&self, authorization: Option<&str>, repo: &RepoName, need: Right) -> Result<&Token, Refusal> {
        let token = self.identify(authorization)?;
        match token.right_on(repo) {
            None => Err(Refusal::Unseen { user: token.user.clone(), repo: repo.clone() }),
            Some(has) if has < need => {
                Err(Refusal::TooLittle { user: token.user.clone(), repo: repo.clone(), has, need })
            }
            Some(_) => Ok(token),
        }
    }
}

/// `Basic base64(user:token)`, `Bearer token` or `token token`. With an empty password (or the old `x-oauth-basic`) the
/// token stands in the place of the user.
fn secret_of(authorization: &str) -> Option<String> {
    let (scheme, rest) = authorization.trim().split_once(' ')?;
    let rest = rest.trim();
    match scheme.to_ascii_lowercase().as_str() {
        "bearer" | "token" => Some(rest.to_owned()),
        "basic" => {
            let pair = String::from_utf8(STANDARD.decode(rest).ok()?).ok()?;
            let (user, password) = pair.split_once(':')?;
            Some(if password.is_empty() || password == "x-oauth-basic" { user } else { password }.to_owned())
        }
        _ => None,
    }
    .filter(|secret| !secret.is_empty())
}

fn hash(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens() -> Tokens {
        let mut tokens = Tokens::default();
        tokens.add(Token::new("reader", "r-1").on_org("company", Right::Read));
        tokens.add(
            Token::new("dev", "w-1")
                .on_org("company", Right::Read)
                .on_repo("company/app".parse().unwrap(), Right::Write),
        );
        tokens.add(Token::new("root", "a-1").everywhere(Right::Admin));
        tokens
    }

    fn basic(user: &str, password: &str) -> String {
        format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))
    }

    #[test]
    fn a_token_gives_the_greatest_of_its_rights() {
        let tokens = tokens();
        let outcome = |authorization: &str, repo: &str, need| match tokens.judge(
            Some(authorization),
            &repo.parse().unwrap(),
            need,
        ) {
            Ok(token) => token.user().to_owned(),
            Err(error) => error.to_string(),
        };
        for (authorization, repo, need, want) in [
            ("Bearer r-1".to_owned(), "company/app", Right::Read, "reader"),
            ("token r-1".to_owned(), "company/app", Right::Read, "reader"),
            (basic("anybody", "w-1"), "company/app", Right::Write, "dev"),
            (basic("w-1", ""), "company/app", Right::Write, "dev"),
            (basic("w-1", "x-oauth-basic"), "company/app", Right::Write, "dev"),
            (
                basic("w", "w-1"),
                "company/other",
                Right::Write,
                "the token of dev gives Read on company/other, and Write is needed",
            ),
            (basic("x", "r-1"), "other/app", Right::Read, "the token of reader gives no right on other/app"),
            (basic("x", "a-1"), "other/app", Right::Admin, "root"),
            (basic("x", "r-2"), "company/app", Right::Read, "the token is unknown or was revoked"),
            ("Basic !!".to_owned(), "company/app", Right::Read, "the token is unknown or was revoked"),
            ("Bearer ".to_owned(), "company/app", Right::Read, "the token is unknown or was revoked"),
            ("Digest x".to_owned(), "company/app", Right::Read, "the token is unknown or was revoked"),
        ] {
            assert_eq!(outcome(&authorization, repo, need), want, "{authorization} {repo}");
        }
        assert_eq!(tokens.judge(None, &"a/b".parse().unwrap(), Right::Read).unwrap_err(), Refusal::Anonymous);
    }

    #[test]
    fn a_revoked_token_is_unknown_and_secrets_are_not_kept() {
        let mut tokens = tokens();
        assert!(!format!("{tokens:?}").contains("w-1"));
        tokens.revoke("w-1");
        assert_eq!(tokens.identify(Some("Bearer w-1")).unwrap_err(), Refusal::BadCredentials);
        assert!(tokens.identify(Some("Bearer a-1")).unwrap().administers("anything"));
        assert!(!tokens.identify(Some("Bearer r-1")).unwrap().administers("company"));
    }
}
