import { documentedCodes, faultsOfCatalogue } from './catalogue-coverage.mjs';

const documented = new Map([['INVALID_AMOUNT', 'POST /api/x']]);
const good = {
  catalogue: ['INVALID_AMOUNT'],
  documented,
  seen: new Set(['INVALID_AMOUNT']),
  unreachable: {},
};

describe('The coverage of the catalogue', () => {
  it('finds nothing where every documented code was provoked, and the others are explained', () => {
    const catalogue = ['INVALID_AMOUNT', 'NONCE_EXPIRED'];
    expect(faultsOfCatalogue(good)).toEqual([]);
    expect(faultsOfCatalogue({ ...good, catalogue, unreachable: { NONCE_EXPIRED: 'not yet' } })).toEqual([]);
  });

  it.each([
    [
      'a documented code that no test has provoked',
      { seen: new Set<string>() },
      /POST \/api\/x, but no test/,
    ],
    ['a code that no route has', { catalogue: ['INVALID_AMOUNT', 'OTHER'] }, /OTHER: no route answers it/],
    [
      'a listed code that is reachable',
      { unreachable: { INVALID_AMOUNT: 'no' } },
      /but POST \/api\/x answers it/,
    ],
    ['a listed code that is gone', { unreachable: { GONE: 'no' } }, /GONE: .* not in the catalogue/],
  ])('finds %s', (_, change, fault) => {
    const faults = faultsOfCatalogue({ ...good, ...change });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(fault);
  });

  it('reads codes wherever they stand in a response', () => {
    const refusal = { allOf: [{ properties: { error: { properties: { code: { enum: ['A', 'B'] } } } } }] };
    const responses = { 503: { content: { 'application/json': { schema: { anyOf: [{}, refusal] } } } } };
    const found = documentedCodes({ paths: { '/x': { get: { responses } } } });
    expect([...found]).toEqual([
      ['A', 'GET /x'],
      ['B', 'GET /x'],
    ]);
  });
});
