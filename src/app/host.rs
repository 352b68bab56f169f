//! A shared tank that guests join through a Unix socket. The host draws and fits, one field and one fit for each distinct view; a
//! guest's program encodes for its terminal and requests each frame when it has room for one. The owner and the mode of the
//! socket decide which users may connect; over a network, ssh carries the session.

pub mod protocol;
pub mod rate_limit;
#[cfg(unix)]
pub mod server;
#[cfg(unix)]
pub mod socket;
pub mod views;
