import fc from 'fast-check';
import { growth } from '../../../../../test/verification/load/growth.js';
import { CsvError, readCsv, readStatementCsv, readStatementObjects } from './statement-reader.js';

const RANGE = { from: '2026-03-02', to: '2026-03-02' };
const LINE = { reference: 'A', amount: '1.50', currency: 'USDC', direction: 'in', date: '2026-03-02' };

describe('readStatementObjects', () => {
  it.each([
    ['absent', {}],
    ['null', { txHash: null, network: null, status: null }],
  ])('takes a line whose optional fields are %s as settled, without hash and network', (_, fields) => {
    expect(readStatementObjects([{ ...LINE, ...fields }], 'custody', RANGE)).toMatchObject([
      { line: 1, reference: 'A', status: 'settled', txHash: null, network: null },
    ]);
  });

  it('rejects null for a required field and an unknown status', () => {
    const lines = [
      { ...LINE, amount: null },
      { ...LINE, status: 'perhaps' },
    ];
    expect(() => readStatementObjects(lines, 'custody', RANGE)).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        details: {
          fields: [
            { line: 1, field: 'amount', message: 'is missing' },
            { line: 2, field: 'status', message: expect.stringContaining('must be one of') as string },
          ],
        },
      }),
    );
  });
});

describe('readStatementCsv', () => {
  it('takes an empty cell of an optional column as absent', () => {
    const csv = 'reference,amount,currency,direction,date,status\nA,1.50,USDC,in,2026-03-02,\n';
    expect(readStatementCsv(csv, 'custody', RANGE)).toMatchObject([{ line: 2, status: 'settled' }]);
  });
});

/** Quotes a cell only where RFC 4180 requires it. */
const quoteCell = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

describe('readCsv', () => {
  it('returns the cells that were written, and the line at which each row begins', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', ' ', '"', ',', '\r\n', '\n', '=', '\uFEFF', 'é') });
    const table = fc
      .integer({ min: 2, max: 4 })
      .chain((width) =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 6 }),
      );
    fc.assert(
      fc.property(table, fc.constantFrom('\r\n', '\n'), fc.boolean(), (rows, lineEnd, hasFinalLineEnd) => {
        const rowTexts = rows.map((cells) => cells.map(quoteCell).join(','));
        const text = `\uFEFF${rowTexts.join(lineEnd)}${hasFinalLineEnd ? lineEnd : ''}`;
        const read = readCsv(text, rows.length);
        expect(read.map(({ cells }) => cells)).toEqual(rows);
        let nextLine = 1;
        for (const [index, rowText] of rowTexts.entries()) {
          expect(read[index]?.line).toBe(nextLine);
          nextLine += rowText.split('\n').length; // a quoted cell can have several lines
        }
      }),
    );
  });

  it.each<[string, string, number]>([
    ['a quoted cell without a closing quote', 'a,b\n"c,d', 2],
    ['text after a quoted cell', 'a,b\n"c"d,e', 2],
    ['a quote inside a plain cell', 'a,b\nc"d",e', 2],
    ['a lone carriage return', 'a,b\rc,d', 1],
    ['a row that is too short after a cell with three lines', 'a,b\n"1\n2\n3",4\n5', 5],
    ['a row that is too long', 'a,b\n1,2,3', 2],
    ['an empty line', 'a,b\n\nc,d', 2],
    ['more rows than the limit', 'a\nb\nc\nd', 4],
  ])('rejects %s', (_, text, line) => {
    expect(() => readCsv(text, 3)).toThrow(expect.objectContaining({ constructor: CsvError, line }));
  });

  it('takes time proportional to the length of the text', () => {
    const readUnclosedQuote = (count: number) => {
      const text = `a,b\n"${'""'.repeat(5 * count)}",1\n"${'x,'.repeat(count)}`;
      expect(() => readCsv(text, 10)).toThrow(CsvError);
    };
    expect(growth(readUnclosedQuote, 10_000, 40)).toBeLessThan(400); // linear time gives 40, quadratic time 1,600
  });
});
