-- One exchange, and several where what is selected is said again. Columns in the order of the table.
INSERT INTO exchange (request, issuer, response, parent, outcome, profile, settled, history, name, last_progress)
SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?;
