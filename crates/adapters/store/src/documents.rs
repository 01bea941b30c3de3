//! Documents: entities as people wrote them, byte for byte, with every earlier version (architecture §5).
//!
//! The text is the truth; name, tags and search words are derived by the caller and kept for lists. A document's version counts
//! from 1 and goes on when a deleted name is used again, so that an old ETag never fits by chance.

mod save;

use crate::Store;
use crate::error::{Malformed, StoreError};
use crate::page::{Page, PageRequest};
use crate::scopes::Scopes;
use crate::sql::{Query, Statement, containing};
use crate::value::{Perhaps, Record, Row, values};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use windlass_model::{Identifier, Scope, Timestamp};

/// Names a document.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentKey {
    /// The root key of the YAML: `pipeline`, `service`, `infrastructureDefinition`, …
    pub kind: String,
    pub scope: Scope,
    /// What it belongs to besides the scope: an infrastructure definition to its environment, a trigger to its pipeline.
    pub parent: Option<Identifier>,
    pub identifier: Identifier,
}

/// What a save writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    pub key: DocumentKey,
    pub name: String,
    pub tags: BTreeMap<String, String>,
    /// The author's text.
    pub text: String,
    /// The principal who saves.
    pub by: String,
    pub at: Timestamp,
}

/// A document as saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    pub key: DocumentKey,
    pub version: u64,
    pub name: String,
    pub tags: BTreeMap<String, String>,
    pub text: String,
    pub created_at: Timestamp,
    pub created_by: String,
    pub updated_at: Timestamp,
    pub updated_by: String,
}

impl Document {
    /// The entity tag, without quotes: version and the beginning of the text's hash.
    pub fn etag(&self) -> String {
        etag(self.version, &self.text)
    }
}

/// The entity tag of a version with this text.
pub fn etag(version: u64, text: &str) -> String {
    use std::fmt::Write as _;
    let mut etag = format!("{version}-");
    for byte in &Sha256::digest(text.as_bytes())[..6] {
        let _ = write!(etag, "{byte:02x}");
    }
    etag
}

macro_rules! columns {
    () => {
        "kind, org, project, parent, identifier, version, name, tags, body, created_at, created_by, updated_at, updated_by"
    };
}

impl Record for Document {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        Ok(Self {
            key: DocumentKey {
                kind: row.take()?,
                scope: row.scope()?,
                parent: row.take::<Perhaps<Identifier>>()?.0,
                identifier: row.take()?,
            },
            version: row.take()?,
            name: row.take()?,
            tags: row.take()?,
            text: row.take()?,
            created_at: row.take()?,
            created_by: row.take()?,
            updated_at: row.take()?,
            updated_by: row.take()?,
        })
    }
}

/// One entry of a document's history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentVersion {
    pub version: u64,
    /// `create`, `update` or `delete`.
    pub action: String,
    pub name: String,
    /// As it was after the action; for `delete`, as it was before.
    pub text: String,
    pub at: Timestamp,
    pub by: String,
}

impl Record for DocumentVersion {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        Ok(Self {
            version: row.take()?,
            action: row.take()?,
            name: row.take()?,
            text: row.take()?,
            at: row.take()?,
            by: row.take()?,
        })
    }
}

/// Which documents a list shows. Everything that is given must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentFilter {
    pub kind: Option<String>,
    pub scopes: Scopes,
    pub parent: Option<Identifier>,
    /// Tags the document has, each with its value; a value of `None` fits any.
    pub tags: Vec<(String, Option<String>)>,
    /// Found in identifier, name or tags, ignoring case.
    pub text: Option<String>,
}

#[derive(Clone, Copy, Debug)]
pub struct Documents<'a>(&'a Store);

impl Store {
    pub fn documents(&self) -> Documents<'_> {
        Documents(self)
    }
}

