import { readStatementCsv, readStatementObjects } from './statement-reader.js';

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
