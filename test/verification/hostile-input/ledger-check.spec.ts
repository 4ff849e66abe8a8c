import { ledgerErrors, type LedgerSnapshot, type Sent } from './ledger-check.js';
import type { Operation } from './operations.js';

const PUT_OPERATION: Operation = {
  name: 'PUT /api/things/{id}',
  method: 'PUT',
  path: '/api/things/{id}',
  inPath: ['id'],
  inQuery: [],
  body: undefined,
  isKeyed: false,
  caller: 'user',
};

describe('The check of the ledger', () => {
  const ledger = (state: string, ...references: string[]): LedgerSnapshot => ({
    state,
    posted: new Map(
      references.map((reference) => [reference, { id: reference, type: 'investment', reference }]),
    ),
  });
  const sent = (status: number, text: string): Sent => ({
    request: {
      number: 0,
      attack: '',
      operation: PUT_OPERATION,
      as: 'rich',
      method: 'PUT',
      target: '/api/things/7',
      headers: [],
    },
    outcome: { answers: [{ status, headers: [], text }], milliseconds: 1 },
  });

  const asGet = ({ request, outcome }: Sent): Sent => ({
    request: { ...request, operation: { ...PUT_OPERATION, method: 'GET' } },
    outcome,
  });

  it('reports nothing for an unchanged ledger or a posting of an accepted request', () => {
    expect(ledgerErrors(ledger('1'), ledger('1'), [sent(400, '')])).toEqual({
      faults: [],
      isUnchanged: true,
    });
    const { faults } = ledgerErrors(ledger('1'), ledger('2', 'w-1'), [sent(201, '{"data":{"id":"w-1"}}')]);
    expect(faults).toEqual([]);
  });

  it.each([
    ['a posting of a refused request', ledger('2', 'w-1'), sent(400, '{"data":{"id":"w-1"}}')],
    [
      'a posting of a record that the response does not name',
      ledger('2', 'w-2'),
      sent(201, '{"data":{"id":"w-1"}}'),
    ],
    ['a changed balance without a posting', ledger('2'), sent(400, '')],
    ['a posting of a GET request', ledger('2', 'w-1'), asGet(sent(200, '{"data":{"id":"w-1"}}'))],
  ])('reports %s', (_, after, request) => {
    expect(ledgerErrors(ledger('1'), after, [request]).faults).toHaveLength(1);
  });
});
