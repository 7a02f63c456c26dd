-- One exchange. The order of the parameters is that of the writer.
INSERT INTO exchange (request, issuer, response, parent, outcome, profile, settled, history, name)
VALUES (:request, :issuer, :response, :parent, :outcome, :profile, :settled, :history, :name);
