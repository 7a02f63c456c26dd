-- The tables of a database of version 8, from which migrations begin.
--
-- Ground tables are written once: source, skipped_line, connection, frame, missing.
-- Derived tables can be emptied and filled again from the ground at any time: all others but meta.
-- The names that people query are views (sql/views/); they have the plural.

-- Small facts about the database itself: what it was judged with.
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- One capture file. hash is the XXH3 (128 bits) of its first `size` bytes; both are NULL for standard input.
CREATE TABLE source (
    id          INTEGER PRIMARY KEY,
    name        TEXT NOT NULL,
    format      TEXT NOT NULL,
    reason      TEXT NOT NULL,
    size        INTEGER,
    hash        BLOB,
    -- The times of the first and the last message, as the log writes them.
    first_time  TEXT,
    last_time   TEXT,
    -- Where reading stopped, in the decompressed text: bytes and lines used up.
    resume_byte INTEGER NOT NULL DEFAULT 0,
    resume_line INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Lines of a source that hold no frame: why, how many, and the first of them.
CREATE TABLE skipped_line (
    source     INTEGER NOT NULL REFERENCES source,
    why        TEXT NOT NULL,
    lines      INTEGER NOT NULL,
    first_line INTEGER NOT NULL,
    PRIMARY KEY (source, why)
) STRICT, WITHOUT ROWID;

-- One connection, as the log states it. `base` is the channel's name (or the source's, where the channel has none)
-- and `nth` counts the connections that followed each other under it.
CREATE TABLE connection (
    id               INTEGER PRIMARY KEY,
    key              TEXT NOT NULL UNIQUE,
    base             TEXT NOT NULL,
    nth              INTEGER NOT NULL,
    named            INTEGER NOT NULL,
    source           INTEGER NOT NULL REFERENCES source,
    channel          INTEGER NOT NULL,
    session          TEXT,
    replay_of        TEXT,
    profile          TEXT,
    vantage          TEXT NOT NULL,
    transport        TEXT NOT NULL,
    complete_head    INTEGER,
    one_connection   INTEGER NOT NULL,
    proof            INTEGER NOT NULL,
    resolution_us    INTEGER NOT NULL,
    -- What the user said of it, overruling what the log says.
    demanded_profile TEXT,
    demanded_vantage TEXT,
    -- How messages were told apart on the wire, where the log shows it: 'nl' (a line each) or 'cl' (header blocks).
    framing          TEXT
) STRICT;

-- Each channel asks whether it goes on with a connection that is there, by its name or by its number in its source.
CREATE INDEX connection_base ON connection (base, nth);
CREATE INDEX connection_channel ON connection (source, channel);

-- One captured unit. The payload comes last, so that a scan of the other columns never touches its overflow pages.
-- References are declared for readers; the program does not have SQLite check them a row at a time.
-- The id comes last: a row without one is what the program gives SQLite, which then counts on and looks for no row that has it.
CREATE TABLE frame (
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
    json        TEXT,
    id          INTEGER PRIMARY KEY
) STRICT;

-- Frames of kind 11, few among many: an index of frames that finds them would read all to be made.
CREATE TABLE missing (
    frame INTEGER PRIMARY KEY REFERENCES frame
) STRICT;

-- Profiles, by their place in the program's list.
CREATE TABLE profile (
    id       INTEGER PRIMARY KEY,
    label    TEXT NOT NULL,
    protocol TEXT NOT NULL,
    revision TEXT NOT NULL
) STRICT;

-- What the audit made of a connection.
CREATE TABLE connection_fact (
    connection    INTEGER PRIMARY KEY REFERENCES connection,
    profile       INTEGER NOT NULL REFERENCES profile,
    -- The side that wrote the log (0 client, 1 server), where frames say only sent and received.
    logger        INTEGER,
    inferred      INTEGER NOT NULL,
    client_name   TEXT,
    server_name   TEXT,
    first_frame   INTEGER REFERENCES frame,
    last_frame    INTEGER REFERENCES frame,
    first_at_us   INTEGER,
    last_at_us    INTEGER,
    messages      INTEGER NOT NULL,
    requests      INTEGER NOT NULL,
    cancels       INTEGER NOT NULL,
    complete_head INTEGER NOT NULL,
    complete_tail INTEGER NOT NULL,
    has_gap       INTEGER NOT NULL,
    timed         INTEGER NOT NULL
) STRICT;

