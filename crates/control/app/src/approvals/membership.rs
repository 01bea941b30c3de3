//! Who is in which group, right now.

use crate::documents::Lookup;
use crate::{Answer, App, Principal};
use std::collections::{BTreeMap, BTreeSet};
use windlass_document::{Entity, Kind};
use windlass_model::{Identifier, Scope, ScopedRef};

/// Everybody who may sign in.
const EVERYBODY: &str = "_account_all_users";

/// Whom one principal is together with; groups are looked up once each.
pub(super) struct Memberships<'a> {
    app: &'a App,
    who: &'a Principal,
    /// By scope and group.
    known: BTreeMap<(String, String), bool>,
}

impl<'a> Memberships<'a> {
    pub(super) fn of(app: &'a App, who: &'a Principal) -> Self {
        Self { app, who, known: BTreeMap::new() }
    }

    /// Those of the groups, as they are written in a document of `from`, that the principal is a member of.
    pub(super) async fn among(&mut self, groups: &[String], from: &Scope) -> Answer<BTreeSet<String>> {
        let mut member = BTreeSet::new();
        for group in groups {
            let key = (from.to_string(), group.clone());
            let is = match self.known.get(&key) {
                Some(is) => *is,
                None => self.app.is_member(self.who, group, from).await?,
            };
            self.known.insert(key, is);
            if is {
                member.insert(group.clone());
            }
        }
        Ok(member)
    }
}

impl App {
    async fn is_member(&self, who: &Principal, group: &str, from: &Scope) -> Answer<bool> {
        let Ok(reference) = ScopedRef::parse(group) else { return Ok(false) };
        let Ok(scope) = reference.resolve(from) else { return Ok(false) };
        if scope == Scope::Account && reference.id.as_str() == EVERYBODY {
            return Ok(who.person);
        }
        if self.is_stored_member(who, &scope, &reference.id).await? {
            return Ok(true);
        }
        let Lookup::Found(document) = self.find_document(Kind::UserGroup, group, from, None).await? else {
            return Ok(false);
        };
        let parsed = self.parsed(Kind::UserGroup, &document);
        let Some(Entity::UserGroup(group)) = parsed.of(Kind::UserGroup).map(|group| &group.entity) else {
            return Ok(false);
        };
        Ok(group.users.iter().any(|user| names(user, who)))
    }

    async fn is_stored_member(&self, who: &Principal, scope: &Scope, group: &Identifier) -> Answer<bool> {
        let groups = self.store().groups().of(&who.id).await?;
        Ok(groups.iter().any(|one| one.scope == *scope && one.group == *group))
    }
}

/// A group lists people by id or by address.
fn names(user: &str, who: &Principal) -> bool {
    let Some(id) = who.id.strip_prefix("user:") else { return false };
    user == id || who.email.as_deref().is_some_and(|email| user.eq_ignore_ascii_case(email))
}

#[cfg(test)]
mod tests {
    use super::names;
    use crate::Principal;

    #[test]
    fn people_are_listed_by_id_or_address() {
        let ada = Principal {
            id: "user:ada".into(),
            name: "Ada".into(),
            email: Some("ada@example.com".into()),
            person: true,
        };
        assert!(names("ada", &ada) && names("Ada@Example.com", &ada));
        assert!(!names("Ada", &ada) && !names("", &ada));
        let account = Principal { id: "serviceAccount:account/ada".into(), email: None, person: false, ..ada };
        assert!(!names("ada", &account));
    }
}
