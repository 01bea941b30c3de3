//! Differences that stay, each with its reason. They are told in docs/compatibility/kube-sim.md.

use super::step::Step;

/// A difference that is accepted.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    pub reason: &'static str,
    /// The state differs from here on: what follows in the sequence is not compared.
    pub ends: bool,
    fits: fn(&Step, &str, &str) -> bool,
}

/// All of them. Each asks for the request, the place in the answer, and what differs there.
pub const KNOWN: &[Known] = &[
    Known {
        reason: "what a patch makes cannot be read: the message shows the object in the order of Go's fields, in the words of Go's converter",
        ends: false,
        fits: |step, place, told| {
            let shown = [
                "is invalid: patch: Invalid value",
                "wanted \"Invalid value: \\\"{",
                "wanted \"Invalid value: \\\"map[",
            ];
            step.method == "PATCH" && place.ends_with("/message") && shown.iter().any(|text| told.contains(text))
        },
    },
    Known {
        reason: "a field that may not change: the message prints the server's internal types, with what is empty in them",
        ends: false,
        fits: |_, place, told| {
            let shown = [
                "\\\"InitContainers\\\":",
                "may not be changed once set",
                "\\\"Requests\\\\\\\":",
                "spec is immutable after creation",
            ];
            place.ends_with("/message") && shown.iter().any(|text| told.contains(text))
        },
    },
    Known {
        reason: "an empty list in a message: Go knows `[]` from `null` where both mean nothing",
        ends: false,
        fits: |_, place, told| {
            place.ends_with("/message") && told.contains("Invalid value: []") && told.contains("Invalid value: null")
        },
    },
    Known {
        reason: "an empty list where there was none is a change of a NetworkPolicy to the server, and counts a generation",
        ends: true,
        fits: |step, place, _| {
            let counts = place.ends_with("/generation") || place.ends_with("/resourceVersion");
            step.path.contains("/networkpolicies/") && counts
        },
    },
    Known {
        reason: "quotas are stored and not counted: the server writes what is used into those that have a status",
        ends: true,
        fits: |step, place, told| {
            let counted = told.contains(r#""manager":"kube-apiserver""#);
            step.path.contains("/resourcequotas") && place.ends_with("/managedFields") && counted
        },
    },
    Known {
        reason: "several faults in one custom object, or in one applied object: the server stops looking at other places",
        ends: false,
        fits: |step, place, told| {
            let is_custom = step.path.contains("/widgets") && (told.contains("in body") || told.contains("Too long"));
            let is_typed = told.contains("failed to create typed patch object");
            (place.ends_with("/message") || place.ends_with("/causes")) && (is_custom || is_typed)
        },
    },
    Known {
        reason: "an update that changes nothing: the server writes claims and daemon sets again, or does not, by the bytes in its store",
        ends: true,
        fits: |step, place, _| {
            let kinds = ["/persistentvolumeclaims/", "/daemonsets/"];
            matches!(step.method, "PUT" | "PATCH")
                && place == "/body/metadata/resourceVersion"
                && kinds.iter().any(|kind| step.path.contains(kind))
        },
    },
    Known {
        reason: "the scale of a custom object: what the server says of a body of another kind",
        ends: true,
        fits: |step, _, _| step.path.contains("/widgets/") && step.path.contains("/scale") && step.method != "GET",
    },
    Known {
        reason: "the first version of all: the server's store has forgotten it",
        ends: false,
        fits: |step, _, _| step.path.contains("resourceVersion=1&resourceVersionMatch=Exact"),
    },
    Known {
        reason: "of custom kinds, the documents of the API leave out what is shared with others, and unknown subresources are told shortly",
        ends: false,
        fits: |step, _, _| {
            step.path == "/openapi/v3/apis/example.test/v1" || step.path.ends_with("/widgets/one/potato")
        },
    },
    Known { reason: "who built the server", ends: false, fits: |step, _, _| step.path == "/version" },
    Known {
        reason: "reviews of access tell no owners of fields",
        ends: false,
        fits: |step, place, _| step.path.contains("accessreviews") && place == "/body/metadata/managedFields",
    },
    Known {
        reason: "the table of an empty list of roles has no rows instead of none",
        ends: false,
        fits: |_, place, told| place == "/body/rows" && told == "wanted null, got []",
    },
    Known {
        reason: "what clients send is of several wrong kinds at once: which one is told first",
        ends: false,
        fits: |step, place, told| {
            let first =
                ["cannot be handled as a", "does not match the", "pod updates may not change", "must be provided"];
            step.method != "GET"
                && (place.ends_with("/message") || place.ends_with("/causes"))
                && first.iter().any(|text| told.contains(text))
        },
    },
];

/// Why a difference is accepted, told by its place in the answer and what differs.
pub fn known(step: &Step, place: &str, told: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| (known.fits)(step, place, told))
}
