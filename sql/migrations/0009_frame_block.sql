-- In which blocks of 256 frames, by their ids, a connection has any. An index of all frames by their connection finds them as
-- well, and took an eighth of an ingest. A block that is named here may have lost its frames since.
CREATE TABLE frame_block (
    connection INTEGER NOT NULL REFERENCES connection,
    block      INTEGER NOT NULL,
    PRIMARY KEY (connection, block)
) STRICT, WITHOUT ROWID;

INSERT INTO frame_block (connection, block)
SELECT DISTINCT connection, id / 256 FROM frame WHERE connection IS NOT NULL;

DROP INDEX IF EXISTS frame_connection;
