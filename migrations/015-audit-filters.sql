-- The audit log is read by a subject's id alone and by a kind of subject alone, too. An id names few entries, so that
-- asking for the type beside it needs no index of its own.

drop index audit_entry_of_subject;
create index audit_entry_of_subject_id on audit_entry (subject_id, at, id);
create index audit_entry_of_subject_type on audit_entry (subject_type, at, id);
