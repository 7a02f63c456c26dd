-- Built after the audit. All are small: they hold only what is out of the ordinary.

-- stuck_requests, and the blocks of `why`: exchanges that ended otherwise than by a result or an error.
CREATE INDEX IF NOT EXISTS exchange_odd ON exchange (outcome) WHERE outcome >= 2;

-- The requests that served another one.
CREATE INDEX IF NOT EXISTS exchange_parent ON exchange (parent) WHERE parent IS NOT NULL;

-- The cancels of one exchange.
CREATE INDEX IF NOT EXISTS cancellation_exchange ON cancellation (exchange) WHERE exchange IS NOT NULL;

-- Findings of one rule; findings of one connection, to drop them before it is folded again.
CREATE INDEX IF NOT EXISTS finding_rule ON finding (rule);
CREATE INDEX IF NOT EXISTS finding_connection ON finding (connection);
