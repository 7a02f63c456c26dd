//! Cancels that are none of a request, and may have led to its end all the same.

use rustc_hash::FxHashMap;

use super::rare::Empty;
use crate::session::detail::NearCancel;
use crate::session::seen::{FrameId, Seen};

/// What is remembered of them.
pub(in crate::session) struct NearCancels {
    /// By the request that they come near to.
    pub(in crate::session) requests: FxHashMap<FrameId, NearCancel>,
    /// Of the progress that was created last, where it and the cancel stand.
    pub(in crate::session) progress: Option<(FrameId, Seen)>,
}

impl Empty for NearCancels {
    const NEW: Self = NearCancels { requests: Empty::NEW, progress: None };
    const EMPTY: &'static Self = &Self::NEW;
}
