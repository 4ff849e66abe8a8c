import { scrubbed } from './json-logger.js';

const SECRETS = [
  'Bearer abcdef.123456',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
  'whsec_c2FuZGJveC1jdXN0b2R5',
  'postgres://platform:hunter2@db.internal/platform',
  'redis://:hunter2@cache.internal',
  'ann.example+tag@example.org',
];

it.each(SECRETS)('%s does not reach a log', (secret) => {
  const line = scrubbed(`before ${secret} between ${secret} after`);
  expect(line).not.toContain(secret);
  expect(line).not.toContain('hunter2');
  expect(line).toMatch(/^before .* between .* after$/);
});

it('leaves everything else as it is', () => {
  const line = 'GET /api/user/investments/:id: INTERNAL_SERVER_ERROR after 12.5 ms';
  expect(scrubbed(line)).toBe(line);
});
