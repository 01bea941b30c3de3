use std::net::TcpListener;

/// Ports of this machine that nobody uses, all different. They are free until somebody else takes them: who uses them tries again.
pub(crate) fn free_ports<const N: usize>() -> std::io::Result<[u16; N]> {
    // All are held until all are known.
    let listeners: Vec<TcpListener> = (0..N).map(|_| TcpListener::bind("127.0.0.1:0")).collect::<Result<_, _>>()?;
    let mut ports = [0; N];
    for (port, listener) in ports.iter_mut().zip(&listeners) {
        *port = listener.local_addr()?.port();
    }
    Ok(ports)
}
