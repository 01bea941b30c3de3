//! The first start: an administrator, and a one-time code to become one (decisions, "First start").

use crate::{Answer, App, Failure, fresh};
use std::collections::BTreeMap;
use windlass_document::Kind;
use windlass_model::{Identifier, Millis, Scope};
use windlass_store::documents::Draft;
use windlass_store::settings::Setting;
use windlass_store::users::User;
use windlass_store::{Scopes, StoreError, TokenHash, Write};

/// The first administrator.
pub const ADMIN: &str = "admin";

/// The assignment that makes the first administrator one.
const RULE: &str = "\
roleAssignment:
  identifier: administrator
  name: Administrator
  roleIdentifier: _account_admin
  resourceGroupIdentifier: _all_resources_including_child_scopes
  principal: {type: USER, identifier: admin}
  managed: true
";

/// Under this name the hash of the code waits, with the time it was printed.
const CODE: &str = "internal.loginCode";

/// A code is good for this long.
const LIFETIME: Millis = Millis::from_secs(24 * 3_600);

impl App {
    /// Makes the first administrator when there is nobody yet, and answers with the code to sign in. `None`: there are people.
    pub async fn first_start(&self) -> Answer<Option<String>> {
        if self.store().users().count().await? > 0 {
            return Ok(None);
        }
        let mut write = Write::new();
        let now = self.clock().real().now();
        write.create_user(&User {
            id: ADMIN.to_owned(),
            email: String::new(),
            name: "Administrator".to_owned(),
            state: "active".to_owned(),
            password: None,
            failures: 0,
            locked_until: None,
            version: 1,
            created_at: now,
            updated_at: now,
        });
        self.rule(&mut write).await?;
        let code = self.new_code(&mut write);
        match self.store().write(write).await {
            Ok(_) => Ok(Some(code)),
            // Another server started at the same time and was faster: it prints the code.
            Err(StoreError::Conflict { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// A new code for an administrator who cannot sign in any more: printed by `windlass server --login-code`.
    pub async fn login_code(&self) -> Answer<String> {
        let mut write = Write::new();
        self.rule(&mut write).await?;
        let code = self.new_code(&mut write);
        self.store().write(write).await?;
        Ok(code)
    }

    /// Gives the administrator every permission, unless nobody took them away.
    async fn rule(&self, write: &mut Write) -> Answer<()> {
        let identifier = Identifier::parse("administrator").map_err(Failure::internal)?;
        let key = crate::documents::key_of(Kind::RoleAssignment, &Scope::Account, None, identifier);
        if self.store().documents().get(&key).await?.is_none() {
            let draft = Draft {
                key,
                name: "Administrator".to_owned(),
                tags: BTreeMap::new(),
                text: RULE.to_owned(),
                by: "system:server".to_owned(),
                at: self.clock().now(),
            };
            let _ = write.create_document(&draft);
        }
        Ok(())
    }

    fn new_code(&self, write: &mut Write) -> String {
        let now = self.clock().real().now();
        let code = fresh::nonce();
        let hash = TokenHash::of(&code);
        let hash: String = hash.bytes().iter().map(|b| format!("{b:02x}")).collect();
        write.set_setting(&Setting {
            scope: Scope::Account,
            name: CODE.to_owned(),
            value: serde_json::json!({ "hash": hash, "at": now }).to_string(),
            updated_at: now,
            updated_by: "system:server".to_owned(),
        });
        code
    }

    /// Forgets a code that is too old to be traded. Whether there was one.
    pub(crate) async fn forget_old_code(&self) -> Answer<bool> {
        let now = self.clock().real().now();
        let stored = self.store().settings().list(&Scopes::At(Scope::Account), Some(CODE)).await?;
        let Some(old) = stored.into_iter().find(|code| now.since(code.updated_at) > LIFETIME) else { return Ok(false) };
        let mut write = Write::new();
        write.take_setting(&old);
        match self.store().write(write).await {
            Ok(_) => Ok(true),
            // A new one was made meanwhile.
            Err(StoreError::Conflict { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Trades the code for a session. A code works once.
    pub async fn sign_in_by_code(&self, code: &str, client: &str) -> Answer<String> {
        let refused = || {
            Failure::unauthenticated("the code is wrong, has expired or was used")
                .hint("print a new one with `windlass server --login-code`")
        };
        let now = self.clock().real().now();
        let stored = self.store().settings().list(&Scopes::At(Scope::Account), Some(CODE)).await?;
        let stored = stored.into_iter().next().ok_or_else(refused)?;
        let value: windlass_model::Json = serde_json::from_str(&stored.value).map_err(Failure::internal)?;
        let hash: String = TokenHash::of(code).bytes().iter().map(|b| format!("{b:02x}")).collect();
        if value["hash"].as_str() != Some(&hash) || now.since(stored.updated_at) > LIFETIME {
            return Err(refused());
        }
        let mut write = Write::new();
        // Of two who come at the same time, one finds it taken.
        write.take_setting(&stored);
        match self.store().write(write).await {
            Ok(_) => {}
            Err(StoreError::Conflict { .. }) => return Err(refused()),
            Err(error) => return Err(error.into()),
        }
        let user = self.store().users().get(ADMIN).await?.ok_or_else(refused)?;
        self.open_session(&user, client).await
    }
}
