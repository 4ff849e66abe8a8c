import { Injectable, type OnModuleInit } from '@nestjs/common';
import { prepared } from '../database/prepared.js';
import type { Tx } from '../database/unit-of-work.js';
import { LIST_NAMES, tablesOf, type ListName } from './list-rows.js';
import {
  differingHoursOfList,
  listSumsFromParts,
  listSumsFromRows,
  periodsOf,
  startOf,
  type Span,
} from './sum-statements.js';
import { TotalRuns } from './total-runs.js';

/** Lists of tables whose new rows are found by their time. Their writers mark nothing but later changes of a row. */
const FOLLOWED: readonly ListName[] = ['audit_entry', 'webhook_event'];

const DROP_HOURS = prepared(`delete from list_sum where list = $1 and span = 'hour' and at < $2`);

/** Recomputes the sums of lists. */
@Injectable()
export class ListSums implements OnModuleInit {
  constructor(private readonly runs: TotalRuns) {}

  onModuleInit(): void {
    for (const name of LIST_NAMES) {
      const [followed] = FOLLOWED.includes(name) ? tablesOf(name) : [];
      this.runs.register({
        name,
        ...(followed && { followed }),
        recompute: (tx, hours, hoursSince) => recomputeListSums(tx, name, hours, hoursSince),
        findDifferences: async (snapshot) => {
          const rows = await snapshot.query<{ hour: Date }>(differingHoursOfList(name), []);
          return rows.map(({ hour }) => hour);
        },
      });
    }
  }
}

/** Hours before `hoursSince`, for which no sums by hour are kept, are recomputed as whole days. */
export async function recomputeListSums(
  tx: Pick<Tx, 'query'>,
  list: ListName,
  hours: readonly Date[],
  hoursSince: Date,
): Promise<void> {
  const replace = async (span: Span, sql: string, instants: readonly Date[]): Promise<void> => {
    if (instants.length > 0) await tx.query(prepared(sql), [list, span, periodsOf(span, instants)]);
  };
  const isKept = (hour: Date) => startOf('day', hour) >= hoursSince;
  await tx.query(DROP_HOURS, [list, hoursSince]);
  const kept = hours.filter(isKept);
  await replace('hour', listSumsFromRows(list, 'hour'), kept);
  await replace('day', listSumsFromParts('day', 'hour'), kept);
  await replace(
    'day',
    listSumsFromRows(list, 'day'),
    hours.filter((hour) => !isKept(hour)),
  );
  await replace('month', listSumsFromParts('month', 'day'), hours);
  await replace('year', listSumsFromParts('year', 'month'), hours);
}
