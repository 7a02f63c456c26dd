-- What is missing is a frame, too: of one connection, or of a whole source. The counts of it are those of its frames.
CREATE TABLE frame_anew (
    id          INTEGER PRIMARY KEY,
    -- NULL for a stretch that any connection of the source may miss.
    connection  INTEGER REFERENCES connection,
    seq         INTEGER NOT NULL,
    source      INTEGER NOT NULL REFERENCES source,
    line        INTEGER NOT NULL,
    byte_offset INTEGER NOT NULL,
    at_us       INTEGER,
    -- 0 by the client, 1 by the server, 2 sent and 3 received by whoever wrote the log, 4 not stated
    direction   INTEGER NOT NULL,
    -- 0 request, 1 notification, 2 result, 3 error, 4 malformed bytes, 5 JSON that is no message,
    -- 6 batch, 7 open, 8 close, 9 exit, 10 stderr, 11 something missing, 12 http, 13 sse
    kind        INTEGER NOT NULL,
    method      TEXT,
    -- An integer id as INTEGER, any other as JSON text.
    rpc_id      ANY,
    error_code  INTEGER,
    bytes       INTEGER NOT NULL,
    -- JSON, nearly always NULL: stream, taps, by, code, lost, why, to_line, reason, batch.
    extra       TEXT,
    -- The text as captured; BLOB where it is not UTF-8.
    body        ANY,
    -- The translation to JSON, where body is something else.
    json        TEXT
) STRICT;
INSERT INTO frame_anew SELECT * FROM frame;
DROP TABLE frame;
ALTER TABLE frame_anew RENAME TO frame;
ALTER TABLE source DROP COLUMN gaps;
ALTER TABLE source DROP COLUMN lost;
