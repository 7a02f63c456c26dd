-- What the rules found.
CREATE VIEW findings AS
SELECT x.id,
       x.rule AS code,
       r.slug AS rule,
       CASE x.severity WHEN 0 THEN 'note' WHEN 1 THEN 'warning' ELSE 'error' END AS severity,
       CASE x.certainty WHEN 0 THEN 'violation' WHEN 1 THEN 'race' ELSE 'undecidable' END AS certainty,
       CASE x.basis WHEN 0 THEN 'content' WHEN 1 THEN 'causal' WHEN 2 THEN 'vantage' WHEN 3 THEN 'rtt' END AS basis,
       x.connection AS connection_id,
       (SELECT key FROM connection WHERE id = x.connection) AS connection,
       x.exchange AS exchange_id,
       x.frame AS message_id,
       s.name AS source,
       f.line,
       strftime('%Y-%m-%dT%H:%M:%S', (f.at_us - ((f.at_us % 1000000 + 1000000) % 1000000)) / 1000000, 'unixepoch') || printf('.%06dZ', ((f.at_us % 1000000 + 1000000) % 1000000)) AS at,
       f.at_us,
       x.summary,
       x.clause,
       p.label AS profile,
       x.evidence
FROM finding x
LEFT JOIN frame f ON f.id = x.frame
LEFT JOIN source s ON s.id = f.source
LEFT JOIN rule r ON r.code = x.rule
LEFT JOIN profile p ON p.id = x.profile;
