import type { SqlInvariant } from './domain/invariant.js';

// Decisions against the audit log, users against the histories of their status and address, and published values against their
// rates. A violation of a condition that has no amount has `expected` 1 and `actual` 0.

const WITHOUT_AMOUNT = '1 as expected, 0 as actual';

/** The steps of withdrawals by admins, of the kinds that can repeat. */
const STEPS = `
  select verb, withdrawal_id from withdrawal_event
   where verb in ('approve', 'return', 'unhold', 'take', 'execute') and by_type = 'admin'`;

/**
 * The number of times that each decision about a withdrawal was made; the audit log has to have as many entries. Nearly every withdrawal
 * has a taking: takings are looked up only if the audit log has fewer entries than there are takings of all withdrawals.
 */
const REPEATED_DECISIONS = `
  select 'withdrawal.' || verb as action, withdrawal_id::text as subject_id, count(*) as times
    from step
   where verb not in ('take', 'execute')
      or (select count(*) from step where verb in ('take', 'execute'))
         > (select count(*) from audit_entry where action in ('withdrawal.take', 'withdrawal.execute'))
   group by verb, withdrawal_id`;

/** Decisions that records show: for each the audit log has to have an entry, which is looked up by index, since most entries are no decisions. */
const DECISIONS = `
  select 'withdrawals.pause' as action, id::text as subject_id from withdrawal_pause
  union all
  select 'withdrawals.resume', id::text from withdrawal_pause where resumed_at is not null
  union all
  select 'alert.resolve', id::text from alert where resolved_by <> 'system'
  union all
  select action, id::text
    from admin_transaction
   cross join (values ('transaction.create'), ('transaction.approve'), ('transaction.confirm'), ('transaction.reject')) as decision(action)
   where case action when 'transaction.create' then run_id is null when 'transaction.approve' then approved_at is not null
                     when 'transaction.confirm' then status = 'confirmed' else status = 'failed' end
  union all
  select 'investment.approve', id::text from investment where approved_by is not null
  union all
  select case status when 'closed' then 'investment.close' else 'investment.reject' end, id::text from investment where ended_by is not null
  union all
  select 'investment.close', investment_id::text from investment_closing
  union all
  select case state when 'rejected' then 'yield-report.reject' else 'yield-report.accept' end, id::text from yield_report where decided_at is not null
  union all
  select 'transaction-request.complete', id::text from transaction_request where status = 'completed'
  union all
  select 'reconciliation-break.confirm', id::text from reconciliation_line where status = 'resolved' and proposed_at is not null`;

/** The entries about approvals refer to the changed record; the id of the approval is in the column `after`. */
const APPROVALS = `
  select 'approval.request' as action, id from approval
  union all
  select 'approval.' || case status when 'approved' then 'approve' when 'failed' then 'fail' when 'rejected' then 'reject'
                                    when 'withdrawn' then 'withdraw' else 'expire' end, id
    from approval where status <> 'pending'`;

