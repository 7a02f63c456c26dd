INSERT INTO finding (id, connection, frame, exchange, rule, severity, certainty, basis, profile, clause, evidence, summary,
                     side)
VALUES (:id, :connection, :frame, :exchange, :rule, :severity, :certainty, :basis, :profile, :clause, :evidence, :summary,
        :side);
