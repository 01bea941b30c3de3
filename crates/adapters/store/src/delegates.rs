//! Delegates: their tokens, groups and instances (kubernetes-deploy §4.2). Times are real time.

pub mod tokens;

use crate::changes::{Change, Topic};
use crate::error::{Malformed, StoreError};
use crate::scopes::Scopes;
use crate::sql::{Query, Statement};
use crate::value::{Record, Row, values};
use crate::{Store, Write};
use windlass_model::id::DelegateId;
use windlass_model::{Identifier, Scope, Timestamp};

/// One process of a delegate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delegate {
    pub id: DelegateId,
    pub scope: Scope,
    /// The group: replicas share it.
    pub name: Identifier,
    /// The name of the token it registered with.
    pub token: Identifier,
    pub tags: Vec<String>,
    pub version: String,
    /// `connected`, `draining` or `disconnected`; whether it is lost follows from `seen_at`.
    pub state: String,
    /// The server replica that holds its connection.
    pub server: String,
    pub capacity: u32,
    /// The key its secrets are sealed to.
    pub public_key: Vec<u8>,
    pub registered_at: Timestamp,
    pub seen_at: Timestamp,
    /// JSON: capabilities, host, ….
    pub body: String,
    /// JSON, from the last heartbeat.
    pub load: String,
}

macro_rules! columns {
    () => {
        "id, org, project, name, token, tags, version, state, server, capacity, public_key, registered_at, seen_at, body, load"
    };
}

impl Record for Delegate {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        Ok(Self {
            id: row.take()?,
            scope: row.scope()?,
            name: row.take()?,
            token: row.take()?,
            tags: row.take()?,
            version: row.take()?,
            state: row.take()?,
            server: row.take()?,
            capacity: row.take()?,
            public_key: row.take()?,
            registered_at: row.take()?,
            seen_at: row.take()?,
            body: row.take()?,
            load: row.take()?,
        })
    }
}

/// Replicas that share a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DelegateGroup {
    pub scope: Scope,
    pub name: Identifier,
    pub tags: Vec<String>,
    pub created_at: Timestamp,
    pub seen_at: Timestamp,
}

impl Record for DelegateGroup {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        Ok(Self {
            scope: row.scope()?,
            name: row.take()?,
            tags: row.take()?,
            created_at: row.take()?,
            seen_at: row.take()?,
        })
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Delegates<'a>(&'a Store);

impl Store {
    pub fn delegates(&self) -> Delegates<'_> {
        Delegates(self)
    }
}

impl Delegates<'_> {
    pub async fn get(&self, delegate: DelegateId) -> Result<Option<Delegate>, StoreError> {
        let sql = concat!("SELECT ", columns!(), " FROM delegate WHERE id = $1");
        self.0.one(Statement::new("delegate", sql, values![delegate])).await
    }

    /// Instances by group and id, silent ones included.
    pub async fn list(&self, scopes: &Scopes) -> Result<Vec<Delegate>, StoreError> {
        let mut query = Query::new(concat!("SELECT ", columns!(), " FROM delegate WHERE 1 = 1"), values![]);
        scopes.narrow(&mut query);
        query.push(" ORDER BY org, project, name, id", values![]);
        self.0.all(query.finish("delegate")).await
    }

    /// Groups by name, also those without an instance.
    pub async fn groups(&self, scopes: &Scopes) -> Result<Vec<DelegateGroup>, StoreError> {
        let sql = "SELECT org, project, name, tags, created_at, seen_at FROM delegate_group WHERE 1 = 1";
        let mut query = Query::new(sql, values![]);
        scopes.narrow(&mut query);
        query.push(" ORDER BY org, project, name", values![]);
        self.0.all(query.finish("delegate group")).await
    }
}

