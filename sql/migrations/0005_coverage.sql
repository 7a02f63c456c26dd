-- Whose fault a finding is: 0 the client's, 1 the server's, NULL where it is nobody's.
ALTER TABLE finding ADD COLUMN side INTEGER;

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
