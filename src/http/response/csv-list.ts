import { modelFields, type ResponseClass } from '../openapi/model-fields.js';
import { csvRow } from './csv.js';
import type { RawResponse } from './enveloped-response.js';
import { streamResponse } from './streaming.js';

// Lists as files of comma-separated values (DEC-56): one line per item, one column per JSON field.

interface CsvColumn {
  /** The path, joined by dots. */
  readonly name: string;
  /** The names of the fields, and of the key if one is a map, that lead from the item to the value. */
  readonly path: readonly string[];
}

export interface CsvList<Row, Item extends object> {
  readonly fileName: string;
  /** The class of an item of the list in JSON. */
  readonly model: new () => Item;
  readonly batches: AsyncIterable<Row[]>;
  readonly toItem: (row: Row) => Item;
  /** The keys of maps, by the column name of the map: each key becomes a column. A map not listed here is a column of JSON. */
  readonly mapKeys?: Readonly<Record<string, readonly string[]>>;
}

/** Streams the file; a failure before the first batch is answered in the envelope, a later one closes the connection. */
export function streamCsv<Row, Item extends object>(list: CsvList<Row, Item>): Promise<RawResponse> {
  const { fileName, model, batches, toItem, mapKeys } = list;
  const text = toCsv(csvColumns(model, mapKeys), batches, toItem);
  return streamResponse(text, { type: 'text/csv; charset=utf-8; header=present', fileName });
}

export function csvColumns(
  model: ResponseClass,
  mapKeys: Readonly<Record<string, readonly string[]>> = {},
  parents: readonly string[] = [],
): CsvColumn[] {
  return modelFields(model).flatMap(({ name, isList, model: nested }): CsvColumn[] => {
    const path = [...parents, name];
    if (nested && !isList) return csvColumns(nested, mapKeys, path);
    const field = path.join('.');
    const keys = mapKeys[field];
    return keys
      ? keys.map((key) => ({ name: `${field}.${key}`, path: [...path, key] }))
      : [{ name: field, path }];
  });
}

/** The header comes with the first batch, so that a failure of the first read can still be answered as an error. */
export async function* toCsv<Row>(
  columns: readonly CsvColumn[],
  batches: AsyncIterable<Row[]>,
  toItem: (row: Row) => object,
): AsyncGenerator<string, void> {
  let header = csvRow(columns.map(({ name }) => name));
  for await (const batch of batches) {
    const items = batch.map(toItem);
    yield header + items.map((item) => lineOf(item, columns)).join('');
    header = '';
  }
  if (header) yield header;
}

function lineOf(item: object, columns: readonly CsvColumn[]): string {
  return csvRow(columns.map(({ path }) => textOf(valueAt(item, path))));
}

function valueAt(item: unknown, path: readonly string[]): unknown {
  return path.reduce((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], item);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : JSON.stringify(value);
}
