//! Links to real peers: child processes and sockets on this machine.
#![cfg(unix)]

mod bench;
mod child;
mod http;
mod left_behind;
mod sockets;
mod tls;
