import { IdPipe } from './id.pipe.js';

const pipe = new IdPipe('INVESTMENT_NOT_FOUND');

it('takes a UUID, in lower case from then on', () => {
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
])('finds nothing under %j, which is no UUID', (id) => {
  expect(() => pipe.transform(id)).toThrow(
    expect.objectContaining({ code: 'INVESTMENT_NOT_FOUND', status: 404 }),
  );
});
