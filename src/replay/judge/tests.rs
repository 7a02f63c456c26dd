//! Judge, with recordings made by hand.
