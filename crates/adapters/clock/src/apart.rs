//! Work that keeps a processor busy.

use std::panic::{AssertUnwindSafe, catch_unwind};
use tokio::runtime::{Handle, RuntimeFlavor};

/// The work panicked, or the runtime has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the work was interrupted")]
pub struct Interrupted;

/// Does the work on a thread where it holds up nobody. A runtime of one thread does it in place: in a simulated world it must end at the
/// same point in the order of things each time, and another thread would end it by chance.
///
/// Not for work that waits for the runtime itself. Must be called within a tokio runtime.
pub async fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Interrupted> {
    match Handle::current().runtime_flavor() {
        RuntimeFlavor::CurrentThread => catch_unwind(AssertUnwindSafe(work)).map_err(|_| Interrupted),
        _ => tokio::task::spawn_blocking(work).await.map_err(|_| Interrupted),
    }
}

#[cfg(test)]
mod tests {
    use super::{Interrupted, apart};
    use crate::virtual_runtime;
    use std::thread;
    use tokio::runtime::Builder;

    #[test]
    fn a_simulated_world_works_in_place_and_others_on_another_thread() {
        let here = thread::current().id();
        let place = async || apart(|| thread::current().id()).await.unwrap();
        assert_eq!(virtual_runtime().unwrap().block_on(place()), here);
        let many = Builder::new_multi_thread().worker_threads(1).build().unwrap();
        assert_ne!(many.block_on(place()), here);
    }

    #[test]
    fn a_panic_is_told_wherever_it_happens() {
        let panics = async || apart(|| panic!("on purpose")).await;
        assert_eq!(virtual_runtime().unwrap().block_on(panics()), Err::<(), _>(Interrupted));
        assert_eq!(Builder::new_multi_thread().build().unwrap().block_on(panics()), Err::<(), _>(Interrupted));
    }
}
