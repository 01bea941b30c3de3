use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// One address in front of several: each new connection goes to the next one that takes it. It knows nothing of HTTP and does not
/// look whether who takes a connection also answers.
#[derive(Clone, Debug)]
pub(crate) struct Balancer {
    address: String,
    turn: Arc<Mutex<Turn>>,
}

#[derive(Debug, Default)]
struct Turn {
    behind: Vec<String>,
    next: usize,
}

impl Balancer {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let balancer = Self { address, turn: Arc::default() };
        let serving = balancer.clone();
        thread::spawn(move || {
            for near in listener.incoming().flatten() {
                let serving = serving.clone();
                // A connection that breaks is the business of its two ends.
                thread::spawn(move || serving.carry(near).ok());
            }
        });
        balancer
    }

    /// `127.0.0.1:PORT`
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// From now on connections go to these.
    pub(crate) fn goes_to(&self, behind: Vec<String>) {
        self.turn.lock().unwrap().behind = behind;
    }

    fn connect(&self) -> Option<TcpStream> {
        let (behind, first) = {
            let mut turn = self.turn.lock().unwrap();
            turn.next += 1;
            (turn.behind.clone(), turn.next)
        };
        let count = behind.len();
        (first..first + count).find_map(|at| TcpStream::connect(&behind[at % count]).ok())
    }

    fn carry(&self, near: TcpStream) -> std::io::Result<()> {
        let Some(far) = self.connect() else { return near.shutdown(Shutdown::Both) };
        let (mut up_from, mut up_to) = (near.try_clone()?, far.try_clone()?);
        let up = thread::spawn(move || {
            let _ = std::io::copy(&mut up_from, &mut up_to);
            let _ = up_to.shutdown(Shutdown::Both);
            let _ = up_from.shutdown(Shutdown::Both);
        });
        let (mut down_from, mut down_to) = (far, near);
        let _ = std::io::copy(&mut down_from, &mut down_to);
        let _ = down_to.shutdown(Shutdown::Both);
        let _ = down_from.shutdown(Shutdown::Both);
        let _ = up.join();
        Ok(())
    }
}
