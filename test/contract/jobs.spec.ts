import { readFileSync } from 'node:fs';
import { Jobs } from '../../src/jobs/jobs.service.js';
import type { JobOptions } from '../../src/jobs/job.decorator.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

interface DocumentedJob {
  name: string;
  runs: string;
  isExclusive: boolean;
  isRunAtStart: boolean;
  purpose: string;
}

function documentedJobs(): DocumentedJob[] {
  const rows = readFileSync('docs/jobs.md', 'utf8').matchAll(
    /^\| ([a-z][a-z-]*) \| (.+) \| (.+) \| (.+) \|$/gm,
  );
  return [...rows].map(([, name = '', runs = '', where, purpose = '']) => {
    return {
      name,
      runs,
      purpose,
      isExclusive: where === 'one process at a time',
      isRunAtStart: runs.endsWith('first at the start'),
    };
  });
}

/** Seconds, the name of the setting with the seconds, or a time of day: `every 10 min` is 600. */
function documentedSchedule(runs: string): number | string | undefined {
  const [, count, unit] = /^every (\d+) (s|min)(, first at the start)?$/.exec(runs) ?? [];
  if (count !== undefined) return Number(count) * (unit === 'min' ? 60 : 1);
  return (
    /^every `(\w+)` s(, first at the start)?$/.exec(runs)?.[1] ??
    /^daily at ([\d:]+) UTC(, first at the start)?$/.exec(runs)?.[1]
  );
}

const scheduleOf = (options: JobOptions) => ('dailyAt' in options ? options.dailyAt : options.everySeconds);

describe('docs/jobs.md', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform();
  });
  afterAll(() => platform?.stop());

  it('lists every job of the running service with its schedule and whether it is exclusive or runs at the start', () => {
    const registered = platform.app.get(Jobs).all.map(({ options }) => options);
    expect(registered.length).toBeGreaterThan(20);
    expect(
      documentedJobs().map(({ runs, ...job }) => ({ ...job, schedule: documentedSchedule(runs) })),
    ).toEqual(
      registered
        .map((options) => ({
          name: options.name,
          isExclusive: options.exclusive === true,
          isRunAtStart: options.atStart === true,
          purpose: options.purpose,
          schedule: scheduleOf(options),
        }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    );
  });
});
