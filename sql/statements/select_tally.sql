-- Counts of the whole database; none of them reads a frame.
SELECT (SELECT count(*) FROM connection),
       coalesce(sum(messages), 0),
       coalesce(sum(requests), 0),
       coalesce(sum(cancels), 0),
       (SELECT count(*) FROM exchange),
       (SELECT coalesce(sum(gaps), 0) FROM source),
       (SELECT coalesce(sum(lost), 0) FROM source)
FROM connection_fact;
