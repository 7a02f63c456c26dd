-- What the rules say about a cancel stands in the findings alone.
ALTER TABLE cancellation DROP COLUMN certainty;
