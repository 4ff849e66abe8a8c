import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { figuresOfRoutes } from '../fixtures/compared-figures.js';
import { fullStories, stories, type Stories } from '../fixtures/stories.js';
import { AdminComparison } from '../fixtures/story-admin-comparison.js';
import { requireSameFigures } from '../fixtures/story-run.js';
import { isListedAsUncompared } from '../fixtures/uncompared-figures.js';
import { repetitions } from '../harness/repetitions.js';

const USERS_PER_PLATFORM = repetitions(40);
const PLATFORMS = repetitions(2);

const requireSame = (told: Stories) => requireSameFigures(told, (compared) => new AdminComparison(compared));

describe('The figures of a story in answers to admins', () => {
  it('are those that follow from its events, for every kind of event', () => requireSame(fullStories()));

  it('are all compared, except those that are listed with a reason', () => {
    const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
    const { compared, uncompared } = figuresOfRoutes(document, (route) => !route.startsWith('/api/user/'));
    expect(uncompared.filter((figure) => !isListedAsUncompared(figure))).toEqual([]);
    expect(compared.filter(isListedAsUncompared)).toEqual([]);
  });

  it('are those that follow from its events, for random stories', async () => {
    const property = fc.asyncProperty(stories(USERS_PER_PLATFORM), requireSame);
    await fc.assert(property, { numRuns: PLATFORMS, endOnFailure: true });
  }, 600_000);
});
