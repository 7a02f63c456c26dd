//! Spans of one trace: the call of a client, and within it that of the library or the server below, which is the same exchange.

use rustc_hash::FxHashMap;

use super::Exchange;

/// Leaves out the exchanges of a record that one around them tells as well: the same bodies, all within its time.
pub(super) fn outermost(mut exchanges: Vec<Exchange<'_>>) -> Vec<Exchange<'_>> {
    let mut alike: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (at, exchange) in exchanges.iter().enumerate() {
        alike.entry(exchange.request.text().unwrap_or_default()).or_default().push(at);
    }
    let is_told = |own: &Exchange<'_>, at: usize| {
        let around = |found: &Exchange<'_>, other: usize| found.holds(own) && (other < at || !own.holds(found));
        let others = alike.get(own.request.text().unwrap_or_default()).into_iter().flatten();
        others.filter(|other| **other != at).any(|other| around(&exchanges[*other], *other))
    };
    let told: Vec<bool> = exchanges.iter().enumerate().map(|(at, own)| is_told(own, at)).collect();
    let mut told = told.into_iter();
    exchanges.retain(|_| !told.next().unwrap_or_default());
    exchanges
}

impl Exchange<'_> {
    /// True if another exchange has its bodies, and was over within its time.
    fn holds(&self, inner: &Exchange<'_>) -> bool {
        let span = |one: &Exchange<'_>| one.start_us.zip(one.end_us);
        let within = span(self).zip(span(inner)).is_some_and(|(own, inner)| own.0 <= inner.0 && inner.1 <= own.1);
        let is_whole = self.request.text().is_some() && self.response.text().is_some();
        let bodies = [(&self.request, &inner.request), (&self.response, &inner.response)];
        within
            && is_whole
            && self.session == inner.session
            && bodies.iter().all(|(own, inner)| own.text() == inner.text())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Part;
    use super::*;

    #[test]
    fn a_span_within_one_of_the_same_bodies_is_left_out() {
        let body = |text: &str| Part::Text {
            text: text.to_string().into(),
            offset: 0,
            cut: false,
            event_stream: false,
            whole: true,
        };
        let exchange = |line: u64, bodies: (&str, &str), start: i64, end: i64| Exchange {
            line,
            request: body(bodies.0),
            response: body(bodies.1),
            start_us: Some(start),
            end_us: Some(end),
            ..Exchange::default()
        };
        let lines = |all: Vec<Exchange<'_>>| outermost(all).iter().map(|found| found.line).collect::<Vec<_>>();
        let (call, other) = (("ask", "answer"), ("ask", "another"));
        assert_eq!(lines(vec![exchange(1, call, 1, 8), exchange(2, call, 0, 9), exchange(3, call, 0, 9)]), [2]);
        assert_eq!(lines(vec![exchange(1, call, 0, 9), exchange(2, other, 1, 8), exchange(3, call, 5, 12)]), [1, 2, 3]);
    }
}
