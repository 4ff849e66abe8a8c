-- Ends the links of wallets that admins named when they created users. No owner of these wallets has signed: each could sign in
-- to the account of somebody else, or be kept from its owner. The entries of the audit log name them. A link that was made
-- after the entry is signed and stays; a signature for a wallet that was linked already left no trace, so that link ends, too.

set local lock_timeout = '10s'; -- as in 036

with ended as (
  update wallet set unlinked_at = now()
    from audit_entry as creation
   where creation.action = 'user.create' and creation.subject_type = 'user' and creation.subject_id = wallet.user_id::text
     and lower(creation.after ->> 'walletAddress') = lower(wallet.address)
     and wallet.created_at <= creation.at and wallet.unlinked_at is null
  returning wallet.id, wallet.user_id, wallet.address
), family as (
  select family_id from session where wallet_id in (select id from ended)
  union select family_id from refresh_token where wallet_id in (select id from ended)
), revoked_tokens as (
  update refresh_token set revoked_at = now(), successor = null
   where family_id in (select family_id from family) and revoked_at is null
), revoked_sessions as (
  update session set revoked_at = now()
   where family_id in (select family_id from family) and revoked_at is null
), audited as (
  insert into audit_entry (id, at, actor, action, subject_type, subject_id, reason, before, after)
  select gen_random_uuid(), now(), 'system', 'wallet.unlink', 'user', user_id::text,
         'An admin had named the wallet, and no signature had linked it',
         jsonb_build_object('walletId', id, 'address', address), jsonb_build_object('walletId', id, 'unlinked', true)
    from ended
)
insert into notification (id, user_id, type, title, message, priority, category, action_url, metadata, created_at)
select gen_random_uuid(), user_id, 'security', 'Wallet unlinked',
       'The wallet ' || address || ' cannot sign in to your account any more, because it was linked without your signature. '
         || 'Its sessions have ended. If it is your wallet, link it again.',
       'high', 'account', '/settings/security', '{"event": "security.wallet-unlinked"}', now()
  from ended;
