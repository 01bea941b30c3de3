//! Creating objects.

use super::Write;
use super::prepare::{convert, empty, restored, shown};
use crate::apply::{self, manager::Writer};
use crate::cluster::State;
use crate::error::{ApiError, Cause, Details};
use crate::kind::NAMESPACES;
use crate::object::Object;
use crate::registry::Resource;
use crate::schema::encode::settle;
use crate::strategy;
use crate::validate;
use serde_json::Value;
use std::borrow::Cow;
use std::sync::Arc;

/// How often a generated name is drawn before the server gives up.
const NAME_ATTEMPTS: usize = 8;

impl State {
    /// Creates a prepared object (see [`State::prepare`]) in `namespace`. Answers with it in the version of `resource`.
    pub(crate) fn create(
        &mut self,
        resource: &Resource,
        namespace: &str,
        mut object: Value,
        write: &Write,
    ) -> Result<Arc<Value>, ApiError> {
        settle_namespace(resource, namespace, &mut object)?;
        let generated = object.name().is_empty() && !object.text("/metadata/generateName").is_empty();
        if !generated {
            return self.create_named(resource, namespace, object, write);
        }
        let mut attempt = 0;
        loop {
            attempt += 1;
            let mut this = object.clone();
            let base: String = this.text("/metadata/generateName").chars().take(58).collect();
            let name = format!("{base}{}", self.ids.suffix());
            this.set("/metadata/name", name);
            match self.create_named(resource, namespace, this, write) {
                Err(error) if error.reason == "AlreadyExists" && attempt < NAME_ATTEMPTS => {}
                outcome => return outcome,
            }
        }
    }

    fn create_named(
        &mut self,
        resource: &Resource,
        namespace: &str,
        mut object: Value,
        write: &Write,
    ) -> Result<Arc<Value>, ApiError> {
        object.set("/metadata/uid", self.ids.uid());
        object.set("/metadata/creationTimestamp", write.time());
        for field in ["selfLink", "deletionTimestamp", "deletionGracePeriodSeconds"] {
            object.remove(&format!("/metadata/{field}"));
        }
        if !write.applied {
            let reset = strategy::reset_fields(resource, "");
            let writer = Writer {
                manager: &write.manager,
                api_version: &resource.api_version(),
                subresource: "",
                reset: &reset,
                now: &write.time(),
                ty: &resource.ty,
            };
            apply::update(&empty(resource), &mut object, writer);
        }
        self.check_namespace(resource, namespace, &object)?;
        strategy::admit(self, resource, &mut object, None)?;
        strategy::prepare_create(self, resource, &mut object, write)?;
        validate::create(self, resource, &object)?;
        if !resource.is_custom() {
            settle(&mut object, &resource.ty);
        }

        let stored = self.stored_resource(&resource.stored)?;
        let key = resource.stored.key(namespace, object.name());
        let versioned = object.text("/metadata/resourceVersion").parse::<u64>().is_ok_and(|version| version != 0);
        if versioned && !write.dry_run && !write.creates {
            return Err(ApiError::internal("resourceVersion should not be set on objects to be created"));
        }
        if let Some(there) = self.store.get(&key) {
            let kind = resource.group_resource();
            let taken = if there.is_deleting() { ApiError::still_there } else { ApiError::already_exists };
            return Err(taken(&kind, object.name()));
        }
        let object = restored(&stored, convert(Cow::Owned(object), resource, &stored).into_owned());
        if write.dry_run {
            return Ok(Arc::new(convert(Cow::Owned(object), &stored, resource).into_owned()));
        }
        let written = self.store.put(key.clone(), object);
        strategy::after_write(self, &key, Some(&written), write);
        Ok(shown(&written, &stored, resource))
    }

    /// The namespace must be there and not on its way out.
    fn check_namespace(&self, resource: &Resource, namespace: &str, object: &Value) -> Result<(), ApiError> {
        if !resource.namespaced || namespace.is_empty() {
            return Ok(());
        }
        let Some(found) = self.store.get(&NAMESPACES.key("", namespace)) else {
            return Err(ApiError::not_found(&NAMESPACES, namespace));
        };
        if !found.is_deleting() {
            return Ok(());
        }
        let why = format!("unable to create new content in namespace {namespace} because it is being terminated");
        let mut error = ApiError::forbidden(&resource.group_resource(), object.name(), &why);
        let cause = Cause {
            reason: "NamespaceTerminating",
            message: format!("namespace {namespace} is being terminated"),
            field: "metadata.namespace".into(),
        };
        error.details.get_or_insert_with(Details::default).causes.push(cause);
        Err(error)
    }
}

/// Makes the namespace of the object that of the request.
pub(crate) fn settle_namespace(resource: &Resource, namespace: &str, object: &mut Value) -> Result<(), ApiError> {
    let own = object.namespace();
    if !resource.namespaced || namespace.is_empty() {
        object.remove("/metadata/namespace");
    } else if own.is_empty() {
        object.set("/metadata/namespace", namespace);
    } else if own != namespace {
        let why = "the namespace of the provided object does not match the namespace sent on the request";
        return Err(ApiError::bad_request(why));
    }
    Ok(())
}
