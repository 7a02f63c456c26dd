-- One exchange. The order of the parameters is that of the writer.
INSERT INTO exchange (request, issuer, response, parent, outcome, profile, settled, history, name, last_progress)
VALUES (:request, :issuer, :response, :parent, :outcome, :profile, :settled, :history, :name, :last_progress);
