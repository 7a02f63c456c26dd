-- The cancels among the messages that prove a finding, found by the cancel: of one request that was cancelled a thousand times, each
-- cancel would otherwise look through the findings of all.
CREATE TABLE finding_cancel (
    message  INTEGER NOT NULL REFERENCES frame,
    -- What the finding is about; 0 where it is about no exchange.
    exchange INTEGER NOT NULL,
    finding  INTEGER NOT NULL REFERENCES finding,
    PRIMARY KEY (message, exchange, finding)
) STRICT, WITHOUT ROWID;

INSERT OR IGNORE INTO finding_cancel (message, exchange, finding)
SELECT p.value ->> 1, coalesce(y.exchange, 0), y.id
FROM finding y
CROSS JOIN json_each(y.evidence) p
WHERE p.value ->> 0 = 'cancel';
