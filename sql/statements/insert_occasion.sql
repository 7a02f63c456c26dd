INSERT OR REPLACE INTO occasion (connection, profile, client, server, proof)
VALUES (:connection, :profile, :client, :server, :proof);
