-- Messages that each source lacks because its recorder lost them, or because they were cut off.
SELECT source, sum(coalesce(extra ->> 'lost', 1))
FROM missing m
CROSS JOIN frame f ON f.id = m.frame
WHERE coalesce(extra ->> 'why', 'gap') IN ('gap', 'torn')
GROUP BY source;
