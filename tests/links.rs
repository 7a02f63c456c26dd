//! Links to real peers: child processes and sockets on this machine.
#![cfg(all(feature = "live", unix))]

#[path = "links/bench.rs"]
mod bench;
#[path = "links/child.rs"]
mod child;
#[path = "links/http.rs"]
mod http;
#[path = "links/left_behind.rs"]
mod left_behind;
#[path = "links/sockets.rs"]
mod sockets;