export const DECISION_INVARIANTS: readonly SqlInvariant[] = [
  {
    name: 'decisions',
    description: 'The audit log has an entry for each decision of an admin that a record shows.',
    severity: 'owed',
    sql: `
      with step as materialized (${STEPS})
      select concat(action, ' of ', subject_id) as subject, null::uuid as user_id, ${WITHOUT_AMOUNT}
        from (select action, subject_id, 1 as times from (${DECISIONS}) as decision union all ${REPEATED_DECISIONS}) as decision
       where (select true from audit_entry as entry
               where entry.subject_id = decision.subject_id and entry.action = decision.action offset times - 1 limit 1) is null
      union all
      select concat('withdrawal.accept-screening of ', withdrawal_id, ': ', subject), null, 1, 0
        from screening_acceptance as accepted
       where not exists (select from audit_entry as entry
                          where entry.subject_id = withdrawal_id::text and entry.action = 'withdrawal.accept-screening'
                            and (entry.after -> 'subjects' ? subject or entry.after -> 'subjects' is null))
      union all
      select concat(action, ' of approval ', id), null, 1, 0
        from (${APPROVALS}) as decision
       where not exists (select from audit_entry as entry
                          where entry.action like 'approval.%' and entry.after ->> 'approvalId' = decision.id::text
                            and entry.action = decision.action)
      union all
      select 'acknowledged runs of the integrity check', null, resumed, acknowledged
        from (select (select count(*) from audit_entry where action = 'withdrawals.resume') as resumed,
                     (select count(*) from integrity_run where acknowledged_by is not null) as acknowledged) as runs
       where acknowledged > resumed`,
  },
  {
    name: 'users',
    description:
      'The status of each user is that of the last change of its status. The e-mail address, the hold, the lock and the tier are those of the last record of their changes, and the address and the tier are the last ones that the audit log has for the user.',
    severity: 'owed',
    sql: `
      select concat('status of user ', users.id, ': ', users.status) as subject, users.id as user_id, ${WITHOUT_AMOUNT}
        from platform_user as users
        left join (select distinct on (user_id) user_id, status from user_status_change order by user_id, id desc) as changed
          on changed.user_id = users.id
       where users.status <> coalesce(changed.status, 'active')
      union all
      select concat(differing.what, ' of user ', users.id), users.id, 1, 0
        from (select distinct on (user_id) user_id, email, hold_until, hold_reason, locked_at, locked_by, unlock_by, tier
                from user_account_change order by user_id, id desc) as recorded
        join platform_user as users on users.id = recorded.user_id,
             lateral (values ('e-mail address', users.email = recorded.email),
                             ('hold', (users.hold_until, users.hold_reason) is not distinct from (recorded.hold_until, recorded.hold_reason)),
                             ('lock', (users.locked_at, users.locked_by, users.unlock_by)
                                        is not distinct from (recorded.locked_at, recorded.locked_by, recorded.unlock_by)),
                             ('tier', users.tier is not distinct from recorded.tier))
               as differing(what, is_equal)
       where not is_equal
      union all
      select concat('audited e-mail address of user ', users.id), users.id, 1, 0
        from (select distinct on (subject_id) subject_id, after ->> 'email' as email
                from audit_entry where subject_type = 'user' and after ->> 'email' is not null order by subject_id, at desc, id desc) as stated
        join platform_user as users on users.id::text = stated.subject_id
       where users.email <> stated.email and users.email <> concat('erased-', users.id, '@erased.invalid')
      union all
      select concat('audited tier of user ', users.id), users.id, 1, 0
        from (select distinct on (subject_id) subject_id, after ->> 'tier' as tier
                from audit_entry where subject_type = 'user' and action = 'user.tier-change' order by subject_id, at desc, id desc) as stated
        join platform_user as users on users.id::text = stated.subject_id
       where users.tier is distinct from stated.tier`,
  },
  {
    name: 'values',
    description:
      'Each published value of a unit follows from the value of the day before, the rate and the correction; a reported rate is that of a report, the correction is that of the reports of earlier days, no report of a published day is left out, and the last rate of a strategy is its target.',
    severity: 'owed',
    sql: `
      select concat('value of ', strategy_id, ' for ', day) as subject, null::uuid as user_id,
             round(expected, 12) as expected, round(nav, 12) as actual
        from (select strategy_id, day, nav, source, lag(day) over days as before,
                     case when source = 'first' then 1
                          else lag(nav) over days * power((1 + apy / 100)::numeric(60, 30), 1::numeric(60, 30) / 365) * correction end as expected
                from strategy_nav window days as (partition by strategy_id order by day)) as published
       where abs(nav - expected) > 0.0000000001 or (source <> 'first' and before is distinct from day - 1)
          or (source = 'first') <> (before is null)
      union all
      select concat('rate of ', strategy_id, ' for ', day), null, 1, 0
        from strategy_nav as nav
       where source = 'reported'
         and not exists (select from yield_report as report
                          where report.strategy_id = nav.strategy_id and report.day = nav.day - 1 and report.apy = nav.apy and state = 'rate')
      union all
      select concat('correction of ', strategy_id, ' for ', day), null, round(expected, 12), round(correction, 12)
        from (select strategy_id, day, correction, coalesce(factor, 1) as expected
                from strategy_nav
                left join (select strategy_id, applied_on as day,
                                  exp(sum(ln(((100 + apy) / (100 + used_apy))::numeric(60, 30))) / 365) as factor
                             from yield_report where state = 'fold' and applied_on is not null group by strategy_id, applied_on) as folded
                     using (strategy_id, day)) as corrected
       where abs(correction - expected) > 0.0000000001
      union all
      select concat('report ', id, ' of ', strategy_id, ' for ', report.day), null, 1, 0
        from yield_report as report join strategy_nav as nav using (strategy_id)
       where state = 'rate' and nav.day = report.day + 1
         and (case when nav.source = 'suspended' then applied_on is not null else applied_on is null or nav.source <> 'reported' end)
      union all
      select concat('report ', id, ' of ', strategy_id, ' for ', day), null, 1, 0
        from yield_report as report
       where applied_on is not null and (state = 'rate' and applied_on <> day + 1
          or not exists (select from strategy_nav as nav where nav.strategy_id = report.strategy_id and nav.day = applied_on))
      union all
      select concat('target of ', strategy_id), null, strategy.apy, nav.apy
        from (select distinct on (strategy_id) strategy_id, day, apy, source from strategy_nav order by strategy_id, day desc) as nav
        join strategy on strategy.id = nav.strategy_id
       where source = 'target' and nav.apy <> case when former_apy is not null and nav.day - 1 < apy_from then former_apy else strategy.apy end`,
  },
];
