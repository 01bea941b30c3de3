//! Controllers at work in virtual time: what a person would see, second by second.

mod autoscaler;
mod cron_job;
mod disruption;
mod gone;
mod job;
mod node;
mod pod;
mod rollout;
mod service;
mod speed;
mod stateful;
mod storage;
mod world;
