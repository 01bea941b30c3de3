//! Who takes part.

use super::house::House;
use crate::failure::CliFailure;

/// Somebody with an account and an API key.
#[derive(Debug, Clone)]
pub(super) struct Person {
    pub(super) name: &'static str,
    pub(super) key: String,
}

impl Person {
    pub(super) async fn new(house: &House, name: &'static str) -> Result<Self, CliFailure> {
        house.quiet(&["user", "create", name, "--email", &format!("{name}@example.com")]).await?;
        let key = house.quiet(&["api-key", "create", "demo", "--user", name]).await?;
        Ok(Self { name, key: key.trim().to_owned() })
    }
}
