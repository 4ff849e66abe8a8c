/** Selects the rows of a list by the time of their creation, as ISO 8601. */
export interface CreationFilter {
  readonly createdAfter?: string | undefined;
  readonly createdBefore?: string | undefined;
}

/** `from` is included, `until` is not. Null: no limit. */
export interface CreationPeriod {
  readonly from: Date | null;
  readonly until: Date | null;
}

export function creationPeriod({ createdAfter, createdBefore }: CreationFilter): CreationPeriod {
  return { from: toInstant(createdAfter), until: toInstant(createdBefore) };
}

/** The conditions of `listFilter` for the rows of the period. */
export function createdWithin(
  column: string,
  { from, until }: CreationPeriod,
): [sql: string, value: unknown][] {
  return [
    [`${column} >= ?`, from ?? undefined],
    [`${column} < ?`, until ?? undefined],
  ];
}

function toInstant(text: string | undefined): Date | null {
  return text === undefined ? null : new Date(text);
}
