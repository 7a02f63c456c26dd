-- Counts of the whole database; none of them reads a frame but those of what is missing.
SELECT (SELECT count(*) FROM connection),
       coalesce(sum(messages), 0),
       coalesce(sum(requests), 0),
       coalesce(sum(cancels), 0),
       (SELECT count(*) FROM exchange),
       (SELECT count(*) FROM missing),
       (SELECT coalesce(sum(coalesce(extra ->> 'lost', 1)), 0)
        FROM missing m
        CROSS JOIN frame f ON f.id = m.frame
        WHERE coalesce(extra ->> 'why', 'gap') IN ('gap', 'unread', 'torn'))
FROM connection_fact;