impl Documents<'_> {
    pub async fn get(&self, key: &DocumentKey) -> Result<Option<Document>, StoreError> {
        let sql = concat!(
            "SELECT ",
            columns!(),
            " FROM document WHERE kind = $1 AND org = $2 AND project = $3 AND parent = $4 AND identifier = $5 AND deleted = 0"
        );
        self.0.one(Statement::new("document", sql, key_values(key))).await
    }

    /// Documents by kind, scope, parent and identifier.
    pub async fn list(&self, filter: &DocumentFilter, page: &PageRequest) -> Result<Page<Document>, StoreError> {
        let mut query = Query::new(concat!("SELECT ", columns!(), " FROM document WHERE deleted = 0"), values![]);
        filter.narrow(&mut query);
        if let Some(cursor) = &page.after {
            let parts: Vec<&str> = cursor.split('/').collect();
            let [kind, org, project, parent, identifier] = parts[..] else {
                return Err(StoreError::BadCursor { cursor: cursor.clone() });
            };
            query.push(
                " AND (kind, org, project, parent, identifier) > (?, ?, ?, ?, ?)",
                values![kind, org, project, parent, identifier],
            );
        }
        query.push(" ORDER BY kind, org, project, parent, identifier LIMIT ?", values![page.size() + 1]);
        let items = self.0.all(query.finish("document")).await?;
        Ok(Page::cut(items, page.size(), |document: &Document| cursor(&document.key)))
    }

    /// How many documents a filter finds.
    pub async fn count(&self, filter: &DocumentFilter) -> Result<u64, StoreError> {
        let mut query = Query::new("SELECT count(*) FROM document WHERE deleted = 0", values![]);
        filter.narrow(&mut query);
        self.0.count(query.finish("document")).await
    }

    /// Every version that ever was, the youngest first. Goes on beyond deletions.
    pub async fn history(&self, key: &DocumentKey, page: &PageRequest) -> Result<Page<DocumentVersion>, StoreError> {
        let mut query = Query::new(VERSIONS, key_values(key));
        if let Some(cursor) = &page.after {
            let before: u64 = cursor.parse().map_err(|_| StoreError::BadCursor { cursor: cursor.clone() })?;
            query.push(" AND version < ?", values![before]);
        }
        query.push(" ORDER BY version DESC LIMIT ?", values![page.size() + 1]);
        let items = self.0.all(query.finish("document version")).await?;
        Ok(Page::cut(items, page.size(), |version: &DocumentVersion| version.version.to_string()))
    }

    /// One version.
    pub async fn version(&self, key: &DocumentKey, version: u64) -> Result<Option<DocumentVersion>, StoreError> {
        let mut query = Query::new(VERSIONS, key_values(key));
        query.push(" AND version = ?", values![version]);
        self.0.one(query.finish("document version")).await
    }
}

const VERSIONS: &str = "SELECT version, action, name, body, at, by_whom FROM document_version
     WHERE kind = $1 AND org = $2 AND project = $3 AND parent = $4 AND identifier = $5";

fn cursor(key: &DocumentKey) -> String {
    let part = |part: Option<&Identifier>| part.map(Identifier::as_str).unwrap_or_default().to_owned();
    let (org, project, parent) = (part(key.scope.org()), part(key.scope.project()), part(key.parent.as_ref()));
    format!("{}/{org}/{project}/{parent}/{}", key.kind, key.identifier)
}

fn key_values(key: &DocumentKey) -> Vec<crate::value::Value> {
    values![&key.kind, scope: &key.scope, Perhaps(key.parent.as_ref()), &key.identifier]
}

impl DocumentFilter {
    fn narrow(&self, query: &mut Query) {
        query.and("kind = ?", self.kind.as_deref());
        self.scopes.narrow(query);
        query.and("parent = ?", self.parent.as_ref());
        for (tag, value) in &self.tags {
            let wanted = match value {
                Some(value) => containing(&format!("\n{}={}\n", tag.to_lowercase(), value.to_lowercase())),
                None => containing(&format!("\n{}=", tag.to_lowercase())),
            };
            query.and(r"search LIKE ? ESCAPE '\'", Some(wanted));
        }
        let text = self.text.as_ref().map(|text| containing(&text.to_lowercase()));
        query.and(r"search LIKE ? ESCAPE '\'", text);
    }
}
