-- What the user says of a log; it stays until something else is said.
UPDATE connection
SET demanded_profile = coalesce(:profile, demanded_profile),
    demanded_vantage = coalesce(:vantage, demanded_vantage);
