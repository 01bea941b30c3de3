use super::files::write;
use super::scenario::Line;
use super::seat::{Output, Seat};
use crate::error::Error;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// Where the command lines of a scenario are typed: at one cluster, in a folder of their own.
#[derive(Debug)]
pub struct Desk {
    seat: Arc<Seat>,
    namespace: String,
    _folder: TempDir,
}

impl Desk {
    /// Makes the namespace, and writes the files that the lines name.
    ///
    /// # Errors
    /// When `kubectl` cannot be started or refuses, or a file cannot be written.
    pub async fn new(kubectl: &Path, helm: &Path, kubeconfig: &Path, namespace: &str) -> Result<Self, Error> {
        let failed = |source| Error::File { path: std::env::temp_dir(), source };
        let folder = tempfile::tempdir().map_err(failed)?;
        write(folder.path())?;
        let (kubectl, helm, kubeconfig) = (kubectl.to_owned(), helm.to_owned(), kubeconfig.to_owned());
        let seat = Seat { kubectl, helm, kubeconfig, folder: folder.path().to_owned() };
        let desk = Self { seat: Arc::new(seat), namespace: namespace.to_owned(), _folder: folder };
        desk.aside(Seat::namespace).await?;
        Ok(desk)
    }

    /// Runs a command line.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub async fn run(&self, line: &Line) -> Result<Output, Error> {
        let line = line.clone();
        self.aside(move |seat, namespace| seat.run(&line, namespace)).await
    }

    /// Beside this thread: the simulated cluster lives in it.
    async fn aside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Seat, &str) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (seat, namespace) = (Arc::clone(&self.seat), self.namespace.clone());
        let done = tokio::task::spawn_blocking(move || work(&seat, &namespace)).await;
        done.map_err(|error| Error::Simulation(error.to_string()))?
    }
}
