use super::{Growing, MANAGERS, query, with_body};
use crate::differential::kinds::Kind;
use crate::differential::step::{Body, Edit, Step};
use serde_json::{Value, json};

const JSON: &str = "application/json";
const MERGE: &str = "application/merge-patch+json";
const STRATEGIC: &str = "application/strategic-merge-patch+json";
const OPERATIONS: &str = "application/json-patch+json";
const APPLY: &str = "application/apply-patch+yaml";

impl Growing {
    pub(super) fn create(&mut self, kind: Kind) {
        let name = self.name();
        let mut object = kind.object(&name);
        let menu = (kind.menu)();
        for _ in 0..self.dice.below(3) {
            if let Some(edit) = self.edit(&menu, 8) {
                edit.apply(&mut object);
            }
        }
        if self.dice.percent(5)
            && let Some(metadata) = object["metadata"].as_object_mut()
        {
            metadata.remove("name");
            metadata.insert("generateName".to_owned(), "gen-".into());
        }
        let owner = if self.dice.percent(8) { self.object() } else { None };
        if let Some(owner) = owner {
            let uid = format!("{{{{{}:/metadata/uid}}}}", owner.seen);
            let controller = self.dice.percent(50);
            object["metadata"]["ownerReferences"] = json!([{
                "apiVersion": owner.kind.api_version(), "kind": owner.kind.name, "name": owner.name, "uid": uid,
                "controller": controller, "blockOwnerDeletion": true,
            }]);
        }
        let path = kind.collection() + &self.options();
        self.steps.push(Step::new("POST", path).json(object));
        self.remember(kind, &name);
    }

    /// An object with one or two faults.
    pub(super) fn create_badly(&mut self, kind: Kind) {
        let mut object = kind.object("bad");
        let menu = (kind.menu)();
        for _ in 0..1 + self.dice.below(2) {
            if let Some(edit) = self.edit(&menu, 90) {
                edit.apply(&mut object);
            }
        }
        let path = kind.collection() + &self.options();
        self.steps.push(Step::new("POST", path).json(object));
    }

    /// The object as it was seen, changed, put back.
    pub(super) fn update(&mut self) {
        let Some(made) = self.object() else { return };
        let menu = (made.kind.menu)();
        if self.dice.percent(70) {
            self.steps.push(Step::new("GET", made.kind.path(&made.name)));
            self.remember(made.kind, &made.name);
        }
        let seen = self
            .made
            .iter()
            .find(|m| m.kind.plural == made.kind.plural && m.name == made.name)
            .map_or(made.seen, |m| m.seen);
        let mut edits: Vec<Edit> = Vec::new();
        for _ in 0..self.dice.below(3) {
            edits.extend(self.edit(&menu, 25));
        }
        if self.dice.percent(25) {
            edits.push(Edit::Remove("/metadata/resourceVersion".to_owned()));
        }
        if self.dice.percent(15) {
            edits.push(Edit::Remove("/metadata/managedFields".to_owned()));
        }
        let path = made.kind.path(&made.name) + &self.options();
        self.steps.push(with_body("PUT", path, JSON, Body::Answer(seen, edits)));
    }

    pub(super) fn patch(&mut self) {
        let Some(made) = self.object() else { return };
        let menu = (made.kind.menu)();
        let path = made.kind.path(&made.name) + &self.options();
        let (content_type, body) = match self.dice.below(10) {
            0..4 => (STRATEGIC, self.part(&menu)),
            4..7 => (MERGE, self.part(&menu)),
            _ => (OPERATIONS, self.operations(&menu)),
        };
        self.steps.push(with_body("PATCH", path, content_type, Body::Json(body)));
    }

    fn operations(&mut self, menu: &crate::differential::menu::Menu) -> Value {
        let mut operations = Vec::new();
        for _ in 0..1 + self.dice.below(2) {
            let edit = self.edit(menu, 20);
            let operation = match (self.dice.below(8), edit) {
                (0, _) => json!({"op": "test", "path": "/metadata/labels/app", "value": "web"}),
                (1, _) => json!({"op": "remove", "path": "/metadata/labels/app"}),
                (2, _) => json!({"op": "copy", "from": "/metadata/name", "path": "/metadata/labels/copied"}),
                (3, Some(Edit::Set(place, value))) => json!({"op": "replace", "path": place, "value": value}),
                (_, Some(Edit::Set(place, value))) => json!({"op": "add", "path": place, "value": value}),
                (_, Some(Edit::Remove(place))) => json!({"op": "remove", "path": place}),
                (_, None) => json!({"op": "move", "from": "/metadata/labels/app", "path": "/metadata/labels/moved"}),
            };
            operations.push(operation);
        }
        operations.into()
    }

