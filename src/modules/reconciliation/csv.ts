/** A row of a table of comma-separated values, and the line of the text where it begins. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Why a text is not the CSV that we take. */
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
 * RFC 4180, strictly: a quote stands around a whole cell or doubled inside of one, and every row has as many cells as
 * the first. Lines may end in LF alone, and a byte order mark may stand in front. Throws CsvError.
 */
export function readCsv(text: string, mostRows: number): CsvRow[] {
  const rows: CsvRow[] = [];
  let line = 1;
  let at = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
  while (at < text.length) {
    const begin = line;
    const cells: string[] = [];
    let end = ',';
    while (end === ',') {
      const [cell, quoted] = matchAt(CELL, text, at) as RegExpExecArray; // an empty cell is one, too
      line += cell.split('\n').length - 1;
      const ending = matchAt(END, text, at + cell.length);
      if (!ending) throw new CsvError(line, 'a quote or a line end stands where none may');
      cells.push(quoted === undefined ? cell : quoted.replaceAll('""', '"'));
      [end] = ending;
      at += cell.length + end.length;
    }
    const width = rows[0]?.cells.length ?? cells.length;
    if (cells.length !== width) throw new CsvError(begin, `has ${cells.length} cells instead of ${width}`);
    if (rows.push({ line: begin, cells }) > mostRows) throw new CsvError(begin, 'is one line too many');
    line += 1;
  }
  return rows;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
