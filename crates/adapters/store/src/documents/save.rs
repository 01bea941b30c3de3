//! Saving and deleting, each with its entry in the history.

use super::{Document, DocumentKey, Draft, key_values};
use crate::changes::{Change, Topic};
use crate::sql::Statement;
use crate::value::values;
use crate::{Returned, Write};
use windlass_model::Timestamp;

/// What filters look at: identifier, name, and one line per tag.
fn search(draft: &Draft) -> String {
    let mut search = format!("{}\n{}\n", draft.key.identifier, draft.name);
    for (tag, value) in &draft.tags {
        search.push_str(&format!("{tag}={value}\n"));
    }
    search.to_lowercase()
}

impl Write {
    /// Saves a new document and promises its version. Conflict when there is one of this key.
    pub fn create_document(&mut self, draft: &Draft) -> Returned<u64> {
        let mut row = key_values(&draft.key);
        row.extend(values![&draft.name, &draft.tags, search(draft), &draft.text, draft.at, &draft.by]);
        let version = self.returning(
            Statement::new(
                "document",
                "INSERT INTO document (kind, org, project, parent, identifier, version, deleted, name, tags, search, body,
                     created_at, created_by, updated_at, updated_by)
                 VALUES ($1, $2, $3, $4, $5, 1, 0, $6, $7, $8, $9, $10, $11, $10, $11)
                 ON CONFLICT (kind, org, project, parent, identifier) DO UPDATE SET
                     version = document.version + 1, deleted = 0, name = excluded.name, tags = excluded.tags,
                     search = excluded.search, body = excluded.body, created_at = excluded.created_at,
                     created_by = excluded.created_by, updated_at = excluded.updated_at, updated_by = excluded.updated_by
                 WHERE document.deleted = 1
                 RETURNING version",
                row,
            )
            .one(),
        );
        self.remember(&draft.key, "create");
        version
    }

    /// Saves a document over the version `current`, which the author has seen. Conflict when it is not the newest any more.
    pub fn update_document(&mut self, current: &Document, draft: &Draft) -> &mut Self {
        let mut row = key_values(&current.key);
        row.extend(values![current.version, &draft.name, &draft.tags, search(draft), &draft.text, draft.at, &draft.by]);
        self.push(
            Statement::new(
                "document",
                "UPDATE document SET version = version + 1, name = $7, tags = $8, search = $9, body = $10, updated_at = $11,
                     updated_by = $12
                 WHERE kind = $1 AND org = $2 AND project = $3 AND parent = $4 AND identifier = $5 AND version = $6
                     AND deleted = 0",
                row,
            )
            .one(),
        );
        self.remember(&current.key, "update")
    }

    /// Deletes the version `current` of a document. Conflict when it is not the newest any more. The history stays.
    pub fn delete_document(&mut self, current: &Document, by: &str, at: Timestamp) -> &mut Self {
        let mut row = key_values(&current.key);
        row.extend(values![current.version, at, by]);
        self.push(
            Statement::new(
                "document",
                "UPDATE document SET version = version + 1, deleted = 1, updated_at = $7, updated_by = $8
                 WHERE kind = $1 AND org = $2 AND project = $3 AND parent = $4 AND identifier = $5 AND version = $6
                     AND deleted = 0",
                row,
            )
            .one(),
        );
        self.remember(&current.key, "delete")
    }

    /// Copies the row as it is now into the history.
    fn remember(&mut self, key: &DocumentKey, action: &str) -> &mut Self {
        let mut row = key_values(key);
        row.extend(values![action]);
        self.push(
            Statement::new(
                "document version",
                "INSERT INTO document_version (kind, org, project, parent, identifier, version, action, name, body, at, by_whom)
                 SELECT kind, org, project, parent, identifier, version, $6, name, body, updated_at, updated_by FROM document
                 WHERE kind = $1 AND org = $2 AND project = $3 AND parent = $4 AND identifier = $5",
                row,
            )
            .one(),
        )
        .announce(Change::one(Topic::Documents, &key.kind))
    }
}
