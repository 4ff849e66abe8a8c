-- Second factors of users and admins. Rows are sealed (src/common/sealed-rows.ts). Times are real times.

create table passkey (
  id            uuid primary key,
  subject_type  text not null check (subject_type in ('user', 'admin')),
  subject_id    text not null,
  name          text not null,
  credential_id text not null,
  public_key    bytea not null,
  sign_count    bigint not null,
  transports    text[] not null,
  backed_up     boolean not null,
  created_at    timestamptz not null,
  last_used_at  timestamptz,
  seal          bytea not null,
  constraint passkey_credential unique (credential_id)
);
comment on table passkey is 'Passkeys (WebAuthn credentials) of users and admins.';
comment on column passkey.id is 'identifier of the passkey (UUID)';
comment on column passkey.subject_type is 'user or admin';
comment on column passkey.subject_id is 'identifier of the user, or e-mail address of the admin';
comment on column passkey.name is 'given by the owner';
comment on column passkey.credential_id is 'identifier of the credential, base64url';
comment on column passkey.public_key is 'COSE key';
comment on column passkey.sign_count is 'counter of the authenticator at the latest use';
comment on column passkey.transports is 'how the authenticator is reached, such as internal or usb';
comment on column passkey.backed_up is 'the authenticator says that the credential is synchronised';
comment on column passkey.created_at is 'domain time of the creation';
comment on column passkey.last_used_at is 'real time of the latest use';
comment on column passkey.seal is 'MAC of the row under TOKEN_HASH_KEY, without which it counts for nothing';

create index passkey_subject on passkey (subject_id, subject_type, created_at, id);

create table totp_secret (
  subject_type text not null check (subject_type in ('user', 'admin')),
  subject_id   text not null,
  secret       bytea not null,
  created_at   timestamptz not null,
  confirmed_at timestamptz,
  used_step    bigint,
  seal         bytea not null,
  primary key (subject_id, subject_type)
);
comment on table totp_secret is 'Secrets of one-time codes (TOTP) of users and admins.';
comment on column totp_secret.subject_type is 'user or admin';
comment on column totp_secret.subject_id is 'identifier of the user, or e-mail address of the admin';
comment on column totp_secret.secret is 'encrypted under SECOND_FACTOR_KEY, as nonce, tag and ciphertext';
comment on column totp_secret.created_at is 'domain time of the creation';
comment on column totp_secret.confirmed_at is 'real time at which a code confirmed the secret; it counts as a factor afterwards';
comment on column totp_secret.used_step is 'the time step, of 30 seconds since 1970, of the latest code that was used';
comment on column totp_secret.seal is 'MAC of the row under TOKEN_HASH_KEY, without which it counts for nothing';

-- While a subject has rows here it has a second factor, even if somebody deleted the row of the factor.
create table recovery_code (
  code_hash    bytea primary key,
  subject_type text not null check (subject_type in ('user', 'admin')),
  subject_id   text not null,
  created_at   timestamptz not null,
  used_at      timestamptz,
  seal         bytea not null
);
comment on table recovery_code is 'Recovery codes of users and admins. A used code keeps its row.';
comment on column recovery_code.code_hash is 'HMAC-SHA-256 under TOKEN_HASH_KEY of the SHA-256 of owner and code';
comment on column recovery_code.subject_type is 'user or admin';
comment on column recovery_code.subject_id is 'identifier of the user, or e-mail address of the admin';
comment on column recovery_code.created_at is 'domain time of the creation';
comment on column recovery_code.used_at is 'real time of the use; null before';
comment on column recovery_code.seal is 'MAC of the row under TOKEN_HASH_KEY, without which it counts for nothing';

create index recovery_code_subject on recovery_code (subject_id, subject_type);

create table step_up (
  id               uuid primary key,
  subject_type     text not null check (subject_type in ('user', 'admin')),
  subject_id       text not null,
  family_id        uuid not null,
  action           text not null,
  details_hash     bytea not null,
  challenge        text not null,
  created_at       timestamptz not null,
  expires_at       timestamptz not null,
  token_hash       bytea,
  token_expires_at timestamptz,
  used_at          timestamptz,
  seal             bytea not null,
  constraint step_up_challenge unique (challenge),
  constraint step_up_token unique (token_hash),
  constraint step_up_verified check ((token_hash is null) = (token_expires_at is null))
);
comment on table step_up is 'Challenges of second factors for one action with its details, and the tokens that answer them.';
comment on column step_up.id is 'identifier of the step-up (UUID)';
comment on column step_up.subject_type is 'user or admin';
comment on column step_up.subject_id is 'identifier of the user, or e-mail address of the admin';
comment on column step_up.family_id is 'the sign-in that asked for it';
comment on column step_up.action is 'what the token permits, such as withdrawal.request';
comment on column step_up.details_hash is 'SHA-256 of the RFC 8785 JSON of the details of the action';
comment on column step_up.challenge is 'WebAuthn challenge, base64url';
comment on column step_up.created_at is 'real time of the request';
comment on column step_up.expires_at is 'real time until which the challenge can be answered';
comment on column step_up.token_hash is 'HMAC-SHA-256 under TOKEN_HASH_KEY of the SHA-256 of the token; null before a factor has verified the step-up';
comment on column step_up.token_expires_at is 'real time until which the token counts';
comment on column step_up.used_at is 'real time of its use';
comment on column step_up.seal is 'MAC of the row under TOKEN_HASH_KEY, without which it counts for nothing';

create index step_up_expired on step_up (expires_at);
