-- No statement uses these indexes: the list of a user's deposits filters by status within the user's rows in the order of time
-- (deposit_by_time), and nothing searches held deposits by their address.
drop index deposit_by_status;
drop index deposit_held_at_address;
