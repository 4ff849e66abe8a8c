import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { figuresOfRoutes } from '../fixtures/compared-figures.js';
import { fullStories, stories, type Stories } from '../fixtures/stories.js';
import { UserComparison } from '../fixtures/story-comparison.js';
import { requireSameFigures } from '../fixtures/story-run.js';
import { isListedAsUncompared } from '../fixtures/uncompared-figures.js';
import { repetitions } from '../harness/repetitions.js';

const USERS_PER_PLATFORM = repetitions(60); // with those of figures-of-admins.spec.ts more than 300 histories
const PLATFORMS = repetitions(4);

const requireSame = (told: Stories) => requireSameFigures(told, (compared) => new UserComparison(compared));

describe('The figures of a story in answers to users', () => {
  it('are those that follow from its events, for every kind of event', () => requireSame(fullStories()));

  it('are all compared, except those that are listed with a reason', () => {
    const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
    const { compared, uncompared } = figuresOfRoutes(document, (route) => route.startsWith('/api/user/'));
    expect(uncompared.filter((figure) => !isListedAsUncompared(figure))).toEqual([]);
    expect(compared.filter(isListedAsUncompared)).toEqual([]);
  });

  it('are those that follow from its events, for random stories', async () => {
    const property = fc.asyncProperty(stories(USERS_PER_PLATFORM), requireSame);
    await fc.assert(property, { numRuns: PLATFORMS, endOnFailure: true });
  }, 600_000);
});
