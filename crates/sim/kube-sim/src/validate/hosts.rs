//! Names and addresses that pods are told.

use super::at::At;
use super::field::Problems;
use super::names;

pub(super) fn dns(config: &At<'_>, policy: &str, problems: &mut Problems) {
    let servers = config.child("nameservers");
    if policy == "None" && servers.len() == 0 {
        let at = if config.is_set() { servers.path.clone() } else { config.path.clone() };
        problems.required(at, "must provide at least one DNS nameserver when `dnsPolicy` is None");
    }
    if servers.len() > 3 {
        problems.invalid(&servers.path, servers.value, "must not have more than 3 nameservers");
    }
    for server in servers.elements() {
        problems.invalid_each(&server.path, server.as_str(), names::address(server.as_str()));
    }
    for search in config.items("searches") {
        let name = search.as_str().strip_suffix('.').unwrap_or(search.as_str());
        problems.invalid_each(&search.path, name, names::search_domain(name));
    }
    for option in config.items("options") {
        if option.text("name").is_empty() {
            problems.required(option.path, "must not be empty");
        }
    }
}

pub(super) fn aliases(aliases: &At<'_>, problems: &mut Problems) {
    for alias in aliases.elements() {
        alias.wrong("ip", names::address(alias.text("ip")), problems);
        for name in alias.items("hostnames") {
            problems.invalid_each(&name.path, name.as_str(), names::subdomain(name.as_str()));
        }
    }
}
