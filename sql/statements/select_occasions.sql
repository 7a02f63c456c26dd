-- What connections gave occasion to, those alike together; of one connection where :connection names it.
SELECT profile, client, server, proof, count(*)
FROM occasion
WHERE :connection IS NULL OR connection = :connection
GROUP BY profile, client, server, proof
ORDER BY profile, client, server, proof;
