import { MINUTE_MS } from '../../../src/common/durations.js';
import { Jobs } from '../../../src/jobs/jobs.service.js';
import { BOUNDS_MS, bucketOf, emptyHistogram } from '../../../src/modules/operations/sla/domain/histogram.js';
import {
  toSlaAvailabilityResponse,
  toSlaErrorRateResponse,
  toSlaMetricsResponse,
  toSlaReportResponse,
  toSlaResponseTimesResponse,
  toSlaStatusResponse,
} from '../../../src/modules/operations/sla/sla.mapper.js';
import { SlaRepository } from '../../../src/modules/operations/sla/sla.repository.js';
import { RequestMinutesJob, SlaService } from '../../../src/modules/operations/sla/sla.service.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { fewestQueriesDuring } from '../../harness/queries.js';
import { SEED, SeededRandom } from '../../harness/seeded-random.js';

// The newest inserted minute is 10:00 of this day. The process itself stores minutes of real time, which are later.
const NOW = new Date('2026-03-02T10:00:30.000Z');

const MINUTES_PER_DAY = 1440;

/** The minute that began `ago` minutes before 10:00; `milliseconds` is the duration of each of its requests. */
interface Minute {
  ago: number;
  requests?: number;
  failures?: number;
  milliseconds?: number;
}

