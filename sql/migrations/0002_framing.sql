-- How messages were told apart on the wire, where the log shows it: 'nl' (a line each) or 'cl' (header blocks).
ALTER TABLE connection ADD COLUMN framing TEXT;
