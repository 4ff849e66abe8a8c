import { DAY_MS } from '../../../../common/durations.js';
import { requireSecondPerson } from './second-person.js';

const NOW = new Date('2026-03-31T10:00:00Z');
const daysAgo = (days: number) => new Date(NOW.getTime() - days * DAY_MS);

/** Why `second` may not decide about a request of `first`. `given`: by account, who has set its first password and how many days ago. */
function reasonOf(
  first: string | null,
  second: string,
  given: Record<string, [by: string, days: number]> = {},
  { unchanged = [] as string[], held = [] as string[], resets = [] as { email: string; by: string }[] } = {},
): string {
  const origins = new Map(
    Object.entries(given).map(([email, [givenBy, days]]) => [
      email,
      { givenBy, givenAt: daysAgo(days), isUnchanged: unchanged.includes(email) },
    ]),
  );
  try {
    requireSecondPerson({ origins, resets, held: new Set(held) }, first, second, NOW);
    return 'accepted';
  } catch (error) {
    return (error as { details: { reason: string } }).details.reason;
  }
}

describe('The second person', () => {
  it('can be any admin except the requester', () => {
    expect(reasonOf('ada', 'ada')).toBe('same-person');
    expect(reasonOf('ada', 'ben')).toBe('accepted');
    expect(reasonOf(null, 'ben')).toBe('accepted');
  });

  it.each([
    ['the requester has set the password of the second person', { ben: ['ada', 29] }],
    ['the second person has set the password of the requester', { ada: ['ben', 29] }],
    ['one admin has set the passwords of both', { ada: ['cal', 1], ben: ['cal', 29] }],
    ['a chain of first passwords links the two', { ben: ['cal', 2], cal: ['dan', 2], dan: ['ada', 2] }],
  ] as const)('is refused if %s within 30 days', (_, given) => {
    expect(reasonOf('ada', 'ben', given as never)).toBe('password-set-by-other');
  });

  it('is accepted 30 days after the password was set', () => {
    expect(reasonOf('ada', 'ben', { ben: ['ada', 30] })).toBe('accepted');
    expect(reasonOf('ada', 'ben', { ben: ['cal', 29], ada: ['cal', 30] })).toBe('accepted');
  });

  it('is not an admin whose second factors the requester has reset, nor the other way round', () => {
    const resets = [{ email: 'ben', by: 'ada' }];
    expect(reasonOf('ada', 'ben', {}, { resets })).toBe('password-set-by-other');
    expect(reasonOf('ben', 'ada', {}, { resets })).toBe('password-set-by-other');
    expect(reasonOf('ada', 'cal', {}, { resets })).toBe('accepted');
  });

  it('is accepted if a chain of first passwords leads back to its beginning and not to the requester', () => {
    expect(reasonOf('ada', 'ben', { ben: ['cal', 1], cal: ['ben', 1] })).toBe('accepted');
  });

  it('is refused until they have replaced the first password that another admin has set, however long ago', () => {
    expect(reasonOf('ada', 'ben', { ben: ['cal', 400] }, { unchanged: ['ben'] })).toBe('first-password');
    expect(reasonOf(null, 'ben', { ben: ['cal', 400] }, { unchanged: ['ben'] })).toBe('first-password');
  });

  it('is not the admin who knows the unreplaced first password of the requester, however old it is', () => {
    expect(reasonOf('ben', 'ada', { ben: ['ada', 400] }, { unchanged: ['ben'] })).toBe(
      'password-set-by-other',
    );
  });

  it('is refused while their own account or that of the requester has a security hold', () => {
    expect(reasonOf('ada', 'ben', {}, { held: ['ben'] })).toBe('new-identity');
    expect(reasonOf('ada', 'ben', {}, { held: ['ada'] })).toBe('new-identity');
    expect(reasonOf('ada', 'ben', {}, { held: ['cal'] })).toBe('accepted');
  });
});
