-- Where a stored connection stands: how many frames it has, and whether the connection itself was closed.
SELECT count(*), coalesce(max(kind IN (8, 9) AND extra ->> '$.stream' IS NULL), 0)
FROM frame
WHERE connection = :connection;
