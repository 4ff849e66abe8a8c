/** A row of comma-separated values, and the number of the text line at which it begins. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** The text is not strict CSV or has too many rows. `message` continues a sentence about `line`: 'has 3 cells instead of 2'. */
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
const CELL_END = /,|\r\n|\n|$/y;

/**
 * Reads strict RFC 4180: quotes enclose a whole cell or are doubled inside it, and all rows have as many cells as the first.
 * Also accepts LF as line end and a leading byte order mark. Throws CsvError.
 */
export function readCsv(text: string, maxRows: number): CsvRow[] {
  const rows: CsvRow[] = [];
  let line = 1;
  let position = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
  while (position < text.length) {
    const firstLine = line;
    const cells: string[] = [];
    let separator = ',';
    while (separator === ',') {
      const [cell, quoted] = matchAt(CELL, text, position) as RegExpExecArray; // CELL also matches an empty cell
      line += cell.split('\n').length - 1;
      const end = matchAt(CELL_END, text, position + cell.length);
      if (!end) throw new CsvError(line, 'has a quote or a line end at a place where none is allowed');
      cells.push(quoted === undefined ? cell : quoted.replaceAll('""', '"'));
      separator = end[0];
      position += cell.length + separator.length;
    }
    const width = rows[0]?.cells.length ?? cells.length;
    if (cells.length !== width)
      throw new CsvError(firstLine, `has ${cells.length} cells instead of ${width}`);
    if (rows.length === maxRows) throw new CsvError(firstLine, `exceeds the limit of ${maxRows} lines`);
    rows.push({ line: firstLine, cells });
    line += 1;
  }
  return rows;
}

function matchAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position;
  return pattern.exec(text);
}
