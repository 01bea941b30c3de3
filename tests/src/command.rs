use std::process::Output;

/// What a command line printed, and how it ended.
#[derive(Debug, Clone)]
pub struct Ran {
    pub line: String,
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    pub(crate) fn new(line: String, output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { line, code: output.status.code().unwrap_or(-1), out: text(&output.stdout), err: text(&output.stderr) }
    }

    /// Fails unless it ended with 0; answers with standard output.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!(self.code, 0, "`{}` failed:\n{}\nafter it had said:\n{}", self.line, self.err, self.out);
        self.out
    }

    /// Fails unless it ended with this code; answers with standard error.
    #[track_caller]
    pub fn fails(self, code: i32) -> String {
        assert_eq!(self.code, code, "`{}`:\n{}\nafter it had said:\n{}", self.line, self.err, self.out);
        self.err
    }

    /// Standard output as JSON.
    #[track_caller]
    pub fn json(self) -> serde_json::Value {
        let line = self.line.clone();
        let out = self.ok();
        serde_json::from_str(&out).unwrap_or_else(|e| panic!("`{line}` printed no JSON ({e}):\n{out}"))
    }
}
