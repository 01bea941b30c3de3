//! Settings as people see them: the value, where it comes from, and whether a narrower scope may have its own.

use super::registry::{Definition, Kind, all, find, named};
use super::values::default_of;
use crate::access::{Authorized, Resource};
use crate::{Answer, App, Failure};
use schemars::JsonSchema;
use serde::Serialize;
use windlass_model::{Json, Scope, Timestamp};
use windlass_store::Scopes;
use windlass_store::settings::Setting;

/// A value that somebody set.
#[derive(Clone, Debug)]
pub(super) struct Stored {
    pub(super) scope: Scope,
    pub(super) name: String,
    pub(super) value: Json,
    /// Whether narrower scopes may have their own.
    pub(super) overridable: bool,
    pub(super) at: Timestamp,
    pub(super) by: String,
}

impl Stored {
    /// Nothing for what is no setting of the registry, or not any more.
    pub(super) fn of(setting: Setting) -> Option<Self> {
        let Setting { scope, name, value, updated_at, updated_by } = setting;
        named(&name)?;
        let kept: Json = serde_json::from_str(&value).ok()?;
        let overridable = kept.get("overridable").and_then(Json::as_bool).unwrap_or(true);
        Some(Self { scope, name, value: kept.get("value")?.clone(), overridable, at: updated_at, by: updated_by })
    }
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Origin {
    Default,
    #[serde(untagged)]
    Scope(Scope),
}

/// A setting with what holds in one scope.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SettingRow {
    pub name: &'static str,
    #[serde(rename = "type")]
    pub kind: Kind,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choices: Option<&'static [&'static str]>,
    /// As people write it.
    pub value: String,
    pub default: &'static str,
    pub origin: Origin,
    /// Whether a value may be set here.
    pub changeable: bool,
    /// Whether narrower scopes may have their own.
    pub overridable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set_by: Option<String>,
    pub since: &'static str,
    pub text: &'static str,
}

/// What holds in a scope.
pub(super) struct Effective<'a> {
    pub(super) value: Json,
    pub(super) from: Option<&'a Stored>,
    /// The wider scope that keeps the value to itself.
    pub(super) kept_by: Option<&'a Scope>,
}

/// From the widest scope to the narrowest, each wins over the one before, up to one that lets nobody.
pub(super) fn effective<'a>(one: &Definition, stored: &'a [Stored], scope: &Scope) -> Effective<'a> {
    let mut found = Effective { value: default_of(one), from: None, kept_by: None };
    let mut around: Vec<Scope> = scope.outwards().collect();
    around.reverse();
    for at in &around {
        let Some(set) = stored.iter().find(|set| set.name == one.name && set.scope == *at) else { continue };
        // A value of an earlier version that does not fit any more counts as not set.
        if one.kind.read(&one.kind.show(&set.value)).is_err() {
            continue;
        }
        found.value = set.value.clone();
        found.from = Some(set);
        if !set.overridable {
            if at != scope {
                found.kept_by = Some(&set.scope);
            }
            return found;
        }
    }
    found
}

fn row(one: &Definition, stored: &[Stored], scope: &Scope) -> SettingRow {
    let found = effective(one, stored, scope);
    SettingRow {
        name: one.name,
        kind: one.kind,
        choices: match one.kind {
            Kind::Choice(words) => Some(words),
            _ => None,
        },
        value: one.kind.show(&found.value),
        default: one.default,
        origin: found.from.map_or(Origin::Default, |set| Origin::Scope(set.scope.clone())),
        changeable: found.kept_by.is_none() && !(one.account_only && *scope != Scope::Account),
        overridable: !one.account_only && found.from.is_none_or(|set| set.overridable),
        set_at: found.from.map(|set| set.at),
        set_by: found.from.map(|set| set.by.clone()),
        since: one.since,
        text: one.text,
    }
}

impl App {
    /// Every setting with what holds in the scope.
    pub async fn settings(&self, place: &Authorized<Resource>) -> Answer<Vec<SettingRow>> {
        let stored = self.stored_settings(&place.scope).await?;
        Ok(all().iter().map(|one| row(one, &stored, &place.scope)).collect())
    }

    pub async fn setting(&self, place: &Authorized<Resource>, name: &str) -> Answer<SettingRow> {
        let one = known(name)?;
        let stored = self.stored_settings(&place.scope).await?;
        Ok(row(one, &stored, &place.scope))
    }

    pub(super) async fn stored_settings(&self, scope: &Scope) -> Answer<Vec<Stored>> {
        let stored = self.store().settings().list(&Scopes::VisibleFrom(scope.clone()), None).await?;
        Ok(stored.into_iter().filter_map(Stored::of).collect())
    }
}

pub(super) fn known(name: &str) -> Answer<&'static Definition> {
    find(name).map_err(|near| {
        let failure = Failure::not_found(format!("there is no setting `{name}`"));
        match near {
            Some(near) => failure.hint(format!("did you mean `{near}`?")),
            None => failure.hint("`windlass setting list` shows them all"),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{Stored, effective};
    use crate::settings::registry::find;
    use windlass_model::{Json, Scope, Timestamp};

    fn set(scope: &str, value: &str, overridable: bool) -> Stored {
        let id = |text: &str| windlass_model::Identifier::parse(text).unwrap();
        let scope = match scope.split_once('/') {
            Some((org, project)) => Scope::Project { org: id(org), project: id(project) },
            None if scope.is_empty() => Scope::Account,
            None => Scope::Org { org: id(scope) },
        };
        let (at, by) = (Timestamp::from_micros(0), "user:ada".to_owned());
        Stored { scope, name: "timeout.step".into(), value: Json::from(value), overridable, at, by }
    }

    #[test]
    fn the_narrowest_wins_unless_a_wider_one_keeps_it() {
        let project = set("o/p", "", true).scope;
        let one = find("timeout.step").unwrap();
        for (stored, wanted, kept) in [
            (vec![], "10m", false),
            (vec![set("", "20m", true)], "20m", false),
            (vec![set("", "20m", true), set("o", "30m", true), set("o/p", "40m", true)], "40m", false),
            (vec![set("", "20m", true), set("o", "30m", false), set("o/p", "40m", true)], "30m", true),
            (vec![set("", "20m", false), set("o/p", "40m", true)], "20m", true),
            (vec![set("o/p", "40m", false)], "40m", false),
            (vec![set("other", "1m", false)], "10m", false),
            (vec![set("o/p", "nonsense", true)], "10m", false),
        ] {
            let found = effective(one, &stored, &project);
            assert_eq!((found.value, found.kept_by.is_some()), (Json::from(wanted), kept), "{stored:?}");
        }
    }
}
