import { Injectable } from '@nestjs/common';
import { write } from '../../../database/statements.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { hoursOfRecords } from '../../../lists/total-marks.js';

/** Records and times that events name. */
export interface ChangedRecords {
  readonly withdrawalIds: readonly string[];
  readonly depositIds: readonly string[];
  readonly investmentIds: readonly string[];
  readonly times: readonly Date[];
}

// The records of transactions that follow from an investment have the time of its event.
const MARK_CHANGED = `
  with record as (
    select created_at, completed_at from user_transaction
     where (reference_type = 'withdrawal' and reference_id = any($1::text[]))
        or (reference_type = 'deposit' and reference_id = any($2::text[]))
  ), changed(name, at) as (
    select 'transaction', created_at from record
    union all select 'report', completed_at from record where completed_at is not null
    union all select name, at from unnest(array['transaction', 'report']) as summed(name), unnest($4::timestamptz[]) as event(at)
  )
  insert into total_mark (name, hour)
  select distinct name, date_trunc('hour', at, 'UTC') from changed
  union all ${hoursOfRecords('withdrawal', '$1')}
  union all ${hoursOfRecords('deposit', '$2')}
  union all ${hoursOfRecords('investment', '$3')}`;

// Recomputes the gaps of users, and marks the hours at which the changed ones begin and end.
const REPLACE_GAPS = `
  with computed as materialized (select * from user_gap_recomputed where user_id = any($1::uuid[])),
  gone as (
    delete from user_gap as held where user_id = any($1::uuid[])
       and not exists (select from computed
                        where computed.user_id = held.user_id and computed.ended = held.ended and computed.resumed = held.resumed)
    returning ended, resumed
  ), added as (
    insert into user_gap select * from computed on conflict do nothing returning ended, resumed
  )
  insert into total_mark (name, hour)
  select distinct 'report', at
    from (select * from gone union all select * from added) as gap, lateral (values (ended), (resumed)) as change(at)
   where isfinite(at)`;

/** Writes marks for the records that events name, and the gaps of users between their investments. */
@Injectable()
export class TotalMarksRepository {
  markChanged(tx: Tx, { withdrawalIds, depositIds, investmentIds, times }: ChangedRecords): void {
    const instants = times.map((time) => time.toISOString());
    write(tx, MARK_CHANGED, [withdrawalIds, depositIds, investmentIds, instants]);
  }

  replaceGaps(tx: Tx, userIds: readonly string[]): void {
    write(tx, REPLACE_GAPS, [userIds]);
  }
}
