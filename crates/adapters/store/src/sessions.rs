//! Sign-ins of people. Only hashes of the tokens are stored. Times are real time.

use crate::error::{Malformed, StoreError};
use crate::sql::Statement;
use crate::token::TokenHash;
use crate::value::{Record, Row, values};
use crate::{Returned, Store, Write};
use windlass_model::Timestamp;
use windlass_model::id::SessionId;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    pub id: SessionId,
    pub user: String,
    pub hash: TokenHash,
    pub created_at: Timestamp,
    pub used_at: Timestamp,
    pub expires_at: Timestamp,
    /// Where from: address and browser, for the person to recognise.
    pub client: String,
}

macro_rules! columns {
    () => {
        "id, user_id, hash, created_at, used_at, expires_at, client"
    };
}

impl Record for Session {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        Ok(Self {
            id: row.take()?,
            user: row.take()?,
            hash: row.take()?,
            created_at: row.take()?,
            used_at: row.take()?,
            expires_at: row.take()?,
            client: row.take()?,
        })
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Sessions<'a>(&'a Store);

impl Store {
    pub fn sessions(&self) -> Sessions<'_> {
        Sessions(self)
    }
}

impl Sessions<'_> {
    /// The session of a token, unless it has expired.
    pub async fn find(&self, hash: TokenHash, now: Timestamp) -> Result<Option<Session>, StoreError> {
        let sql = concat!("SELECT ", columns!(), " FROM session WHERE hash = $1 AND expires_at > $2");
        self.0.one(Statement::new("session", sql, values![hash, now])).await
    }

    /// The sessions of a person, the youngest first.
    pub async fn of_user(&self, user: &str) -> Result<Vec<Session>, StoreError> {
        let sql = concat!("SELECT ", columns!(), " FROM session WHERE user_id = $1 ORDER BY id DESC");
        self.0.all(Statement::new("session", sql, values![user])).await
    }
}

impl Write {
    pub fn create_session(&mut self, session: &Session) -> &mut Self {
        self.push(Statement::new(
            "session",
            concat!("INSERT INTO session (", columns!(), ") VALUES ($1, $2, $3, $4, $5, $6, $7)"),
            values![
                session.id,
                &session.user,
                session.hash,
                session.created_at,
                session.used_at,
                session.expires_at,
                &session.client
            ],
        ))
    }

    /// Remembers when a session was used last. Nothing happens when it is gone.
    pub fn session_used(&mut self, session: SessionId, now: Timestamp, expires_at: Timestamp) -> &mut Self {
        self.push(Statement::new(
            "session",
            "UPDATE session SET used_at = $2, expires_at = $3 WHERE id = $1",
            values![session, now, expires_at],
        ))
    }

    /// Signs out. Nothing happens when the session is gone.
    pub fn end_session(&mut self, session: SessionId) -> &mut Self {
        self.push(Statement::new("session", "DELETE FROM session WHERE id = $1", values![session]))
    }

    /// Signs a person out everywhere.
    pub fn end_sessions_of(&mut self, user: &str) -> &mut Self {
        self.push(Statement::new("session", "DELETE FROM session WHERE user_id = $1", values![user]))
    }

    /// Forgets at most `limit` sessions that expired by `now`, and promises their ids.
    pub fn purge_sessions(&mut self, now: Timestamp, limit: u32) -> Returned<SessionId> {
        self.returning(Statement::new(
            "session",
            "DELETE FROM session WHERE id IN (SELECT id FROM session WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)
             RETURNING id",
            values![now, limit],
        ))
    }
}