    pub(super) fn apply(&mut self, kind: Kind) {
        let made = if self.dice.percent(75) { self.object() } else { None };
        let (kind, name) = match made {
            Some(made) => (made.kind, made.name),
            None => (kind, self.name()),
        };
        let menu = (kind.menu)();
        let mut object = if self.dice.percent(50) { kind.object(&name) } else { self.part(&menu) };
        if self.dice.percent(40)
            && let Some(edit) = self.edit(&menu, 10)
        {
            edit.apply(&mut object);
        }
        if !self.dice.percent(3) {
            object["apiVersion"] = kind.api_version().into();
            object["kind"] = kind.name.into();
            if self.dice.percent(80) || object["metadata"].is_object() {
                object["metadata"]["name"] = name.clone().into();
            }
        }
        let manager = format!("fieldManager={}", self.dice.text(&MANAGERS));
        let mut options = vec![manager.as_str()];
        if self.dice.percent(35) {
            options.push("force=true");
        }
        if self.dice.percent(10) {
            options.push("dryRun=All");
        }
        if self.dice.percent(3) {
            options.remove(0);
        }
        let path = kind.path(&name) + &query(&options);
        self.steps.push(with_body("PATCH", path, APPLY, Body::Json(object)));
        self.remember(kind, &name);
    }

    pub(super) fn status(&mut self) {
        let Some(made) = self.object().filter(|made| made.kind.has_status) else { return };
        let menu = (made.kind.menu)();
        let status = self.dice.one(&menu.statuses).cloned().unwrap_or_else(|| json!({"status": {}}));
        let path = format!("{}/status", made.kind.path(&made.name));
        match self.dice.below(5) {
            0 => self.steps.push(Step::new("GET", path)),
            1 => {
                self.steps.push(Step::new("GET", made.kind.path(&made.name)));
                let seen = self.steps.len() - 1;
                let edits = vec![
                    Edit::Set("/status".to_owned(), status["status"].clone()),
                    Edit::Set("/metadata/labels/ignored".to_owned(), json!("x")),
                    Edit::Set("/spec/replicas".to_owned(), json!(9)),
                ];
                self.steps.push(with_body("PUT", path, JSON, Body::Answer(seen, edits)));
            }
            2 => self.steps.push(with_body("PATCH", path, STRATEGIC, Body::Json(status))),
            3 => {
                let mut object = status;
                object["apiVersion"] = made.kind.api_version().into();
                object["kind"] = made.kind.name.into();
                object["metadata"] = json!({"name": made.name});
                let path = format!("{path}?fieldManager={}", self.dice.text(&MANAGERS));
                self.steps.push(with_body("PATCH", path, APPLY, Body::Json(object)));
            }
            _ => self.steps.push(with_body("PATCH", path, MERGE, Body::Json(status))),
        }
    }

    pub(super) fn scale(&mut self) {
        let scales = |made: &super::Made| made.kind.has_scale || made.kind.plural == "widgets";
        let Some(made) = self.object().filter(scales) else { return };
        let path = format!("{}/scale", made.kind.path(&made.name));
        let replicas =
            self.dice.one(&[json!(0), json!(1), json!(5), json!(-1), json!("3")]).cloned().unwrap_or_default();
        match self.dice.below(4) {
            0 => self.steps.push(Step::new("GET", path)),
            1 => {
                self.steps.push(Step::new("GET", path.clone()));
                let seen = self.steps.len() - 1;
                let mut edits = vec![Edit::Set("/spec/replicas".to_owned(), replicas)];
                if self.dice.percent(20) {
                    edits.push(Edit::Set("/metadata/resourceVersion".to_owned(), json!("1")));
                }
                self.steps.push(with_body("PUT", path, JSON, Body::Answer(seen, edits)));
            }
            2 => self.steps.push(with_body("PATCH", path, MERGE, Body::Json(json!({"spec": {"replicas": replicas}})))),
            _ => {
                let object = json!({"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": made.name}, "spec": {"replicas": replicas}});
                let path = format!("{path}?fieldManager=red&force=true");
                self.steps.push(with_body("PATCH", path, APPLY, Body::Json(object)));
            }
        }
    }

    pub(super) fn delete(&mut self) {
        let Some(made) = self.object() else { return };
        let path = made.kind.path(&made.name);
        let seen = made.seen;
        let body = match self.dice.below(9) {
            0 => json!({"propagationPolicy": "Foreground"}),
            1 => json!({"propagationPolicy": "Orphan"}),
            2 => json!({"propagationPolicy": "Sideways"}),
            3 => json!({"preconditions": {"uid": format!("{{{{{seen}:/metadata/uid}}}}")}}),
            4 => json!({"preconditions": {"resourceVersion": format!("{{{{{seen}:/metadata/resourceVersion}}}}")}}),
            5 => json!({"gracePeriodSeconds": 0}),
            6 => json!({"dryRun": ["All"]}),
            7 => json!({"gracePeriodSeconds": 5, "orphanDependents": false}),
            _ => {
                self.steps.push(Step::new("DELETE", path));
                return;
            }
        };
        self.steps.push(Step::new("DELETE", path).json(body));
    }

    pub(super) fn delete_all(&mut self, kind: Kind) {
        let selector = self.dice.text(&[
            "",
            "?labelSelector=app%3Dweb",
            "?labelSelector=tier%3Dfront",
            "?dryRun=All",
            "?fieldSelector=metadata.name%3Done",
        ]);
        self.steps.push(Step::new("DELETE", kind.collection() + selector));
    }
}
