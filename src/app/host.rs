//! A shared tank that guests join through a Unix socket.
//!
//! ```text
//! join ── ToHost: hello, actions, "next" ──→ server ──→ SharedTank      one world, stepped at its fixed rate
//! join ←── ToGuest: changed cells, lines ─── server ←── views           one field and one fit for each distinct view
//! ```
//!
//! The host draws and fits; a guest's program encodes for its terminal and requests each frame when its terminal has room for
//! one. The owner and the mode of the socket decide which users may connect. Over a network, ssh carries the session.

pub mod protocol;
pub mod rate_limit;
#[cfg(unix)]
pub mod server;
#[cfg(unix)]
pub mod socket;
pub mod views;
