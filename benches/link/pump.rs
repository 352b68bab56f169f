//! A slow link between standard input and output on one side, and a TCP port of this machine on the other.
//!
//! Both directions have the same rate, in slices of 2 ms, with as small buffers as the kernel allows: the queue builds
//! up in the server, as on a real link.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use rustix::net::sockopt::set_socket_recv_buffer_size;
use rustix::net::{AddressFamily, SocketType, connect, socket};

const SLICE: Duration = Duration::from_millis(2);
/// The kernel doubles this value.
const BUFFER: usize = 4096;

pub fn run(port: &str, rate: f64) -> io::Result<()> {
    let to = std::net::SocketAddr::from(([127, 0, 0, 1], port.parse().expect("a port")));
    let server = socket(AddressFamily::INET, SocketType::STREAM, None)?;
    // Before connecting, because the window is negotiated then.
    set_socket_recv_buffer_size(&server, BUFFER)?;
    connect(&server, &to)?;
    let server = TcpStream::from(server);
    server.set_nodelay(true)?;
    let up = server.try_clone()?;
    std::thread::spawn(move || carry(io::stdin().lock(), up, rate));
    carry(server, io::stdout().lock(), rate)
}

/// Forwards at most `rate` bytes per second, until either side ends.
fn carry(mut from: impl Read, mut to: impl Write, rate: f64) -> io::Result<()> {
    let mut buf = [0; 4096];
    let slice = ((rate * SLICE.as_secs_f64()) as usize).clamp(1, buf.len());
    let mut free = Instant::now();
    loop {
        let n = from.read(&mut buf[..slice])?;
        if n == 0 {
            return Ok(());
        }
        free = free.max(Instant::now()) + Duration::from_secs_f64(n as f64 / rate);
        std::thread::sleep(free.saturating_duration_since(Instant::now()));
        to.write_all(&buf[..n])?;
        to.flush()?;
    }
}
