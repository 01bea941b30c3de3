//! People who may sign in. Which groups they are in is in [`crate::groups`], what they may do is in documents.

use crate::changes::{Change, Topic};
use crate::error::{Malformed, StoreError};
use crate::page::{Page, PageRequest};
use crate::sql::{Query, Statement, containing};
use crate::value::{Record, Row, values};
use crate::{Store, Write};
use windlass_model::Timestamp;

#[derive(Clone, PartialEq, Eq)]
pub struct User {
    /// Never changes.
    pub id: String,
    /// In lower case; unique.
    pub email: String,
    pub name: String,
    /// `active`, `invited` or `disabled`.
    pub state: String,
    /// An argon2 hash in PHC form; `None` for people who sign in elsewhere.
    pub password: Option<String>,
    /// Wrong passwords since the last right one.
    pub failures: u32,
    pub locked_until: Option<Timestamp>,
    pub version: u64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl std::fmt::Debug for User {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("User").field("id", &self.id).field("email", &self.email).field("state", &self.state).finish()
    }
}

macro_rules! columns {
    () => {
        "id, email, name, state, password, failures, locked_until, version, created_at, updated_at"
    };
}

impl Record for User {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        Ok(Self {
            id: row.take()?,
            email: row.take()?,
            name: row.take()?,
            state: row.take()?,
            password: row.take()?,
            failures: row.take()?,
            locked_until: row.take()?,
            version: row.take()?,
            created_at: row.take()?,
            updated_at: row.take()?,
        })
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Users<'a>(&'a Store);

impl Store {
    pub fn users(&self) -> Users<'_> {
        Users(self)
    }
}

impl Users<'_> {
    pub async fn get(&self, id: &str) -> Result<Option<User>, StoreError> {
        let sql = concat!("SELECT ", columns!(), " FROM user_account WHERE id = $1");
        self.0.one(Statement::new("user", sql, values![id])).await
    }

    /// By mail address, ignoring case.
    pub async fn by_email(&self, email: &str) -> Result<Option<User>, StoreError> {
        let sql = concat!("SELECT ", columns!(), " FROM user_account WHERE email = $1");
        self.0.one(Statement::new("user", sql, values![email.to_lowercase()])).await
    }

    /// People by id; `text` is found in id, address or name, ignoring ASCII case.
    pub async fn list(&self, text: Option<&str>, page: &PageRequest) -> Result<Page<User>, StoreError> {
        let mut query = Query::new(concat!("SELECT ", columns!(), " FROM user_account WHERE 1 = 1"), values![]);
        let wanted = text.map(|text| containing(&text.to_lowercase()));
        query.and(r"lower(id || ' ' || email || ' ' || name) LIKE ? ESCAPE '\'", wanted);
        query.and("id > ?", page.after.as_deref());
        query.push(" ORDER BY id LIMIT ?", values![page.size() + 1]);
        let items = self.0.all(query.finish("user")).await?;
        Ok(Page::cut(items, page.size(), |user: &User| user.id.clone()))
    }

    pub async fn count(&self) -> Result<u64, StoreError> {
        let sql = "SELECT count(*) FROM user_account";
        self.0.count(Statement::new("user", sql, values![])).await
    }

    /// Counts a wrong password, and answers with how many there were in a row.
    pub async fn failed(&self, id: &str, locked_until: Option<Timestamp>) -> Result<u64, StoreError> {
        let mut write = Write::new();
        let failures = write.returning(Statement::new(
            "user",
            "UPDATE user_account SET failures = failures + 1, locked_until = coalesce($2, locked_until) WHERE id = $1
             RETURNING failures",
            values![id, locked_until],
        ));
        self.0.write(write).await?.one(failures)
    }
}

impl Write {
    /// Adds a person. Conflict when id or address is taken.
    pub fn create_user(&mut self, user: &User) -> &mut Self {
        self.push(Statement::new(
            "user",
            concat!("INSERT INTO user_account (", columns!(), ") VALUES ($1, $2, $3, $4, $5, $6, $7, 1, $8, $9)"),
            values![
                &user.id,
                user.email.to_lowercase(),
                &user.name,
                &user.state,
                user.password.as_ref(),
                user.failures,
                user.locked_until,
                user.created_at,
                user.updated_at
            ],
        ))
        .announce(Change::one(Topic::Users, &user.id))
    }

    /// Stores everything of a person but the id over the version that was read. Conflict when it was changed since.
    pub fn update_user(&mut self, user: &User) -> &mut Self {
        self.push(
            Statement::new(
                "user",
                "UPDATE user_account SET email = $3, name = $4, state = $5, password = $6, failures = $7, locked_until = $8,
                     updated_at = $9, version = version + 1
                 WHERE id = $1 AND version = $2",
                values![
                    &user.id,
                    user.version,
                    user.email.to_lowercase(),
                    &user.name,
                    &user.state,
                    user.password.as_ref(),
                    user.failures,
                    user.locked_until,
                    user.updated_at
                ],
            )
            .one(),
        )
        .announce(Change::one(Topic::Users, &user.id))
    }

    /// Deletes a person with memberships, sessions and keys. `principal` is how groups and keys name the person.
    pub fn delete_user(&mut self, id: &str, principal: &str) -> &mut Self {
        self.push(Statement::new("user", "DELETE FROM user_account WHERE id = $1", values![id]).one())
            .push(Statement::new("session", "DELETE FROM session WHERE user_id = $1", values![id]))
            .push(Statement::new("API key", "DELETE FROM api_key WHERE owner = $1", values![principal]))
            .push(Statement::new("group member", "DELETE FROM group_member WHERE principal = $1", values![principal]))
            .announce(Change::one(Topic::Users, id))
    }
}
