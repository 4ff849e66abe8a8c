import { documentedCodes, faultsOfCatalogue } from './catalogue-coverage.mjs';

const documented = new Map([['INVALID_AMOUNT', 'POST /api/x']]);
const good = {
  catalogue: ['INVALID_AMOUNT'],
  documented,
  seen: new Set(['INVALID_AMOUNT']),
  unreachable: [],
};

describe('Error catalogue coverage', () => {
  it('reports nothing if every documented code was triggered and all other codes are marked as neverReturned', () => {
    const catalogue = ['INVALID_AMOUNT', 'NONCE_EXPIRED'];
    expect(faultsOfCatalogue(good)).toEqual([]);
    expect(faultsOfCatalogue({ ...good, catalogue, unreachable: ['NONCE_EXPIRED'] })).toEqual([]);
  });

  it.each([
    ['a documented code that no test triggered', { seen: new Set<string>() }, /POST \/api\/x, but no test/],
    ['a code that no route has', { catalogue: ['INVALID_AMOUNT', 'OTHER'] }, /OTHER: no route returns it/],
    [
      'a reachable code that is marked as neverReturned',
      { unreachable: ['INVALID_AMOUNT'] },
      /but POST \/api\/x returns it/,
    ],
  ])('reports %s', (_, change, fault) => {
    const faults = faultsOfCatalogue({ ...good, ...change });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(fault);
  });

  it('collects the codes of nested response schemas', () => {
    const refusal = { allOf: [{ properties: { error: { properties: { code: { enum: ['A', 'B'] } } } } }] };
    const responses = { 503: { content: { 'application/json': { schema: { anyOf: [{}, refusal] } } } } };
    const found = documentedCodes({ paths: { '/x': { get: { responses } } } });
    expect([...found]).toEqual([
      ['A', 'GET /x'],
      ['B', 'GET /x'],
    ]);
  });
});
