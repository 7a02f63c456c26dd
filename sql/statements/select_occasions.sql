-- What connections gave occasion to, those alike together; of one connection where :connection names it.
SELECT profile, client, client_high, server, server_high, proof, count(*)
FROM occasion
WHERE :connection IS NULL OR connection = :connection
GROUP BY profile, client, client_high, server, server_high, proof
ORDER BY profile, client, client_high, server, server_high, proof;
