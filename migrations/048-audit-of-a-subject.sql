-- Pages and totals of the audit log of one subject are read from the index alone.
drop index audit_entry_of_subject_id;
create index audit_entry_of_subject_id on audit_entry (subject_id, at, id) include (subject_type);
