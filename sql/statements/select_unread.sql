-- Lines of each source that look like messages and were not read; the text is that of the first.
SELECT source, sum(coalesce(extra ->> 'lost', 1)), min(line), body
FROM frame
WHERE kind = 11 AND extra ->> 'why' = 'unread'
GROUP BY source;
