-- The last progress of an exchange, however far behind its request it lies.
ALTER TABLE exchange ADD COLUMN last_progress INTEGER REFERENCES frame;
