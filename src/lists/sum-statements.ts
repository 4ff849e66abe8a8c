import { tablesOf, SUM_COLUMNS, sumsOfRows, type ListName } from './list-rows.js';

// Statements that compute the sums of periods of time, whose last parameter has the beginnings of the periods, and statements that
// find the hours whose sums differ from the records.

export type Span = 'hour' | 'day' | 'month' | 'year';

/** A table of sums. */
interface SumTable {
  readonly table: string;
  /** Columns whose values are the first parameters. */
  readonly fixed: readonly string[];
  /** The column of the beginning of the period. */
  readonly time: string;
  /** The column by which the sums of a period are divided. */
  readonly group: string;
  readonly sums: readonly string[];
}

const LIST_SUMS: SumTable = {
  table: 'list_sum',
  fixed: ['list', 'span'],
  time: 'at',
  group: 'facets',
  sums: SUM_COLUMNS,
};

/** The end of a period that begins at `start`, an SQL expression. */
function endOf(start: string, span: Span): string {
  if (span === 'hour') return `${start} + interval '1 hour'`;
  if (span === 'day') return `${start} + interval '24 hours'`;
  return `(${start} at time zone 'UTC' + interval '1 ${span}') at time zone 'UTC'`;
}

/** Replaces the sums of the periods by those that `computed` selects, and writes only rows that differ. */
export function replaceSums({ table, fixed, time, group, sums }: SumTable, computed: string): string {
  const periods = `$${fixed.length + 1}`;
  const columns = [time, group, ...sums].join(', ');
  const ofHeld = fixed.map((column, index) => `held.${column} = $${index + 1}`).join(' and ');
  const sumsOf = (name: string) => sums.map((column) => `${name}.${column}`).join(', ');
  return `
  with computed as materialized (${computed}),
  gone as (
    delete from ${table} as held
     where ${ofHeld} and held.${time} = any(${periods}::timestamptz[])
       and not exists (select from computed where computed.${time} = held.${time} and computed.${group} = held.${group})
  )
  insert into ${table} as held (${fixed.join(', ')}, ${columns})
  select ${fixed.map((_, index) => `$${index + 1}::text`).join(', ')}, ${columns} from computed
  on conflict (${[...fixed, time, group].join(', ')}) do update
    set ${sums.map((column) => `${column} = excluded.${column}`).join(', ')}
    where (${sumsOf('held')}) is distinct from (${sumsOf('excluded')})`;
}

/** Selects the sums of periods by adding up those of the periods below them. */
export function sumsOfParts({ table, fixed, time, group, sums }: SumTable, span: Span, below: Span): string {
  const equal = fixed.map((column, index) =>
    column === 'span' ? `part.span = '${below}'` : `part.${column} = $${index + 1}`,
  );
  return `
    select period.${time}, part.${group}, ${sums.map((column) => `sum(part.${column}) as ${column}`).join(', ')}
      from unnest($${fixed.length + 1}::timestamptz[]) as period(${time})
      join ${table} as part on ${equal.join(' and ')} and part.${time} >= period.${time}
       and part.${time} < ${endOf(`period.${time}`, span)}
     group by 1, 2`;
}

/** Parameters: the list, the span, the beginnings of the periods. */
export function listSumsFromRows(list: ListName, span: Span): string {
  const parts = tablesOf(list).map((listed) =>
    sumsOfRows(listed, {
      row: 'listed',
      from: `unnest($3::timestamptz[]) as period(at) join ${listed.table} as listed
               on listed.${listed.time} >= period.at and listed.${listed.time} < ${endOf('period.at', span)}`,
      where: 'true',
      key: 'period.at',
    }),
  );
  return replaceSums(LIST_SUMS, addedUp(parts));
}

/** Takes the same parameters as the statement from the rows. */
export function listSumsFromParts(span: Span, below: Span): string {
  return replaceSums(LIST_SUMS, sumsOfParts(LIST_SUMS, span, below));
}

/**
 * Selects the hours to recompute: those of the periods whose sums differ from `computed`. `held` is the condition of the sums that
 * are compared. The statement has the parameters of these two texts.
 */
export function differingHours(
  { table, time, group, sums }: SumTable,
  { computed, held, span }: { computed: string; held: string; span: 'hour' | 'day' },
): string {
  const sumsOf = (name: string) => sums.map((column) => `${name}.${column}`).join(', ');
  return `
  select distinct start + hour * interval '1 hour' as hour
    from (select coalesce(computed.${time}, held.${time}) as start
            from (${computed}) as computed
            full join (select * from ${table} where ${held}) as held
              on computed.${time} = held.${time} and computed.${group} = held.${group}
           where (${sumsOf('computed')}) is distinct from (${sumsOf('held')})) as differing,
         generate_series(0, ${span === 'day' ? 23 : 0}) as hour order by 1`;
}

/** The hours of the days whose sums in a list differ from its rows. The statement has no parameters. */
export function differingHoursOfList(list: ListName): string {
  const parts = tablesOf(list).map((listed) =>
    sumsOfRows(listed, {
      row: 'listed',
      from: `${listed.table} as listed`,
      where: 'true',
      key: `date_trunc('day', listed.${listed.time}, 'UTC')`,
    }),
  );
  return differingHours(LIST_SUMS, {
    computed: addedUp(parts),
    held: `list = '${list}' and span = 'day'`,
    span: 'day',
  });
}

/** The sums of a list over several tables. */
function addedUp(parts: readonly string[]): string {
  const columns = SUM_COLUMNS.map((column) => `sum(${column}) as ${column}`).join(', ');
  return `select at, facets, ${columns} from (${parts.join(' union all ')}) as part group by 1, 2`;
}

/** The beginning of the period in UTC that contains an instant. */
export function startOf(span: Span, instant: Date): Date {
  const text = instant.toISOString();
  switch (span) {
    case 'hour':
      return new Date(`${text.slice(0, 13)}:00:00.000Z`);
    case 'day':
      return new Date(`${text.slice(0, 10)}T00:00:00.000Z`);
    case 'month':
      return new Date(`${text.slice(0, 7)}-01T00:00:00.000Z`);
    case 'year':
      return new Date(`${text.slice(0, 4)}-01-01T00:00:00.000Z`);
  }
}

/** The periods that contain the instants, each once, as text for a parameter. */
export function periodsOf(span: Span, instants: readonly Date[]): string[] {
  return [...new Set(instants.map((instant) => startOf(span, instant).toISOString()))].sort();
}
