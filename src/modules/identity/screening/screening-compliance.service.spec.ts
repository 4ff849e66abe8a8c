import { resultFrom } from './screening-compliance.service.js';
import type { StoredVerdict } from './domain/verdict.js';

const storedVerdict = (
  verdict: StoredVerdict['verdict'],
  riskScore: number,
  fields: Partial<StoredVerdict> = {},
) =>
  ({
    id: '1',
    subject: 'user:1',
    verdict,
    riskScore,
    lists: [],
    reference: `of ${verdict}`,
    screenedAt: new Date(0),
    isFresh: true,
    isOutdated: false,
    isAccepted: false,
    acceptedBy: [],
    ...fields,
  }) as StoredVerdict;

/** The checks, the risk level and the reference of the combined result. */
const summary = (...verdicts: (StoredVerdict | undefined)[]) => {
  const { amlChecks, sanctionsList, riskLevel, screeningReference } = resultFrom(verdicts);
  return [amlChecks, sanctionsList, riskLevel, screeningReference];
};

describe('resultFrom', () => {
  it('returns pending without a verdict', () => {
    expect(summary(undefined)).toEqual(['pending', 'pending', 'pending', null]);
    expect(summary(undefined, undefined)).toEqual(['pending', 'pending', 'pending', null]);
  });

  it('returns pending while the only verdict is about a former e-mail address', () => {
    expect(summary(storedVerdict('clear', 5, { isOutdated: true }))).toEqual([
      'pending',
      'pending',
      'pending',
      null,
    ]);
  });

  it.each([
    [0, 'low'],
    [39.99, 'low'],
    [40, 'medium'],
    [69.99, 'medium'],
    [70, 'high'],
    [1000, 'high'],
  ])('rates a risk score of %d as %s', (score, level) => {
    expect(resultFrom([storedVerdict('clear', score)]).riskLevel).toBe(level);
  });

  it('combines the worse verdict, any sanctions list and the higher risk of two verdicts', () => {
    const listed = storedVerdict('blocked', 10, { lists: ['EU-1'] });
    expect(summary(storedVerdict('clear', 50), storedVerdict('review', 5))).toEqual([
      'review',
      'clear',
      'medium',
      'of review',
    ]);
    expect(summary(listed, storedVerdict('review', 80))).toEqual(['blocked', 'listed', 'high', 'of blocked']);
  });

  it('returns a bad result although a verdict is missing, and a good result only with all verdicts', () => {
    expect(summary(storedVerdict('clear', 5), undefined)).toEqual([
      'pending',
      'pending',
      'pending',
      'of clear',
    ]);
    expect(summary(undefined, storedVerdict('blocked', 95, { lists: ['EU-1'] }))).toEqual([
      'blocked',
      'listed',
      'high',
      'of blocked',
    ]);
  });
});