describe('The service level of inserted minutes', () => {
  let platform: TestPlatform;
  let sla: SlaService;

  beforeAll(async () => {
    platform = await startPlatform();
    await platform.app.get(Jobs).get('request-minutes').end(); // so that only the tests insert minutes
    sla = platform.app.get(SlaService);
  });
  afterAll(() => platform?.stop());

  const minutesJob = () => platform.app.get(RequestMinutesJob);
  const lastDay = async <R>(map: (period: Parameters<typeof toSlaStatusResponse>[0]) => R) =>
    map(await sla.getLastDay(NOW));
  const report = async () => toSlaReportResponse(await sla.getReport(NOW));

  async function insertMinutes(...minutes: Minute[]): Promise<void> {
    for (const { ago, requests = 0, failures = 0, milliseconds = 5 } of minutes) {
      const histogram = emptyHistogram();
      histogram[bucketOf(milliseconds)] = requests;
      await platform.dataSource.query('insert into sla_minute values ($1, $2, $3, $4)', [
        new Date(Math.floor(NOW.getTime() / MINUTE_MS) * MINUTE_MS - ago * MINUTE_MS),
        requests,
        failures,
        histogram,
      ]);
    }
  }

  /** Inserts minutes without requests, from `ago` minutes before 10:00 to 10:00, except those whose `ago` is in `except`. */
  const insertIdleMinutes = (ago: number, ...except: number[]) => {
    const all = Array.from({ length: ago + 1 }, (_, index) => ({ ago: index }));
    return insertMinutes(...all.filter((minute) => !except.includes(minute.ago)));
  };

  beforeEach(() => platform.dataSource.query('delete from sla_minute'));

  it('has percentiles that agree with the exact ones within a bucket width', async () => {
    const random = new SeededRandom(SEED);
    // The Box-Muller transform makes a normal number of two uniform ones.
    const normal = () => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
    const durations = Array.from({ length: 5000 }, () => Math.exp(2 + 1.5 * normal())); // log-normal
    for (const [index, milliseconds] of durations.entries())
      minutesJob().countRequest(
        {
          method: 'GET',
          route: '/x',
          status: 200,
          milliseconds,
          isComplete: true,
          isFailure: false,
          isAnonymousRefusal: false,
          principalId: null,
          trace: undefined,
        },
        new Date(NOW.getTime() - (index % 30) * MINUTE_MS),
      );
    await minutesJob().storeMinutes(NOW);
    durations.sort((a, b) => a - b);
    const figures = await lastDay(toSlaResponseTimesResponse);
    expect(figures.totalRequests).toBe(5000);
    for (const percent of [50, 95, 99] as const) {
      const exact = durations[(5000 * percent) / 100 - 1] as number;
      const returned = Number(figures[`responseTimeP${percent}Ms`]);
      expect(returned / exact).toBeGreaterThan(1 / 1.36); // the upper bound of a bucket is 1.357 times its lower one
      expect(returned / exact).toBeLessThan(1.36);
    }
  });

  it.each([
    [1999, 2000, true],
    [2001, 2714, false], // the next bound: 2000 ms × the cube root of 2.5
  ])('shows a P95 of %s ms as at most %s ms, target met: %s', async (milliseconds, maximum, isMet) => {
    await insertMinutes({ ago: 0, requests: 100, milliseconds });
    const { compliance } = await report();
    expect((await lastDay(toSlaResponseTimesResponse)).responseTimeP95Ms).toBeLessThanOrEqual(maximum);
    expect(compliance?.responseTimeP95).toBe(isMet);
  });

  it('has the response-time targets as bounds of its 35 buckets', () => {
    expect(BOUNDS_MS).toEqual(expect.arrayContaining([2000, 5000])); // so that comparisons with them are exact
    expect(emptyHistogram()).toHaveLength(35); // the length of the arrays in the database
  });

  it('shows 100 percent availability and a full day of uptime if no minute is missing', async () => {
    await insertIdleMinutes(1500);
    expect(await lastDay(toSlaAvailabilityResponse)).toEqual({
      availability: 100,
      uptime: '1d 0h 0m 0s',
      uptimeSeconds: 86_400,
      timestamp: NOW.toISOString(),
      measuredMinutes: 1440,
      slaTarget: 99.9,
      meetsSLA: true,
    });
  });

  it('counts a minute without a process, or with mostly failed requests, as downtime', async () => {
    await insertIdleMinutes(999, 500, 499, 10);
    await insertMinutes({ ago: 10, requests: 3, failures: 2 });
    // 1,000 minutes since the first one, of which three are down: 99.7 %
    expect(await lastDay(toSlaAvailabilityResponse)).toMatchObject({
      availability: 99.7,
      uptime: '16h 37m 0s',
      meetsSLA: false,
    });
    expect(await lastDay(toSlaStatusResponse)).toMatchObject({
      status: 'critical',
      breaches: [
        'Availability is 99.7 percent; the target is at least 99.9 percent.',
        'The error rate is 66.6667 percent; the target is at most 0.1 percent.',
      ],
    });
  });

  it('does not count a minute with half of its requests failed as downtime, and warns at one failure in 250', async () => {
    await insertIdleMinutes(100, 3, 2);
    await insertMinutes({ ago: 3, requests: 2, failures: 1 }, { ago: 2, requests: 248 });
    expect(await lastDay(toSlaAvailabilityResponse)).toMatchObject({ availability: 100 });
    // 1 / 250 = 0.4 %; from 1 % on the status is critical
    expect(await lastDay(toSlaStatusResponse)).toMatchObject({ status: 'warning', healthy: false });
  });

  it('counts the current minute as soon as a process reported in it', async () => {
    await insertMinutes({ ago: 2 }, { ago: 1 });
    expect(await lastDay(toSlaAvailabilityResponse)).toMatchObject({ availability: 100, uptime: '2m 0s' });
    await insertMinutes({ ago: 0 });
    expect(await lastDay(toSlaAvailabilityResponse)).toMatchObject({ availability: 100, uptime: '3m 0s' });
  });

  it('has neither uptime nor downtime without measurements', async () => {
    const { summary, incidents } = await report();
    expect(summary).toMatchObject({
      availability: null,
      measuredMinutes: 0,
      uptime: '0s',
      downtime: '0s',
      errorRate: null,
      totalRequests: 0,
    });
    expect(incidents).toEqual([]);
  });

  it('has the status unknown and no compliance until the first request was counted', async () => {
    const expectUnknown = async () => {
      expect(await lastDay(toSlaStatusResponse)).toMatchObject({
        status: 'unknown',
        breaches: [],
        healthy: false,
      });
      expect((await report()).compliance).toBeNull();
      const none = { responseTimeP50: null, responseTimeP95: null, responseTimeP99: null };
      expect(await lastDay(toSlaMetricsResponse)).toMatchObject({ errorRate: null, ...none });
      expect(await lastDay(toSlaResponseTimesResponse)).toMatchObject({
        ...none,
        responseTimeP50Ms: null,
        responseTimeP95Ms: null,
        responseTimeP99Ms: null,
        meetsSLA: null,
        totalRequests: 0,
      });
      expect(await lastDay(toSlaErrorRateResponse)).toMatchObject({ errorRate: null, meetsSLA: null });
    };
    await expectUnknown();
    expect(await lastDay(toSlaAvailabilityResponse)).toMatchObject({
      availability: null,
      measuredMinutes: 0,
      meetsSLA: null,
    });
    await insertMinutes({ ago: 1 }); // a process ran without requests
    await expectUnknown();
    expect(await lastDay(toSlaMetricsResponse)).toMatchObject({ availability: 100, measuredMinutes: 1 });
    await insertMinutes({ ago: 0, requests: 1 }); // in the current minute
    expect(await lastDay(toSlaStatusResponse)).toMatchObject({ status: 'healthy', healthy: true });
    const { summary, compliance } = await report();
    expect(summary).toMatchObject({ availability: 100, measuredMinutes: 2, errorRate: 0 });
    expect(compliance).toMatchObject({ availability: true, errorRate: true, overallCompliance: true });
  });

  it.each(['availability', 'metrics', 'report'])(
    'has no availability in %s before a minute was measured',
    async (path) => {
      const read = async () => {
        const { status, data } = await platform.as(null).get(`/api/sla/${path}`);
        expect(status).toBe(200);
        return path === 'report' ? data.summary : data;
      };
      expect(await read()).toMatchObject({ availability: null, measuredMinutes: 0 });
      const minutesToRealTime = Math.floor((Date.now() - NOW.getTime()) / MINUTE_MS); // the routes use real time
      await insertMinutes({ ago: 1 - minutesToRealTime, requests: 10 });
      expect((await read()).availability).toBeGreaterThan(0);
    },
  );

  it('lists consecutive minutes that missed a target as one incident, newest first', async () => {
    await insertIdleMinutes(60, 50, 49, 48, 30, 20, 10, 0);
    await insertMinutes(
      { ago: 30, requests: 1000, failures: 1 }, // exactly the allowed 0.1 %
      { ago: 20, requests: 9, failures: 4 }, // too few requests for a rate
      { ago: 10, requests: 500, failures: 1, milliseconds: 2500 },
      { ago: 0, requests: 20, failures: 19 },
    );
    const { incidents } = await report();
    expect(incidents).toEqual([
      {
        timestamp: '2026-03-02T10:00:00.000Z',
        duration: '1m 0s',
        impact: 'The service was down for 1m 0s; 19 of 20 requests failed.',
        affected: ['availability', 'errorRate'],
        resolved: false,
      },
      {
        timestamp: '2026-03-02T09:50:00.000Z',
        duration: '1m 0s',
        impact: '1 of 500 requests failed; requests took longer than 2000 ms.',
        affected: ['errorRate', 'responseTimeP95'],
        resolved: true,
      },
      {
        timestamp: '2026-03-02T09:10:00.000Z',
        duration: '3m 0s',
        impact: 'The service was down for 3m 0s.',
        affected: ['availability'],
        resolved: true,
      },
    ]);
  });

  it('lists at most a hundred incidents', async () => {
    // The 149 minutes between these are missing; each is an incident.
    await insertMinutes(...Array.from({ length: 150 }, (_, index) => ({ ago: 2 * index })));
    const { incidents } = await report();
    expect(incidents).toHaveLength(100);
    expect(incidents[0]?.timestamp).toBe('2026-03-02T09:59:00.000Z');
  });

  it('provides the uptime of the admin dashboard for its period', async () => {
    // The last 1,000 minutes of real time without one of them; the domain clock shows another time.
    await platform.dataSource.query(
      `insert into sla_minute select date_trunc('minute', now()) - make_interval(mins => ago), 0, 0, array_fill(0, array[35])
         from generate_series(0, 999) as ago where ago <> 500`,
    );
    platform.clock.moveTo(NOW);
    const admin = await platform.given.admin();
    const { data } = await platform.as(admin).get('/api/admin/dashboard/stats?period=24h');
    expect(data.performance).toMatchObject({ platformUptime: 99.9, measuredMinutes: 1000 });
    expect(await sla.getUptime(new Date('2020-01-01'), new Date('2020-02-01'))).toEqual({
      percent: null,
      measuredMinutes: 0,
    });
  });

  it('stores minutes for ninety days', async () => {
    await insertMinutes({ ago: 90 * MINUTES_PER_DAY }, { ago: 90 * MINUTES_PER_DAY - 1 }, { ago: 0 });
    await platform.app.get(SlaRepository).deleteOldMinutes(NOW);
    const [{ count }] = await platform.dataSource.query('select count(*)::int from sla_minute');
    expect(count).toBe(2); // all but 10:00 ninety days ago, which is ninety days and 30 seconds before NOW
  });

  it('needs two statements for thirty days of minutes', async () => {
    await platform.dataSource.query(
      `insert into sla_minute select at, 50, 0, array_fill(1, array[35]) from generate_series($1::timestamptz - interval '30 days', $1, '1 minute') as at`,
      ['2026-03-02T10:00:00.000Z'],
    );
    const { summary } = await report();
    const statements = await fewestQueriesDuring(report);
    expect(summary).toMatchObject({ totalRequests: 30 * MINUTES_PER_DAY * 50, uptime: '30d 0h 0m 0s' });
    expect(statements).toHaveLength(2); // the figures and the incidents
  });
});
