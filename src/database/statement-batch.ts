import pg from 'pg';

/** Gets the result of a statement, or its error. */
export type OnResult = (error: Error | null, result: pg.QueryResult) => void;

export interface BatchedStatement {
  /** A statement with a name is parsed once per connection. */
  readonly name: string | undefined;
  readonly text: string;
  /** Texts, bytes and null, as `prepareValue` of the driver converts them. */
  readonly values: readonly unknown[];
  readonly onResult: OnResult;
}

/** The columns of a result, with what the driver derives from them. */
type Columns = Pick<Result, 'fields' | '_parsers' | '_prebuiltEmptyResultObject'>;

/** The columns of the statements that a connection has parsed, by their names. They do not change while the statement stays parsed. */
export type ParsedStatements = Map<string, Columns>;

/** The status of a connection whose transaction has failed, but is not rolled back. */
const FAILED_TRANSACTION = 'E';

/** The driver's object for a result, with the methods that its types do not declare. */
type Result = pg.QueryResult & {
  addFields(fields: readonly pg.FieldDef[]): void;
  parseRow(fields: readonly unknown[]): object;
  addRow(row: object): void;
  addCommandComplete(message: object): void;
  _parsers: unknown;
  _prebuiltEmptyResultObject: unknown;
};

/**
 * Statements that are sent together, with one Sync behind them: the server answers them together, and after an error it skips the
 * rest. The driver alone would send a Sync behind each statement, and the server would write each answer to the socket by itself.
 *
 * For the driver the batch is one query. The results are delivered when the server is ready for the next query, because only then
 * the driver knows the status of the transaction.
 */
export class StatementBatch extends pg.Query {
  private readonly results: Result[];
  /** The place of the statement that the server answers now. */
  private place = 0;
  /** The error of a row that could not be read, at the place of its statement. */
  private readonly rowErrors: (Error | undefined)[] = [];

  constructor(
    private readonly statements: readonly BatchedStatement[],
    private readonly parsed: ParsedStatements,
    types: pg.CustomTypesConfig,
  ) {
    super('');
    const newResult = pg.Result as unknown as new (rowMode: string, types: pg.CustomTypesConfig) => Result;
    this.results = statements.map(() => new newResult('', types));
  }

  get size(): number {
    return this.statements.length;
  }

  // The driver calls these methods.

  override submit = (connection: pg.Connection): void => {
    this.statements.forEach(({ name = '', text, values }, place) => {
      const columns = this.parsed.get(name);
      if (columns) Object.assign(this.results[place] as Result, columns);
      else {
        if (name !== '') connection.close({ type: 'S', name }, true); // after an error the name may be in use, or not: both can be closed
        connection.parse({ name, text, types: [] }, true);
      }
      connection.bind({ portal: '', statement: name, values } as never, true);
      if (!columns) connection.describe({ type: 'P', name: '' }, true);
      connection.execute({ portal: '' } as never, true);
    });
    connection.sync();
  };

  handleRowDescription({ fields }: { fields: pg.FieldDef[] }): void {
    this.results[this.place]?.addFields(fields);
  }

  handleDataRow({ fields }: { fields: unknown[] }): void {
    const result = this.results[this.place];
    try {
      result?.addRow(result.parseRow(fields));
    } catch (error) {
      this.rowErrors[this.place] ??= error as Error;
    }
  }

  handleCommandComplete(message: object): void {
    this.results[this.place++]?.addCommandComplete(message);
  }

  handleEmptyQuery(): void {
    this.place++;
  }

  handleReadyForQuery(): void {
    this.deliver(undefined, this.place);
  }

  handleError(error: Error, connection: pg.Connection): void {
    const deliver = (ready?: { status: string }) => {
      connection.off('readyForQuery', deliver).off('end', deliver);
      this.deliver(error, ready?.status === FAILED_TRANSACTION ? this.place : this.committedCount());
    };
    // The server is ready after an error of its own, unless it ends the connection. Any other error means that the connection is lost.
    if (error instanceof pg.DatabaseError) connection.once('readyForQuery', deliver).once('end', deliver);
    else deliver();
  }

  /**
   * The number of statements up to the last COMMIT. Outside of a transaction PostgreSQL takes the whole batch for one, up to the Sync:
   * an error also rolls back the statements before it.
   */
  private committedCount(): number {
    return this.results.findLastIndex(({ command }) => command === 'COMMIT') + 1;
  }

  /** The statements from `validCount` on get the error. */
  private deliver(error: Error | undefined, validCount: number): void {
    this.statements.forEach(({ name, onResult }, place) => {
      const result = this.results[place] as Result;
      if (name !== undefined && place < this.place) this.parsed.set(name, columnsOf(result));
      // The statement may have been closed without being parsed again, or its columns may have changed.
      else if (name !== undefined) this.parsed.delete(name);
      const failure = place < validCount ? this.rowErrors[place] : error;
      if (failure) onResult(failure, undefined as never);
      else onResult(null, result);
    });
  }
}

function columnsOf({ fields, _parsers, _prebuiltEmptyResultObject }: Result): Columns {
  return { fields, _parsers, _prebuiltEmptyResultObject };
}
