//! What happens, chapter by chapter. Each says what it expects, and fails when it is not so.

mod again;
mod back;
mod check;
mod first;
mod next;
mod release;
mod rules;
mod setup;

use super::house::House;
use super::people::Person;
use crate::failure::CliFailure;

/// Who plays along.
#[derive(Debug)]
pub(super) struct Cast {
    /// Of the payments team.
    pub(super) ana: Person,
    /// Of the payments team too; may start pipelines.
    pub(super) ben: Person,
    /// Of the platform team.
    pub(super) chloe: Person,
    /// Of no team.
    pub(super) eve: Person,
    /// The build of the application.
    pub(super) build: String,
}

/// Plays everything.
pub(super) async fn tell(house: &mut House) -> Result<(), CliFailure> {
    let cast = setup::tell(house).await?;
    first::webhook(house, &cast).await?;
    first::by_hand(house, &cast).await?;
    release::more_errors(house, &cast).await?;
    release::no_image(house, &cast).await?;
    rules::strangers_and_regions(house, &cast).await?;
    again::delegate_killed(house, &cast).await?;
    again::server_killed(house, &cast).await?;
    back::three_ways(house, &cast).await?;
    rules::weekend(house, &cast).await?;
    next::rehearsed(house).await?;
    back::audit(house).await
}
