import { documentedCodes, faultsOfCatalogue } from './error-catalogue.js';

const documented = new Map([['INVALID_AMOUNT', 'POST /api/x']]);
const complete = {
  catalogue: ['INVALID_AMOUNT'],
  documented,
  seen: new Set(['INVALID_AMOUNT']),
  neverReturned: [],
};

describe('Error catalogue coverage', () => {
  it('reports nothing if every documented code was triggered and all other codes are marked as neverReturned', () => {
    const catalogue = ['INVALID_AMOUNT', 'NONCE_EXPIRED'];
    expect(faultsOfCatalogue(complete)).toEqual([]);
    expect(faultsOfCatalogue({ ...complete, catalogue, neverReturned: ['NONCE_EXPIRED'] })).toEqual([]);
  });

  it.each([
    ['a documented code that no test triggered', { seen: new Set<string>() }, /POST \/api\/x, but no test/],
    [
      'a code that no route documents and no test triggered',
      { catalogue: ['INVALID_AMOUNT', 'OTHER'] },
      /OTHER: no route returns it/,
    ],
    [
      'a documented code that is marked as neverReturned',
      { neverReturned: ['INVALID_AMOUNT'] },
      /but POST \/api\/x returns it/,
    ],
  ])('reports %s', (_, change, fault) => {
    const faults = faultsOfCatalogue({ ...complete, ...change });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(fault);
  });

  it('collects the codes of the schemas that responses reference', () => {
    const schema = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    const refusal = {
      allOf: [schema('Failure'), { properties: { error: { oneOf: ['A', 'B_1'].map(schema) } } }],
    };
    const responses = { 503: { content: { 'application/json': { schema: { anyOf: [{}, refusal] } } } } };
    const codes = documentedCodes({ paths: { '/x': { get: { responses } } } });
    expect([...codes]).toEqual([
      ['A', 'GET /x'],
      ['B_1', 'GET /x'],
    ]);
  });
});
