/** A row of comma-separated values, and the number of the text line at which it begins. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

export class CsvError extends Error {
  constructor(
    readonly line: number,
    message: string,
  ) {
    super(message);
  }
}

const BYTE_ORDER_MARK = '\uFEFF';
const CELL = /"([^"]*(?:""[^"]*)*)"|[^",\r\n]*/y;
const END = /,|\r\n|\n|$/y;

/**
 * Strict RFC 4180: quotes only around a whole cell or doubled inside it, and all rows as wide as the first. Accepts LF
 * as line end and a leading byte order mark. Throws CsvError.
 */
export function readCsv(text: string, maxRows: number): CsvRow[] {
  const rows: CsvRow[] = [];
  let line = 1;
  let at = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
  while (at < text.length) {
    const begin = line;
    const cells: string[] = [];
    let end = ',';
    while (end === ',') {
      const [cell, quoted] = matchAt(CELL, text, at) as RegExpExecArray; // CELL also matches an empty cell
      line += cell.split('\n').length - 1;
      const ending = matchAt(END, text, at + cell.length);
      if (!ending) throw new CsvError(line, 'has a quote or a line end at a place where none is allowed');
      cells.push(quoted === undefined ? cell : quoted.replaceAll('""', '"'));
      [end] = ending;
      at += cell.length + end.length;
    }
    const width = rows[0]?.cells.length ?? cells.length;
    if (cells.length !== width) throw new CsvError(begin, `has ${cells.length} cells instead of ${width}`);
    if (rows.push({ line: begin, cells }) > maxRows) throw new CsvError(begin, 'is one line too many');
    line += 1;
  }
  return rows;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
