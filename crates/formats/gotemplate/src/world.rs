use serde_json::Value as Json;

/// What templates may learn from outside of themselves. Everything is refused unless an implementation offers it
/// (decisions, "Purity").
pub trait World: Sync {
    /// Objects of a cluster, as Helm's `lookup` asks for them: one by its name, or a list. Without a cluster it is an empty map.
    ///
    /// # Errors
    /// Why the cluster did not answer.
    fn lookup(&self, api_version: &str, kind: &str, namespace: &str, name: &str) -> Result<Json, String> {
        let _ = (api_version, kind, namespace, name);
        Ok(Json::Object(serde_json::Map::new()))
    }

    /// Fills `bytes` with chance. False when there is none.
    fn random(&self, bytes: &mut [u8]) -> bool {
        let _ = bytes;
        false
    }

    /// Carries out a function that depends on the moment (`now`, `date`) or makes keys, certificates or password hashes (`genCA`).
    /// Nothing when it is not offered.
    fn call(&self, function: &str, arguments: &[Json]) -> Option<Result<Json, String>> {
        let _ = (function, arguments);
        None
    }

    /// Whether the time for the rendering is over. Asked every few thousand steps.
    fn is_over(&self) -> bool {
        false
    }
}

/// Nothing comes from outside.
#[derive(Clone, Copy, Debug, Default)]
pub struct Isolated;

impl World for Isolated {}
