-- Views hold nothing, so they are dropped and made anew whenever the program writes.
DROP VIEW IF EXISTS cancel_latency;
DROP VIEW IF EXISTS late_responses;
DROP VIEW IF EXISTS stuck_requests;
DROP VIEW IF EXISTS findings;
DROP VIEW IF EXISTS cancellations;
DROP VIEW IF EXISTS cancel_judgement;
DROP VIEW IF EXISTS exchanges;
DROP VIEW IF EXISTS connections;
DROP VIEW IF EXISTS messages;
DROP VIEW IF EXISTS frames;
