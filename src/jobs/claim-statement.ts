/** What a queue needs to know of its table, in SQL. Columns of an item have the prefix `item` only beside joined tables. */
export interface QueueTable {
  readonly name: string;
  /** The condition of the items that wait for an attempt or are being attempted. */
  readonly waiting: string;
  /** The owner of an item; owners take turns. An index begins with the columns of `classes`, if there are any, and with this one. */
  readonly owner: { readonly sql: string; readonly type: 'uuid' | 'text' };
  /** Conditions of classes of items: all due ones of the first class are claimed before those of the second one. */
  readonly classes?: readonly string[];
  /**
   * The column with the end of a claim: `due_at`, in the time of the domain, or `leased_until` in that of the database, for claims
   * that outlast a change of the domain clock.
   */
  readonly lease: { readonly column: 'due_at' | 'leased_until'; readonly seconds: number };
  /** Further assignments of a claim, each with a comma at its end: `attempted_at = $1,`. $1 is the present time. */
  readonly assignments?: string;
  /**
   * Selects the `id` of the due item of `turn.owner` that is attempted first, and locks it with `skip locked`; $1 is the present
   * time, $4 are the excluded ids, of items and of groups (`perGroup`). By default that of the item that has been due longest.
   */
  readonly firstOfOwner?: string;
  /** The select list of a claimed item besides `id`, `attempts` and `owner`, with joins: `body, url from item join …`. */
  readonly columns: string;
}

/** Less than or equal to every owner. */
export const LEAST_OWNER = { uuid: '00000000-0000-0000-0000-000000000000', text: '' } as const;

/**
 * Claims items of the owners that follow $2 in the order of owners: at most one of each owner, none of the owners in $3, and at most
 * $5 in all. Walks the index from owner to owner, and only until it has found enough, so that an owner with many items does not make
 * it slow. If little is due, it visits every owner with waiting items. `turn` has the owners in their order.
 */
export function claimStatement(table: QueueTable, condition: string): string {
  const { name, waiting, owner, lease, assignments = '', columns } = table;
  const nextOwner = (after: string) =>
    `select ${owner.sql} as owner from ${name} where ${waiting} and ${condition} and ${owner.sql} > ${after} order by 1 limit 1`;
  const isInRealTime = lease.column === 'leased_until';
  const firstOfOwner =
    table.firstOfOwner ??
    `select id from ${name}
      where ${waiting} and ${condition} and ${owner.sql} = turn.owner and due_at <= $1 and id <> all($4::uuid[])
        ${isInRealTime ? 'and (leased_until is null or leased_until < clock_timestamp())' : ''}
      order by due_at, id limit 1 for update skip locked`;
  return `
  with recursive turn as (
    (${nextOwner(`$2::${owner.type}`)})
    union all
    select next.owner from turn cross join lateral (${nextOwner('turn.owner')}) as next
  ), due as (
    select first.id, turn.owner from turn cross join lateral (${firstOfOwner}) as first
     where turn.owner <> all($3::${owner.type}[]) limit $5
  ), item as (
    update ${name} as claimed
       set attempts = attempts + 1, ${assignments}
           ${lease.column} = ${isInRealTime ? 'clock_timestamp()' : '$1::timestamptz'} + interval '${lease.seconds} seconds'
      from due where claimed.id = due.id
    returning claimed.*, due.owner
  )
  select item.id, attempts, owner, ${columns} order by owner`;
}
