import type { ScreeningResult } from './domain/subject.js';

// SQL about verdicts for statements of other modules.

/**
 * SQL: whether a user has the screening result `?`, as a condition of `listFilter`. `userId` is SQL, too. Without a configured
 * provider no stored verdict counts. Each condition uses `?`, because PostgreSQL refuses a parameter that no expression uses.
 */
export function hasScreeningResult(userId: string, result: ScreeningResult, isConfigured: boolean): string {
  if (!isConfigured) return `? = 'not_checked'`;
  // A change of the e-mail address makes all verdicts on the user outdated, so that the newest one is current if any is.
  const hasCurrentVerdict = `exists (select from screening_verdict where user_id = ${userId} and not outdated)`;
  // Most users can be `clear` or `not_checked`: PostgreSQL can plan these conditions as hash joins, without a look-up for each user.
  if (result === 'not_checked') return `? = 'not_checked' and not ${hasCurrentVerdict}`;
  if (result === 'clear')
    return `? = 'clear' and ${hasCurrentVerdict}
      and not exists (select from screening_verdict as concern
                       where concern.user_id = ${userId} and concern.verdict <> 'clear'
                         and not exists (select from screening_verdict as newer
                                          where newer.user_id = concern.user_id and newer.id > concern.id))`;
  // The newest verdict is `review` or `blocked`. The first condition finds such users, who are few, by an index.
  return `${userId} = any(array(select user_id from screening_verdict
                                 where verdict = ? and verdict <> 'clear' and user_id is not null))
    and (select case when not outdated then verdict end from screening_verdict
          where user_id = ${userId} order by id desc limit 1) = ?`;
}

/**
 * SQL after `from`: the newest verdicts with the result `review` that no admin has accepted: on users, and on the addresses of the
 * rows of `withdrawals`, a table with `id` and `to_address`, that the SQL `isUnpaid` selects.
 */
export function openReviews(withdrawals: string, isUnpaid: string): string {
  return `screening_verdict as verdict
    where verdict = 'review' and accepted_at is null and not outdated
      and not exists (select from screening_verdict as newer where newer.subject = verdict.subject and newer.id > verdict.id)
      and (user_id is not null
           or exists (select from ${withdrawals} as payment
                       where ${isUnpaid} and lower(to_address) collate "C" = substr(verdict.subject, length('address:') + 1)
                         and not exists (select from screening_acceptance as accepted
                                          where accepted.withdrawal_id = payment.id and accepted.subject = verdict.subject)))`;
}
