//! Users, groups and capabilities of pods and containers.

use super::at::At;
use super::field::Problems;

fn id(at: &At<'_>, field: &str, problems: &mut Problems) {
    if let Some(id) = at.int(field) {
        in_range(&at.at(field), id, problems);
    }
}

fn in_range(path: &str, id: i64, problems: &mut Problems) {
    if !(0..=2_147_483_647).contains(&id) {
        problems.invalid(path, &id.into(), "must be between 0 and 2147483647, inclusive");
    }
}

pub(super) fn pod(context: &At<'_>, problems: &mut Problems) {
    id(context, "fsGroup", problems);
    id(context, "runAsUser", problems);
    id(context, "runAsGroup", problems);
    for group in context.items("supplementalGroups") {
        in_range(&group.path, group.value.as_i64().unwrap_or(0), problems);
    }
    let mut seen: Vec<&str> = Vec::new();
    for sysctl in context.items("sysctls") {
        let name = sysctl.text("name");
        if name.is_empty() {
            problems.required(sysctl.at("name"), "");
        } else if seen.contains(&name) {
            problems.duplicate(sysctl.at("name"), &name.into());
        }
        seen.push(name);
    }
    if context.has("fsGroupChangePolicy") {
        let given = context.text("fsGroupChangePolicy");
        if !matches!(given, "Always" | "OnRootMismatch") {
            let known = ["Always", "OnRootMismatch"];
            problems.unsupported(context.at("fsGroupChangePolicy"), &given.into(), &known);
        }
    }
    seccomp(context, problems);
}

pub(super) fn container(context: &At<'_>, problems: &mut Problems) {
    id(context, "runAsUser", problems);
    id(context, "runAsGroup", problems);
    seccomp(context, problems);
    if context.child("allowPrivilegeEscalation").value.as_bool() != Some(false) {
        return;
    }
    let shown = crate::internal::show("SecurityContext", context.value);
    if context.flag("privileged") {
        let why = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true";
        problems.invalid_shown(&context.path, &shown, why);
    }
    if context.child("capabilities").items("add").iter().any(|c| c.as_str() == "CAP_SYS_ADMIN") {
        let why = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN";
        problems.invalid_shown(&context.path, &shown, why);
    }
}

fn seccomp(context: &At<'_>, problems: &mut Problems) {
    let profile = context.child("seccompProfile");
    if !profile.is_set() {
        return;
    }
    match profile.text("type") {
        "Localhost" if profile.text("localhostProfile").is_empty() => {
            problems.required(profile.at("localhostProfile"), "must be set when seccomp type is Localhost ");
        }
        "RuntimeDefault" | "Unconfined" if profile.has("localhostProfile") => {
            let given = profile.text("localhostProfile");
            let why = "can only be set when seccomp type is Localhost";
            problems.invalid(profile.at("localhostProfile"), &given.into(), why);
        }
        "Localhost" | "RuntimeDefault" | "Unconfined" => {}
        "" => problems.required(profile.at("type"), "type is required when seccompProfile is set"),
        other => {
            let known = ["Localhost", "RuntimeDefault", "Unconfined"];
            problems.unsupported(profile.at("type"), &other.into(), &known);
        }
    }
}
