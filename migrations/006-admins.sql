-- Passwords and last sign-ins of admins. The admins themselves and their permissions come from ADMINS_FILE.

create table admin_account (
  email           text primary key,
  password_hash   text, -- argon2id; a hash in ADMINS_FILE takes precedence
  password_set_by text,
  password_set_at timestamptz,
  last_login_at   timestamptz,
  constraint admin_account_email check (email = lower(email)),
  constraint admin_account_password check (num_nulls(password_hash, password_set_by, password_set_at) in (0, 3))
);
