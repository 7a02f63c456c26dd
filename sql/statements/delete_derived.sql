-- Everything that the audit made. Without a WHERE, SQLite empties a table in one step.
DELETE FROM inferred;
DELETE FROM exchange;
DELETE FROM cancellation;
DELETE FROM finding_cancel;
DELETE FROM finding;
DELETE FROM clause;
DELETE FROM undecided;
DELETE FROM occasion;
DELETE FROM connection_fact;
DELETE FROM rule;
DELETE FROM profile;
