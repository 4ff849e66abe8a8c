import { prepared } from './prepared.js';

export const WRITE_TOGETHER = prepared('select write_together($1)');

/** Rows that record what a transaction has decided. No later statement of the transaction needs an answer about them. */
export interface CollectedWrite<Item> {
  /** The name of a branch of the SQL function `write_together`, which writes the tables in a fixed order. */
  readonly name: string;
  /** Converts items that are sent together to rows, which are sent as JSON. */
  readonly toRows: (items: readonly Item[]) => readonly unknown[];
  /** The rows are sent only with COMMIT, because they depend on the end of the transaction. Other rows may be sent earlier. */
  readonly waitsForCommit?: true;
}

interface CollectedItem {
  readonly write: CollectedWrite<unknown>;
  readonly item: unknown;
}

/** The rows that a transaction has collected and not sent yet. */
export class CollectedRows {
  private collected: CollectedItem[] = [];

  get count(): number {
    return this.collected.length;
  }

  collect<Item>(write: CollectedWrite<Item>, item: Item): void {
    this.collected.push({ write: write as CollectedWrite<unknown>, item });
  }

  /** Drops all rows but the first `count`. */
  dropAfter(count: number): void {
    this.collected.length = Math.min(this.collected.length, count);
  }

  /** Removes the rows that may be sent before the commit, and returns them, if any, as the parameter of `write_together`. */
  takeForStatement(): string | undefined {
    if (this.collected.length === 0) return undefined;
    const batch = batchOf(this.collected.filter(({ write }) => !write.waitsForCommit));
    this.collected = this.collected.filter(({ write }) => write.waitsForCommit);
    return batch;
  }

  /** Removes all rows, and returns them, if any, as the parameter of `write_together`. */
  takeForCommit(): string | undefined {
    const batch = batchOf(this.collected);
    this.collected = [];
    return batch;
  }
}

function batchOf(collected: readonly CollectedItem[]): string | undefined {
  if (collected.length === 0) return undefined;
  const groups = new Map<string, { write: CollectedWrite<unknown>; items: unknown[] }>();
  for (const { write, item } of collected) {
    const group = groups.get(write.name);
    if (!group) groups.set(write.name, { write, items: [item] });
    else if (group.write === write) group.items.push(item);
    else throw new Error(`Two kinds of collected rows have the name ${write.name}.`);
  }
  const rows = [...groups].map(([name, { write, items }]) => [name, write.toRows(items)]);
  return JSON.stringify(Object.fromEntries(rows));
}
