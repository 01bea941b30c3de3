//! By password, with a lock against guessing; and out again.

use crate::{Answer, App, Failure, password};
use windlass_model::Scope;
use windlass_store::users::User;
use windlass_store::{TokenHash, Write};

/// What somebody signs in with.
#[derive(Clone)]
pub struct Credentials {
    /// An id or a mail address.
    pub user: String,
    pub password: String,
    /// For the person to recognise the session.
    pub client: String,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credentials").field("user", &self.user).finish_non_exhaustive()
    }
}

impl App {
    /// Trades a password for a session. The answer to a wrong password does not tell whether there is such a person.
    pub async fn sign_in(&self, credentials: &Credentials) -> Answer<String> {
        let Credentials { user, password: given, client } = credentials;
        let refused = || Failure::unauthenticated("the user or the password is wrong, or the account is locked");
        let user = match self.store().users().get(user).await? {
            None => self.store().users().by_email(user).await?,
            found => found,
        };
        let now = self.clock().real().now();
        let known = user.as_ref().filter(|user| user.state == "active");
        let locked = known.and_then(|user| user.locked_until).is_some_and(|until| now < until);
        let right =
            password::matches(given, known.filter(|_| !locked).and_then(|user| user.password.as_deref())).await?;
        let Some(user) = user.filter(|user| user.state == "active") else { return Err(refused()) };
        if locked {
            return Err(refused());
        }
        if !right {
            self.note_wrong_password(&user, client).await?;
            return Err(refused());
        }
        if user.failures > 0 {
            let mut write = Write::new();
            write.update_user(&User { failures: 0, locked_until: None, ..user.clone() });
            match self.store().write(write).await {
                Err(error) if !error.is_conflict() => return Err(error.into()),
                _ => {}
            }
        }
        self.open_session(&user, client).await
    }

    /// Counts a wrong password; too many in a row lock the account for a while.
    pub(super) async fn note_wrong_password(&self, user: &User, client: &str) -> Answer<()> {
        let settings = self.settings_at(&Scope::Account).await?;
        let now = self.clock().real().now();
        let failures = u64::from(user.failures) + 1;
        let lock = (failures >= settings.lock_after()).then(|| now + settings.lock_for());
        self.store().users().failed(&user.id, lock).await?;
        let mut write = Write::new();
        let body = serde_json::json!({ "result": "denied", "client": client, "inARow": failures, "lockedUntil": lock });
        let by = format!("user:{}", user.id);
        write.audit(&crate::audit::event(self.clock().now(), &by, "UNSUCCESSFUL_LOGIN", "USER", &user.id, body));
        self.store().write(write).await?;
        Ok(())
    }

    /// Ends the session of this token. A token that is none is no error.
    pub async fn sign_out(&self, token: &str) -> Answer<()> {
        let now = self.clock().real().now();
        let Some(session) = self.store().sessions().find(TokenHash::of(token), now).await? else { return Ok(()) };
        let mut write = Write::new();
        write.end_session(session.id);
        let by = format!("user:{}", session.user);
        write.audit(&crate::audit::event(
            self.clock().now(),
            &by,
            "LOGOUT",
            "USER",
            &session.user,
            serde_json::json!({}),
        ));
        self.store().write(write).await?;
        Ok(())
    }
}
