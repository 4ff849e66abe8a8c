import { IdPipe } from './id.pipe.js';

const pipe = new IdPipe('INVESTMENT_NOT_FOUND');

it('accepts a UUID and converts it to lower case', () => {
  expect(pipe.transform('0198B2F0-5F0E-7CC0-8D6A-0D9F2F6F3B11')).toBe('0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11');
});

it.each([
  '',
  '1',
  'null',
  'balanced-10',
  '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b1',
  "0198b2f0' or '1'='1",
  '../../etc/passwd',
])('answers "not found" for %j, which is not a UUID', (id) => {
  expect(() => pipe.transform(id)).toThrow(
    expect.objectContaining({ code: 'INVESTMENT_NOT_FOUND', status: 404 }),
  );
});
