import { readPdf } from '../../../test/fixtures/pdf-reader.js';
import { writePdfDocument } from './pdf-document.js';

describe('A document as PDF', () => {
  it('draws the notes of a row below its second cell, also if this cell is empty', async () => {
    const rows = [
      { cells: ['1 March', 'Deposit', '5.00'], notes: ['over ERC20'] },
      { cells: ['2 March', '', '7.00'], notes: ['over TRC20'] },
    ];
    const columns = ['Date', 'Text', 'Amount'].map((title) => ({ title, width: 1 }));
    const document = {
      language: 'en',
      title: 'Movements',
      letterhead: { name: 'Platform', lines: [] },
      facts: [],
      writtenAt: new Date('2026-03-03T00:00:00Z'),
      sections: [{ heading: 'March', table: { columns, rows } }],
    } as const;
    const bytes: Buffer[] = [];
    for await (const piece of writePdfDocument(document)) bytes.push(piece);
    const { pages } = await readPdf(new Uint8Array(Buffer.concat(bytes)));
    expect(pages[0]).toEqual(
      expect.arrayContaining(['1 March|Deposit|5.00', 'over ERC20', '2 March|7.00', 'over TRC20']),
    );
  });
});
