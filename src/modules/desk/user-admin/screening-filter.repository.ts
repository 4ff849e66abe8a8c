import type { ScreeningResult } from '../../identity/screening/domain/subject.js';
import type { UserFilter } from './user-admin.types.js';

// Conditions of the filter of users by screening. They read `screening_verdict` of the module screening; `?` stands for the result.

/** The newest verdict on the user is the asked one, `review` or `blocked`. The first condition finds such users, who are few, by an index. */
const IS_OF_CONCERN = `
  u.id = any(array(select user_id from screening_verdict where verdict = ? and verdict <> 'clear' and user_id is not null))
  and (select case when not outdated then verdict end from screening_verdict where user_id = u.id order by id desc limit 1) = ?`;

// A change of the e-mail address makes all verdicts on the user outdated, so that the newest one is current if any is.
const HAS_CURRENT_VERDICT = `exists (select from screening_verdict where user_id = u.id and not outdated)`;

/** Most users can be `clear` or `not_checked`: PostgreSQL can plan these conditions as hash joins, without a look-up for each user. */
const SCREENED_AS: Record<ScreeningResult, string> = {
  review: IS_OF_CONCERN,
  blocked: IS_OF_CONCERN,
  clear: `? = 'clear' and ${HAS_CURRENT_VERDICT}
    and not exists (select from screening_verdict as concern
                     where concern.user_id = u.id and concern.verdict <> 'clear'
                       and not exists (select from screening_verdict as newer
                                        where newer.user_id = concern.user_id and newer.id > concern.id))`,
  not_checked: `? = 'not_checked' and not ${HAS_CURRENT_VERDICT}`,
};

/** The SQL condition on `platform_user as u`. */
export function screeningCondition({ screening = 'not_checked', isScreeningConfigured }: UserFilter): string {
  return isScreeningConfigured ? SCREENED_AS[screening] : `? = 'not_checked'`;
}
