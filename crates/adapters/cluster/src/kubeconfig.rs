//! What a kubeconfig from a connector may hold.

use kube::config::{AuthInfo, Kubeconfig};

/// The entries of a kubeconfig text that would run programs or read files on the worker: a connector may not do that.
pub(crate) fn refused(config: &Kubeconfig) -> Vec<String> {
    let mut found = Vec::new();
    for user in &config.auth_infos {
        let Some(auth) = &user.auth_info else { continue };
        found.extend(of_user(auth).into_iter().map(|what| format!("users[{}].user.{what}", user.name)));
    }
    for cluster in &config.clusters {
        if cluster.cluster.as_ref().is_some_and(|cluster| cluster.certificate_authority.is_some()) {
            found.push(format!("clusters[{}].cluster.certificate-authority", cluster.name));
        }
    }
    found
}

fn of_user(auth: &AuthInfo) -> Vec<&'static str> {
    let entries = [
        ("exec", auth.exec.is_some()),
        ("auth-provider", auth.auth_provider.is_some()),
        ("tokenFile", auth.token_file.is_some()),
        ("client-certificate", auth.client_certificate.is_some()),
        ("client-key", auth.client_key.is_some()),
    ];
    entries.into_iter().filter_map(|(name, is_there)| is_there.then_some(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_and_files_are_refused_by_name() {
        let text = "apiVersion: v1\nkind: Config\nclusters:\n- name: c\n  cluster: {server: 'https://x', certificate-authority: /etc/ca}\n\
            users:\n- name: u\n  user:\n    exec: {apiVersion: client.authentication.k8s.io/v1, command: sh}\n    tokenFile: /t\n";
        let config = Kubeconfig::from_yaml(text).unwrap();
        assert_eq!(
            refused(&config),
            ["users[u].user.exec", "users[u].user.tokenFile", "clusters[c].cluster.certificate-authority"]
        );
    }
}
