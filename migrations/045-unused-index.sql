-- No plan uses this index: the list of a user's deposits filters by status within the user's rows in the order of time
-- (deposit_by_time).
drop index deposit_by_status;