impl Write {
    /// Adds an instance and its group. Registering the same id again replaces what it told before.
    pub fn register_delegate(&mut self, delegate: &Delegate) -> &mut Self {
        let d = delegate;
        self.push(Statement::new(
            "delegate",
            concat!(
                "INSERT INTO delegate (",
                columns!(),
                ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
                 ON CONFLICT (id) DO UPDATE SET org = excluded.org, project = excluded.project, name = excluded.name,
                     token = excluded.token, tags = excluded.tags, version = excluded.version, state = excluded.state,
                     server = excluded.server, capacity = excluded.capacity, public_key = excluded.public_key,
                     seen_at = excluded.seen_at, body = excluded.body, load = excluded.load"
            ),
            values![
                d.id,
                scope: &d.scope,
                &d.name,
                &d.token,
                d.tags.as_slice(),
                &d.version,
                &d.state,
                &d.server,
                d.capacity,
                d.public_key.as_slice(),
                d.registered_at,
                d.seen_at,
                &d.body,
                &d.load
            ],
        ));
        self.push(Statement::new(
            "delegate group",
            "INSERT INTO delegate_group (org, project, name, tags, created_at, seen_at) VALUES ($1, $2, $3, $4, $5, $5)
             ON CONFLICT (org, project, name) DO UPDATE SET tags = excluded.tags, seen_at = excluded.seen_at",
            values![scope: &d.scope, &d.name, d.tags.as_slice(), d.seen_at],
        ))
        .announce(Change::one(Topic::Delegates, d.id))
    }

    /// A heartbeat came in at `server`. Nothing happens when the instance is not registered (any more), or has gone to another server
    /// since. Announces nothing; there are many.
    pub fn delegate_seen(&mut self, delegate: DelegateId, server: &str, load: &str, at: Timestamp) -> &mut Self {
        self.push(Statement::new(
            "delegate",
            "UPDATE delegate SET seen_at = $4, load = $3 WHERE id = $1 AND server = $2",
            values![delegate, server, load, at],
        ))
    }

    /// An instance has connected to `server`, which holds it from now on.
    pub fn delegate_joined(&mut self, delegate: DelegateId, server: &str, at: Timestamp) -> &mut Self {
        self.push(
            Statement::new(
                "delegate",
                "UPDATE delegate SET state = 'connected', server = $2, seen_at = $3 WHERE id = $1",
                values![delegate, server, at],
            )
            .one(),
        )
        .announce(Change::one(Topic::Delegates, delegate))
    }

    /// The connection of an instance to `server` has ended. Conflict when it has gone to another server meanwhile.
    pub fn delegate_left(&mut self, delegate: DelegateId, server: &str) -> &mut Self {
        self.push(
            Statement::new(
                "delegate",
                "UPDATE delegate SET state = 'disconnected' WHERE id = $1 AND server = $2",
                values![delegate, server],
            )
            .one(),
        )
        .announce(Change::one(Topic::Delegates, delegate))
    }

    /// Changes the state of an instance.
    pub fn delegate_state(&mut self, delegate: DelegateId, state: &str) -> &mut Self {
        self.push(
            Statement::new("delegate", "UPDATE delegate SET state = $2 WHERE id = $1", values![delegate, state]).one(),
        )
        .announce(Change::one(Topic::Delegates, delegate))
    }

    /// Forgets instances and groups that were not seen since the given moments.
    pub fn expire_delegates(&mut self, instances: Timestamp, groups: Timestamp) -> &mut Self {
        self.push(Statement::new(
            "delegate group",
            // A group is as fresh as its freshest instance.
            "UPDATE delegate_group SET seen_at = coalesce((SELECT max(d.seen_at) FROM delegate d WHERE d.org = delegate_group.org
                 AND d.project = delegate_group.project AND d.name = delegate_group.name), seen_at)",
            values![],
        ))
        .push(Statement::new("delegate", "DELETE FROM delegate WHERE seen_at < $1", values![instances]))
        .push(Statement::new("delegate group", "DELETE FROM delegate_group WHERE seen_at < $1", values![groups]))
    }
}
