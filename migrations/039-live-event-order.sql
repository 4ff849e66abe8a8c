-- Live events are delivered in the order of their numbers, up to a commit horizon. They need no second number after the commit.
alter table live_event drop column position; -- with its sequence, and with the indexes that contain it
create unique index live_event_by_sequence on live_event (sequence);
create index live_event_of_recipient on live_event (recipient_type, recipient_id, sequence);
