-- How often each tool or command was asked for; the method where a request names none.
SELECT coalesce(name, method, '(none)'), count(*)
FROM exchanges
GROUP BY 1
ORDER BY 1;
