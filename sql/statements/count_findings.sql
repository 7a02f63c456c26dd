-- Findings by severity, worst first, and certainty.
SELECT CASE severity WHEN 0 THEN 'note' WHEN 1 THEN 'warning' ELSE 'error' END,
       CASE certainty WHEN 0 THEN 'violation' WHEN 1 THEN 'race' ELSE 'undecidable' END,
       count(*)
FROM finding
GROUP BY severity, certainty
ORDER BY severity DESC, certainty;