-- The sender (0 client, 1 server) of a frame whose direction the log does not state.
CREATE TABLE inferred (
    frame  INTEGER PRIMARY KEY REFERENCES frame,
    sender INTEGER NOT NULL
) STRICT;

-- A request and what became of it. Everything else about it stands in its frames.
CREATE TABLE exchange (
    request  INTEGER PRIMARY KEY REFERENCES frame,
    issuer   INTEGER NOT NULL,
    response INTEGER REFERENCES frame,
    parent   INTEGER REFERENCES exchange,
    -- 0 result, 1 error, 2 cancelled, 3 silent, 4 unanswered, 5 superseded
    outcome  INTEGER NOT NULL,
    profile  INTEGER NOT NULL REFERENCES profile,
    -- The frame that settled it, where that is not the response.
    settled  INTEGER REFERENCES frame,
    history  TEXT NOT NULL,
    name     TEXT,
    -- The last progress, however far behind the request it lies.
    last_progress INTEGER REFERENCES frame
) STRICT;

-- A cancel and what became of it. One message can be several: a closed stream cancels all that was asked on it.
CREATE TABLE cancellation (
    id             INTEGER PRIMARY KEY,
    connection     INTEGER NOT NULL REFERENCES connection,
    message        INTEGER NOT NULL REFERENCES frame,
    sender         INTEGER NOT NULL,
    mechanism      TEXT NOT NULL,
    is_foreign     INTEGER NOT NULL,
    target_rpc_id  TEXT,
    exchange       INTEGER REFERENCES exchange,
    target_method  TEXT,
    sent_at_us     INTEGER,
    delay_us       INTEGER,
    reason         TEXT,
    effect         TEXT,
    effect_message INTEGER REFERENCES frame,
    effect_at_us   INTEGER,
    response_code  INTEGER
) STRICT;

-- A clause that a finding rests on.
CREATE TABLE clause (
    name  TEXT PRIMARY KEY,
    level TEXT NOT NULL,
    text  TEXT NOT NULL,
    url   TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The program's rules: code and slug.
CREATE TABLE rule (
    code TEXT PRIMARY KEY,
    slug TEXT NOT NULL,
    nth  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- One rule, one clause, the messages that prove it. The id is made of frame, rule and a counter, so that it does not
-- depend on when the finding was made.
CREATE TABLE finding (
    id         INTEGER PRIMARY KEY,
    connection INTEGER NOT NULL REFERENCES connection,
    frame      INTEGER NOT NULL REFERENCES frame,
    exchange   INTEGER REFERENCES exchange,
    rule       TEXT NOT NULL REFERENCES rule,
    -- 0 note, 1 warning, 2 error
    severity   INTEGER NOT NULL,
    -- 0 violation, 1 race, 2 undecidable
    certainty  INTEGER NOT NULL,
    -- 0 content, 1 causal, 2 vantage, 3 rtt
    basis      INTEGER,
    profile    INTEGER NOT NULL REFERENCES profile,
    clause     TEXT REFERENCES clause,
    -- JSON: [[role, frame], ...]
    evidence   TEXT NOT NULL,
    summary    TEXT NOT NULL,
    -- Whose fault it is: 0 the client's, 1 the server's, NULL where it is nobody's.
    side       INTEGER
) STRICT;

-- Rules that would have spoken, had the log shown more: what it lacks (a JSON list), and on how many events.
CREATE TABLE undecided (
    rule   TEXT PRIMARY KEY REFERENCES rule,
    lacks  TEXT NOT NULL,
    events INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What a connection gave each side occasion to keep or to break, under each profile that judged its messages, as bits, and
-- what of it the log can prove.
CREATE TABLE occasion (
    connection INTEGER NOT NULL REFERENCES connection,
    profile    INTEGER NOT NULL REFERENCES profile,
    client     INTEGER NOT NULL,
    server     INTEGER NOT NULL,
    proof      INTEGER NOT NULL,
    PRIMARY KEY (connection, profile)
) STRICT, WITHOUT ROWID;
