use windlass_model::Millis;

/// Why a program did not end by itself. A program that ends with an error is [`crate::Finished`].
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("program `{program}` is not installed, or not in {path}")]
    NotFound { program: String, path: String },
    #[error("the folder {folder} to run `{program}` in does not exist")]
    NoFolder { program: String, folder: String },
    #[error("cannot start `{program}`")]
    Start {
        program: String,
        #[source]
        source: std::io::Error,
    },
    #[error("an argument of `{program}` holds a secret, which everybody on the machine could read")]
    SecretInArguments { program: String },
    #[error("argument, variable or name of `{program}` holds a zero byte")]
    ZeroByte { program: String },
    #[error("`{program}` took longer than {limit} and was ended{}", tail(.stderr))]
    TimedOut { program: String, limit: Millis, stderr: String },
    #[error("`{program}` was stopped")]
    Stopped { program: String },
    #[error("cannot read what `{program}` prints")]
    Read {
        program: String,
        #[source]
        source: std::io::Error,
    },
    #[error("cannot wait for `{program}`")]
    Wait {
        program: String,
        #[source]
        source: std::io::Error,
    },
    #[error("`{program}` printed more than {limit} bytes")]
    TooMuchOutput { program: String, limit: usize },
}

fn tail(stderr: &str) -> String {
    match stderr.trim().lines().next_back() {
        Some(line) => format!("; it last said: {line}"),
        None => String::new(),
    }
}
