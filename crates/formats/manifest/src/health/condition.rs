use super::Look;
use crate::{Json, field};

/// One condition of a status.
#[derive(Clone, Copy, Debug)]
pub(super) struct Condition<'a> {
    json: &'a Json,
}

impl<'a> Condition<'a> {
    /// The condition of a type in a list of conditions.
    pub(super) fn find(list: &'a [Json], name: &str) -> Option<Self> {
        list.iter().find(|c| field::text(c, &["type"]) == Some(name)).map(|json| Self { json })
    }

    fn text(self, name: &str) -> &'a str {
        field::text(self.json, &[name]).unwrap_or_default()
    }

    pub(super) fn is(self, status: &str) -> bool {
        self.text("status") == status
    }

    pub(super) fn reason(self) -> &'a str {
        self.text("reason")
    }

    /// Reason and message, whichever there are.
    pub(super) fn why(self) -> String {
        match (self.text("reason"), self.text("message")) {
            ("", "") => "no reason given".to_owned(),
            (one, "") | ("", one) => one.to_owned(),
            (reason, message) => format!("{reason}: {message}"),
        }
    }

    pub(super) fn since(self) -> Option<&'a str> {
        field::text(self.json, &["lastTransitionTime"])
    }
}

impl<'a> Look<'a> {
    pub(super) fn condition(&self, name: &str) -> Option<Condition<'a>> {
        Condition::find(field::list(self.object, &["status", "conditions"]), name)
    }

    pub(super) fn is_true(&self, name: &str) -> bool {
        self.condition(name).is_some_and(|c| c.is("True"))
    }
}
