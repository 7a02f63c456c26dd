-- Rules that could not be decided, by code.
SELECT u.rule, coalesce(r.slug, ''), u.lacks, u.events
FROM undecided u
LEFT JOIN rule r ON r.code = u.rule
ORDER BY u.rule;
