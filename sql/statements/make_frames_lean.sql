-- A database that keeps no text in the rows of frames. `frame` is then a view, and reads as the table does; what stands in its
-- place in the rows is the hash of a text that is read in its log, or nothing.
ALTER TABLE frame RENAME TO frame_row;

-- Texts of frames that follow each other, packed (zstd): those from `first` up to the next row.
CREATE TABLE packed (
    first INTEGER PRIMARY KEY,
    texts BLOB NOT NULL
) STRICT;

CREATE VIEW frame AS
SELECT f.connection, f.seq, f.source, f.line, f.byte_offset, f.at_us, f.direction, f.kind, f.method, f.rpc_id, f.error_code,
       f.bytes, f.extra,
       CASE
           WHEN f.bytes = 0 THEN f.body
           WHEN f.body IS NULL THEN
               -- A block that was unpacked last is not read again.
               (SELECT rpctape_packed(f.id, p.first, length(p.texts),
                                      CASE WHEN NOT rpctape_unpacked(p.first, length(p.texts)) THEN p.texts END)
                FROM packed p
                WHERE p.first <= f.id
                ORDER BY p.first DESC
                LIMIT 1)
           ELSE rpctape_logged((SELECT s.name FROM source s WHERE s.id = f.source), f.byte_offset, f.bytes, f.body)
       END AS body,
       f.json, f.id
FROM frame_row f;

CREATE TRIGGER frame_deleted INSTEAD OF DELETE ON frame BEGIN
    DELETE FROM frame_row WHERE id = old.id;
END;
