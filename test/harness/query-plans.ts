import pg from 'pg';
import type { SqlStatement } from './queries.js';

/** A plan node in the output of EXPLAIN; the actual figures exist only with ANALYZE. */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Statements that only read: no row locks, no writes in `with`, no ledger postings, no functions that lock or write. */
const READS =
  /^\s*(select|with)\b(?!.*(\bfor (no key |key )?(update|share)\b|\b(insert into|delete from)\b|\bupdate \w+( as \w+)? set\b|\bledger_post\b|_together\())/is;

/** Explains statements on a connection with its own settings. */
export class Plans {
  private constructor(private readonly client: pg.Client) {}

  static async connect(databaseUrl: string, ...settings: string[]): Promise<Plans> {
    const client = new pg.Client(databaseUrl);
    await client.connect();
    for (const setting of settings) await client.query(`set ${setting}`);
    return new Plans(client);
  }

  /** The nodes of the plan in pre-order. `analyze` executes the statement. */
  async nodesOf({ text, values }: SqlStatement, { analyze = false } = {}): Promise<PlanNode[]> {
    const options = analyze ? 'analyze, timing off, format json' : 'format json';
    const { rows } = await this.client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (${options}) ${text}`,
      [...values],
    );
    return nodesUnder((rows[0] as (typeof rows)[number])['QUERY PLAN'][0].Plan);
  }

  /** Tables with at least `rows` rows according to the statistics. */
  async tablesFrom(rows: number): Promise<Set<string>> {
    const found = await this.client.query<{ name: string }>(
      `select relname as name from pg_class
        where relkind = 'r' and relnamespace = 'public'::regnamespace and reltuples >= $1`,
      [rows],
    );
    return new Set(found.rows.map(({ name }) => name));
  }

  end(): Promise<void> {
    return this.client.end();
  }
}

export function readStatements(statements: readonly SqlStatement[]): SqlStatement[] {
  return statements.filter(({ text }) => READS.test(text));
}

function nodesUnder(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesUnder)];
}

/** Rows that a node of an analyzed plan examined. */
export function rowsExamined(node: PlanNode): number {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return ((node['Actual Rows'] ?? 0) + removed) * (node['Actual Loops'] ?? 0);
}
