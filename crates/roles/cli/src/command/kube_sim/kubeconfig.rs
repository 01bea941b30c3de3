//! The kubeconfig of a simulated cluster.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// One context for the administrator, named as the cluster, and `USER@CLUSTER` for everybody else.
pub(super) fn text(name: &str, server: &str, authority: &str, admin: &str, users: &[(String, String)]) -> String {
    // A string of JSON is a string of YAML, whatever it holds.
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let mut contexts = String::new();
    let mut tokens = String::new();
    let all = std::iter::once((name.to_owned(), format!("{name}-admin"), admin));
    let all = all.chain(users.iter().map(|(user, token)| (format!("{user}@{name}"), user.clone(), token.as_str())));
    for (context, user, token) in all {
        let (context, user, token) = (quoted(&context), quoted(&user), quoted(token));
        contexts.push_str(&format!("- {{name: {context}, context: {{cluster: {}, user: {user}}}}}\n", quoted(name)));
        tokens.push_str(&format!("- {{name: {user}, user: {{token: {token}}}}}\n"));
    }
    format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: {name}\nclusters:\n- name: {name}\n  cluster:\n    server: {server}\n    \
         certificate-authority-data: {authority}\ncontexts:\n{contexts}users:\n{tokens}",
        name = quoted(name),
        authority = STANDARD.encode(authority),
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn whatever_names_and_tokens_hold_the_file_can_be_read() {
        let users = [("eve: {x}".to_owned(), "t\"1#".to_owned())];
        let text = super::text("prod", "https://127.0.0.1:6443", "PEM", "a=b", &users);
        let read = windlass_yaml::parse_one("kubeconfig", &text, &windlass_yaml::Options::OBJECTS).unwrap();
        let json = read.root.to_json(windlass_yaml::NumberStyle::Typed);
        assert_eq!(json["current-context"], "prod");
        assert_eq!(json["contexts"][1]["name"], "eve: {x}@prod");
        assert_eq!(json["users"][0]["user"]["token"], "a=b");
        assert_eq!(json["users"][1]["user"]["token"], "t\"1#");
        assert_eq!(json["clusters"][0]["cluster"]["certificate-authority-data"], "UEVN");
    }
}
