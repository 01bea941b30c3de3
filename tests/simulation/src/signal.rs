//! A value that others wait for, woken in the order in which they came.
//!
//! `tokio::sync::watch` wakes them in an order that is drawn by chance.

use std::sync::{Arc, Mutex};
use tokio::sync::Notify;

/// Cheap to clone.
#[derive(Debug)]
pub struct Signal<T>(Arc<(Mutex<T>, Notify)>);

impl<T> Clone for Signal<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: Clone> Signal<T> {
    pub fn new(value: T) -> Self {
        Self(Arc::new((Mutex::new(value), Notify::new())))
    }

    pub fn get(&self) -> T {
        self.0.0.lock().unwrap().clone()
    }

    pub fn set(&self, value: T) {
        *self.0.0.lock().unwrap() = value;
        self.0.1.notify_waiters();
    }

    /// The value as soon as it is as wanted.
    pub async fn when(&self, wanted: impl Fn(&T) -> bool) -> T {
        loop {
            let changed = self.0.1.notified();
            let value = self.get();
            if wanted(&value) {
                return value;
            }
            changed.await;
        }
    }
}
