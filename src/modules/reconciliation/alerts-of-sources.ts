import type { AlertKind } from '../alerts/alerts.types.js';
import type { Source } from './statement-line.js';

/** Alerts about money that a provider's statement has to do with. */
export const ALERTS_OF: Readonly<Record<Source, readonly AlertKind[]>> = {
  'deposit-provider': ['deposit-reorganised', 'second-transfer'],
  custody: ['withdrawal-paid-after-failure'],
};

const kindsOf = (source: Source) => `'{${ALERTS_OF[source].join(',')}}'::text[]`;

/** SQL: the alerts that were open when the reconciliation `head` was made, whatever the days of its statement. */
export const ALERTS_WHEN_MADE = `
  (select coalesce(json_agg(json_build_object(
            'id', id, 'kind', kind, 'message', message, 'nextStep', next_step, 'reason', reason,
            'subject', json_build_object('type', subject_type, 'id', subject_id, 'userId', user_id, 'txHash', tx_hash),
            'createdAt', created_at, 'resolvedAt', resolved_at, 'resolvedBy', resolved_by) order by created_at, id), '[]')
     from alert
    where kind = any(case head.source when 'custody' then ${kindsOf('custody')} else ${kindsOf('deposit-provider')} end)
      and created_at <= head.made_at and (resolved_at is null or resolved_at > head.made_at))`;
