//! Passwords: kept as Argon2id hashes, compared in the same time whether there is somebody or not (decisions, Tokens).

use crate::{Answer, Failure};
use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use tokio::sync::Semaphore;

/// Characters of a password.
const SHORTEST: usize = 12;
const LONGEST: usize = 1_024;

/// Each comparison takes 19 MiB and tens of milliseconds: more at once would let anybody take the memory.
static AT_ONCE: Semaphore = Semaphore::const_new(4);

/// What is compared when there is nobody of the name: no password has this hash.
const NOBODY: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$RPdXAkdXAGlQVtQ0dmPZZM8pZRt5TWwQqT4yZnKf5wA";

/// Refuses a password that is too easy to guess for the person it is for.
pub(crate) fn check(password: &str, about: &[&str]) -> Answer<()> {
    let length = password.chars().count();
    if !(SHORTEST..=LONGEST).contains(&length) {
        let text = format!("a password has {SHORTEST} to {LONGEST} characters");
        return Err(Failure::invalid("USR0004", text).hint("several words are easy to remember and hard to guess"));
    }
    let lower = password.to_lowercase();
    let easy = about.iter().any(|word| !word.is_empty() && lower.contains(&word.to_lowercase()) && length < 20);
    let first = password.chars().next();
    if easy || password.chars().all(|c| Some(c) == first) {
        return Err(Failure::invalid(
            "USR0004",
            "the password is too easy to guess: it repeats the name or one letter",
        ));
    }
    Ok(())
}

/// The hash to keep, in PHC form.
pub(crate) async fn hash(password: &str) -> Answer<String> {
    let password = password.to_owned();
    apart(move || Argon2::default().hash_password(password.as_bytes()).map(|hash: PasswordHash| hash.to_string()))
        .await?
        .map_err(|error| Failure::internal(error.to_string()))
}

/// Whether the password is the one that was hashed. Takes as long when there is none.
pub(crate) async fn matches(password: &str, hash: Option<&str>) -> Answer<bool> {
    let (password, kept) = (password.to_owned(), hash.unwrap_or(NOBODY).to_owned());
    if password.chars().count() > LONGEST {
        return Ok(false);
    }
    let same = apart(move || {
        let kept = PasswordHash::new(&kept);
        kept.is_ok_and(|kept| Argon2::default().verify_password(password.as_bytes(), &kept).is_ok())
    })
    .await?;
    Ok(same && hash.is_some())
}

async fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Answer<T> {
    let _turn = AT_ONCE.acquire().await.map_err(Failure::internal)?;
    windlass_clock::apart(work).await.map_err(Failure::internal)
}

#[cfg(test)]
mod tests {
    use super::{NOBODY, check, hash, matches};
    use argon2::password_hash::phc::PasswordHash;

    #[tokio::test]
    async fn a_password_matches_its_hash_alone() {
        let kept = hash("correct horse battery").await.unwrap();
        assert!(kept.starts_with("$argon2id$v=19$"), "{kept}");
        assert!(matches("correct horse battery", Some(&kept)).await.unwrap());
        assert!(!matches("correct horse batterz", Some(&kept)).await.unwrap());
        assert!(!matches("correct horse battery", None).await.unwrap());
        assert!(PasswordHash::new(NOBODY).is_ok());
    }

    #[test]
    fn easy_passwords_are_refused() {
        for easy in ["short", "aaaaaaaaaaaaaaa", "ada-ada-ada-ada", ""] {
            assert!(check(easy, &["ada"]).is_err(), "{easy}");
        }
        assert!(check("correct horse battery", &["ada", ""]).is_ok());
    }
}
