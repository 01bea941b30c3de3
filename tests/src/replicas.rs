use crate::balancer::Balancer;
use crate::{Postgres, Process, Ran, World, until};
use std::collections::BTreeMap;
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

/// Several servers on one PostgreSQL, behind one address: they share the database, a folder for logs and the master key, and have
/// everything else for themselves.
#[derive(Debug)]
pub struct Replicas {
    // Ends before the database that its servers use.
    servers: Vec<Option<Process>>,
    /// Where each listens, from its first start on.
    addresses: Vec<String>,
    balancer: Balancer,
    options: Vec<String>,
    /// Programs other than the one under test, by number of the server.
    programs: BTreeMap<usize, PathBuf>,
    pub postgres: Postgres,
    folder: PathBuf,
}

impl Replicas {
    /// Starts so many at the same moment, and signs in at their common address. `None` without PostgreSQL.
    pub fn new(count: usize, options: &[&str]) -> Option<(World, Self)> {
        Self::with(Postgres::start(200)?, count, options, &[])
    }

    /// The same on this database; `logs`: where closed logs go, if not to a folder of theirs.
    pub fn with(postgres: Postgres, count: usize, options: &[&str], logs: &[&str]) -> Option<(World, Self)> {
        let balancer = Balancer::start();
        let world = World::behind(balancer.address());
        let folder = world.folder().to_owned();
        let mut key = [0; 32];
        std::fs::File::open("/dev/urandom").unwrap().read_exact(&mut key).unwrap();
        let key = base64::Engine::encode(&base64::prelude::BASE64_STANDARD, key);
        let file = std::fs::File::options().write(true).create_new(true).mode(0o600).open(folder.join("master.key"));
        std::io::Write::write_all(&mut file.unwrap(), format!("1:{key}\n").as_bytes()).unwrap();
        let shared = folder.join("logs");
        let logs = if logs.is_empty() { vec!["--logs", shared.to_str().unwrap()] } else { logs.to_vec() };
        let options = options.iter().chain(&logs).map(|option| (*option).to_owned()).collect();
        let mut replicas = Self {
            servers: (0..count).map(|_| None).collect(),
            addresses: vec!["127.0.0.1:0".to_owned(); count],
            balancer,
            options,
            programs: BTreeMap::new(),
            postgres,
            folder,
        };
        let begun: Vec<Process> = (0..count).map(|number| replicas.begin(&world, number)).collect();
        for (number, process) in begun.into_iter().enumerate() {
            replicas.ready(number, process);
        }
        replicas.balance(&[]);
        let said = replicas.servers.iter().flatten().map(Process::output);
        let codes: Vec<String> = said.filter_map(|said| Some(said.split_once("--code ")?.1.to_owned())).collect();
        let [code] = codes.as_slice() else { panic!("one of them prints a code: {codes:?}") };
        world.run(&["login", &world.url(), "--code", code.split_whitespace().next().unwrap()]).ok();
        Some((world, replicas))
    }

    fn begin(&self, world: &World, number: usize) -> Process {
        let mut command = world.command_of(self.programs.get(&number));
        let data = self.folder.join(format!("data-{number}"));
        command.args(["server", "--listen", &self.addresses[number], "--data"]).arg(data);
        command.args(["--database", &self.postgres.url(), "--public-url", &world.url()]);
        command.arg("--master-key-file").arg(self.folder.join("master.key")).args(&self.options);
        // Each start has its own output: what it says is of this start.
        let starts = std::fs::read_dir(&self.folder).unwrap().count();
        Process::start(command, &self.folder, &format!("server-{number}-{starts}"))
    }

    fn ready(&mut self, number: usize, mut process: Process) {
        let address = process.says("(listening on ");
        self.addresses[number] = address.trim_end_matches(')').to_owned();
        self.servers[number] = Some(process);
        let url = format!("{}/readyz", self.url(number));
        until("a server to be ready", || (crate::send("GET", &url, &[], "").status == 200).then_some(()));
    }

    /// How many servers there are, dead ones included.
    pub fn count(&self) -> usize {
        self.servers.len()
    }

    /// Where one of them listens.
    pub fn url(&self, number: usize) -> String {
        format!("http://{}", self.addresses[number])
    }

    /// From now on the common address leads to all but these, as a balancer with health checks would see to.
    pub fn balance(&self, without: &[usize]) {
        let behind = self.addresses.iter().enumerate().filter(|(number, _)| !without.contains(number));
        self.balancer.goes_to(behind.map(|(_, address)| address.clone()).collect());
    }

    /// Runs a command line against one server.
    pub fn ask(&self, world: &World, number: usize, arguments: &[&str]) -> Ran {
        world.run_with(arguments, |command| {
            command.env("WINDLASS_SERVER", self.url(number));
        })
    }

    pub fn server(&mut self, number: usize) -> &mut Process {
        self.servers[number].as_mut().expect("it was started")
    }

    /// SIGKILL.
    pub fn kill(&mut self, number: usize) {
        self.server(number).kill();
        self.servers[number] = None;
    }

    /// Starts one again that has ended, at its address and on its data folder.
    pub fn start_again(&mut self, world: &World, number: usize) {
        self.servers[number] = None;
        let process = self.begin(world, number);
        self.ready(number, process);
    }

    /// From now on this server is started from another program: one of an earlier version.
    pub fn is_of(&mut self, number: usize, program: PathBuf) {
        self.programs.insert(number, program);
    }

    /// From now on it is started from the program under test again.
    pub fn is_new(&mut self, number: usize) {
        self.programs.remove(&number);
    }

    /// The server that holds a delegate's connection.
    pub fn holder(&self) -> usize {
        until("a delegate to be connected", || {
            self.servers.iter().position(|server| {
                let said = server.as_ref().map(Process::output).unwrap_or_default();
                said.matches("worker connected").count() > said.matches("worker disconnected").count()
            })
        })
    }

    /// No server has met a fault of its own. Errors of the database are told as warnings.
    #[track_caller]
    pub fn are_sound(&self) {
        for said in self.servers.iter().flatten().map(Process::output) {
            let faults: Vec<&str> =
                said.lines().filter(|line| line.contains("ERROR") || line.contains("panicked")).collect();
            assert!(faults.is_empty(), "{faults:#?}");
        }
    }
}
