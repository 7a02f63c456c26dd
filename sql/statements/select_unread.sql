-- Lines of each source that look like messages and were not read; the text is that of the first.
SELECT source, sum(coalesce(extra ->> 'lost', 1)), min(line), body
FROM missing m
CROSS JOIN frame f ON f.id = m.frame
WHERE extra ->> 'why' = 'unread'
GROUP BY source;
