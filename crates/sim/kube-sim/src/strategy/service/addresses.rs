//! The addresses of services, `clusterIP` and `clusterIPs`.

use super::EXTERNAL;
use super::families::refuse;
use crate::cluster::State;
use crate::error::ApiError;
use crate::kind::SERVICES;
use crate::object::Object;
use crate::ops::prepare::{keep, put};
use crate::validate::field::Problems;
use serde_json::{Value, json};

const ONE: &str = "/spec/clusterIP";
const ALL: &str = "/spec/clusterIPs";

/// What a client leaves out, it does not mean to change.
pub(super) fn inherit(new: &mut Value, old: &Value) {
    if new.text("/spec/type") == EXTERNAL || old.text("/spec/type") == EXTERNAL {
        return;
    }
    if new.text(ONE).is_empty() {
        keep(new, old, ONE);
    }
    if new.list(ALL).is_empty() {
        keep(new, old, ALL);
    }
}

/// Clients that know of one address only mean the list too.
pub(super) fn align(new: &mut Value, old: Option<&Value>) {
    let Some(old) = old else {
        if new.list(ALL).is_empty() {
            follow(new);
        }
        return;
    };
    if new.list(ALL).is_empty() && new.text(ONE) == old.text(ONE) {
        keep(new, old, ALL);
    }
    if new.text(ONE) != old.text(ONE) && new.list(ALL) == old.list(ALL) {
        follow(new);
    }
}

/// Makes the list that of the one address.
fn follow(service: &mut Value) {
    let one = service.text(ONE).to_owned();
    put(service, ALL, (!one.is_empty()).then(|| json!([one])));
}

/// A service that becomes external gives back what it did not name anew.
pub(super) fn forget(new: &mut Value, old: &Value) {
    if new.text(ONE) == old.text(ONE) && new.list(ALL) == old.list(ALL) {
        put(new, ONE, None);
        put(new, ALL, None);
    }
    for field in ["/spec/ipFamilies", "/spec/ipFamilyPolicy"] {
        if new.at(field) == old.at(field) {
            put(new, field, None);
        }
    }
}

/// Hands out the address, or takes the one that was chosen.
pub(super) fn allocate(state: &mut State, service: &mut Value) -> Result<(), ApiError> {
    let wanted = service.text(&format!("{ALL}/0")).to_owned();
    if service.text("/spec/type") == EXTERNAL || wanted == "None" {
        return Ok(());
    }
    let address = if wanted.is_empty() { free(state) } else { wanted };
    in_network(service, &address)?;
    service.set(ONE, address.as_str());
    service.set(ALL, json!([address]));
    Ok(())
}

/// Addresses that clients choose are of the service network.
fn in_network(service: &Value, address: &str) -> Result<(), ApiError> {
    let Ok(parsed) = address.parse::<std::net::Ipv4Addr>() else { return Ok(()) };
    let [first, second, ..] = parsed.octets();
    if first == 10 && (96..112).contains(&second) {
        return Ok(());
    }
    let why = format!("failed to allocate IP {address}: the provided network does not match the current range");
    let mut problems = Problems::default();
    problems.invalid("spec.clusterIPs", &json!([address]), &why);
    refuse(service, problems)
}

fn free(state: &mut State) -> String {
    loop {
        let address = state.ids.service_address();
        if !state.store.list(&SERVICES, None).any(|s| s.text(ONE) == address) {
            return address;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_and_the_list_of_them_go_together() {
        let service = |one: &str, all: &[&str]| {
            let mut service = json!({"spec": {"clusterIP": one, "clusterIPs": all}});
            if one.is_empty() {
                service.remove(ONE);
            }
            if all.is_empty() {
                service.remove(ALL);
            }
            service
        };
        let old = service("None", &["None"]);
        for (given, whole) in [(service("", &["None"]), "None"), (service("", &[]), "None")] {
            let mut new = given.clone();
            inherit(&mut new, &old);
            align(&mut new, Some(&old));
            assert_eq!(new, service(whole, &[whole]), "{given}");
        }
        let mut changed = service("10.96.0.1", &["None"]);
        align(&mut changed, Some(&old));
        assert_eq!(changed, service("10.96.0.1", &["10.96.0.1"]));
        let mut external = service("10.96.0.1", &[]);
        external.set("/spec/type", EXTERNAL);
        align(&mut external, None);
        assert_eq!(external.list(ALL), ["10.96.0.1"]);
    }
}
