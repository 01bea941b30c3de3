use crate::{Answer, Request};
use async_trait::async_trait;

/// Answers requests in the place of everybody else's endpoints: for rehearsals, which reach nobody.
#[async_trait]
pub trait Stand: Send + Sync {
    async fn answer(&self, request: &Request) -> Answer;
}
