import { isId, newId } from './ids.js';

it('makes UUIDs of version 7, which sort by time', () => {
  const ids = Array.from({ length: 1000 }, newId);
  expect(new Set(ids).size).toBe(1000);
  expect([...ids].sort()).toEqual(ids);
  expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
});

it.each([
  ['0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11', true],
  ['balanced-10', false],
  ['', false],
  [undefined, false],
  [7, false],
])('tells whether %j is an id: %s', (text, expected) => expect(isId(text)).toBe(expected));
