//! Programs that are started: git, shells, and nothing behind anybody's back.
//!
//! A program gets the arguments, the environment and the folder it is given, and nothing else of this process. It runs in a
//! process group of its own, which is ended as a whole when the program ends, when its time is over, when the caller stops it,
//! and when the caller goes away. What it prints is bounded.
//!
//! Arguments can be read by everybody on the machine. Secrets therefore go through [`Program::secret_env`],
//! [`Program::secret_stdin`] or a file in a [`PrivateFolder`]; arguments that are not constants have to be called
//! [`Argument::visible`], and a program whose arguments hold one of its secrets is not started.

mod argument;
mod capture;
mod environment;
mod error;
mod folder;
mod group;
mod limits;
mod lines;
mod program;
mod run;

pub use argument::Argument;
pub use capture::Captured;
pub use environment::Environment;
pub use error::RunError;
pub use folder::PrivateFolder;
pub use limits::Limits;
pub use lines::{Line, LineSplitter};
pub use program::Program;
pub use run::{Chunk, Exit, Finished, Stream};
