import pg from 'pg';
import type { SqlStatement } from './queries.js';

/** A plan node in the output of EXPLAIN; the actual figures exist only with ANALYZE. */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

/**
 * A statement that only reads tables: without row locks, writes in `with` and `ledger_post`. Calls of functions without FROM,
 * which may write, are left out. TypeORM writes the comment of `PREPARED` before a statement.
 */
const READ_ONLY =
  /^\s*(\/\*.*?\*\/\s*)?(select|with)\b(?=.*\bfrom\b)(?!.*(\bfor (no key |key )?(update|share)\b|\b(insert into|delete from)\b|\bupdate \w+( as \w+)? set\b|\bledger_post\b))/is;

/** Explains statements on a connection of its own, to which the `settings` apply. */
export class QueryPlans {
  private constructor(private readonly client: pg.Client) {}

  static async connect(databaseUrl: string, ...settings: string[]): Promise<QueryPlans> {
    const client = new pg.Client(databaseUrl);
    await client.connect();
    for (const setting of settings) await client.query(`set ${setting}`);
    return new QueryPlans(client);
  }

  /** Prepares a statement, which `execute <name>(…)` executes. */
  async prepare(name: string, text: string): Promise<void> {
    await this.client.query(`prepare ${name} as ${text}`);
  }

  /** Returns the nodes of the plan in pre-order. `analyze` executes the statement. */
  async nodesOf({ text, values }: SqlStatement, { analyze = false } = {}): Promise<PlanNode[]> {
    const options = analyze ? 'analyze, timing off, format json' : 'format json';
    const { rows } = await this.client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (${options}) ${text}`,
      [...values],
    );
    return nodesInPreOrder((rows[0] as (typeof rows)[number])['QUERY PLAN'][0].Plan);
  }

  /** Returns the names of the tables that have at least `rows` rows according to the statistics of the planner. */
  async tablesWithAtLeast(rows: number): Promise<Set<string>> {
    const tables = await this.client.query<{ name: string }>(
      `select relname as name from pg_class
        where relkind = 'r' and relnamespace = 'public'::regnamespace and reltuples >= $1`,
      [rows],
    );
    return new Set(tables.rows.map(({ name }) => name));
  }

  end(): Promise<void> {
    return this.client.end();
  }
}

export function readOnlyStatements(statements: readonly SqlStatement[]): SqlStatement[] {
  return statements.filter(({ text }) => READ_ONLY.test(text));
}

function nodesInPreOrder(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesInPreOrder)];
}

/** Returns the number of rows that a node of an analysed plan examined. */
export function rowsExamined(node: PlanNode): number {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return ((node['Actual Rows'] ?? 0) + removed) * (node['Actual Loops'] ?? 0);
}
