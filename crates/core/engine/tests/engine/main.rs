//! Runs told as transcripts: a pipeline, a world that answers, and what came of it.

mod build;
mod sequence;
mod timeline;
mod world;
