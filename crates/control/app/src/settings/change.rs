//! Setting a value, and taking it back.

use super::SettingRow;
use super::list::{effective, known};
use crate::access::{Authorized, Caller, Resource};
use crate::{Answer, App, Failure};
use windlass_model::{Json, Scope};
use windlass_store::Write;
use windlass_store::settings::Setting;

impl App {
    /// Sets a value in a scope. With `overridable` false narrower scopes cannot have their own, and those they have sleep.
    pub async fn set_setting(
        &self,
        by: &Caller,
        place: &Authorized<Resource>,
        name: &str,
        text: &str,
        overridable: bool,
    ) -> Answer<SettingRow> {
        let one = known(name)?;
        let scope = &place.scope;
        if one.account_only && *scope != Scope::Account {
            let failure = Failure::invalid("SET0002", format!("`{name}` is set for the account as a whole"));
            return Err(failure.hint("leave the organization and the project out"));
        }
        let value = one.kind.read(text).map_err(|why| Failure::invalid("SET0001", format!("`{name}`: {why}")))?;
        let stored = self.stored_settings(scope).await?;
        let before = effective(one, &stored, scope);
        if let Some(keeper) = before.kept_by {
            let text = format!("`{name}` is set in {keeper}, which lets no narrower scope have its own");
            return Err(Failure::conflict("SET0003", text));
        }
        let now = self.clock().now();
        let mut write = Write::new();
        write.set_setting(&Setting {
            scope: scope.clone(),
            name: one.name.to_owned(),
            value: serde_json::json!({ "value": value, "overridable": overridable }).to_string(),
            updated_at: now,
            updated_by: by.id.clone(),
        });
        let body = serde_json::json!({ "old": before.value, "new": value, "overridable": overridable });
        write.audit(&crate::audit::entry(now, scope, &by.id, "UPDATE", "SETTING", one.name, body));
        self.store().write(write).await?;
        self.setting(place, name).await
    }

    /// Takes the scope's own value back, so that the wider one holds again.
    pub async fn reset_setting(&self, by: &Caller, place: &Authorized<Resource>, name: &str) -> Answer<SettingRow> {
        let one = known(name)?;
        let scope = &place.scope;
        let stored = self.stored_settings(scope).await?;
        let own = stored.iter().find(|set| set.name == one.name && set.scope == *scope);
        let own = own.ok_or_else(|| Failure::not_found(format!("`{name}` has no value of its own in {scope}")))?;
        let mut write = Write::new();
        write.clear_setting(scope, one.name);
        let body = serde_json::json!({ "old": own.value, "new": Json::Null });
        write.audit(&crate::audit::entry(self.clock().now(), scope, &by.id, "RESTORE", "SETTING", one.name, body));
        self.store().write(write).await?;
        self.setting(place, name).await
    }
}
