import { Logger } from '@nestjs/common';
import { MINUTE_MS } from '../../../src/common/durations.js';
import { toSlaReportResponse } from '../../../src/modules/operations/sla/sla.mapper.js';
import { RequestMinutesJob, SlaService } from '../../../src/modules/operations/sla/sla.service.js';
import type { TestUser } from '../../fixtures/given.js';
import { WithdrawalSteps } from '../../fixtures/withdrawals.js';
import { sendRequest } from '../../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { fewestQueriesDuring } from '../../harness/queries.js';
import { startReplicaWithoutPort, startReplica } from '../../harness/replica.js';

// The newest inserted minute is 10:00 of this day. The process itself stores minutes of real time, which are later.
const NOW = new Date('2026-03-02T10:00:30.000Z');

describe('Service levels', () => {
  let platform: TestPlatform;
  let sla: SlaService;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { FOUR_EYES: 'off', LOG_SEAL_SECONDS: '3600' } }); // proofs stay pending
    sla = platform.app.get(SlaService);
  });
  afterAll(() => platform?.stop());

  const minutesJob = () => platform.app.get(RequestMinutesJob);
  const anonymous = (path: string, url?: string) => platform.as(null, url).get(path);
  /** Stores the requests that were counted so far, and deletes all stored counts. */
  const startCounting = async () => {
    await platform.runJob('request-minutes');
    await platform.dataSource.query('delete from sla_minute');
  };

  describe('of real requests', () => {
    /** Returns the status of a request whose table is missing. */
    const failRequest = async (user: TestUser) => {
      await platform.dataSource.query('alter table notification rename to notification_away');
      const { status } = await platform.as(user).get('/api/user/notifications');
      await platform.dataSource.query('alter table notification_away rename to notification');
      return status;
    };
    const storeAndReadCounts = async () => {
      await platform.runJob('request-minutes');
      return (await anonymous('/api/sla/error-rate')).data as {
        totalRequests: number;
        failedRequests: number;
      };
    };

    it('count requests that reached a route, and their failures', async () => {
      const user = await platform.given.user();
      const before = await storeAndReadCounts();
      for (let i = 0; i < 7; i++) await platform.as(user).get('/api/user/balance');
      await platform.as(user).get('/api/user/withdrawals?status=nonsense'); // 400 is not a failure
      expect(await failRequest(user)).toBe(500);
      const after = await storeAndReadCounts();
      // seven balances, one rejection, one failure, and the request of the first storeAndReadCounts
      expect(after.totalRequests - before.totalRequests).toBe(7 + 1 + 1 + 1);
      expect(after.failedRequests - before.failedRequests).toBe(1);
    });

    it('do not count paused withdrawals and pending proofs as failures, and the log has no error about them', async () => {
      const user = await platform.given.user().withBalance('100.00');
      const admin = await platform.given.admin();
      const withdrawals = new WithdrawalSteps(platform, admin);
      const [{ id }] = (await platform.as(user).get('/api/user/transactions')).data;
      const errors = jest.spyOn(Logger.prototype, 'error');
      await platform.as(admin).post('/api/admin/integrity/pause', { reason: 'Test' });
      const before = await storeAndReadCounts();
      const pending = await platform.as(user).get(`/api/user/transactions/${id}/proof`);
      const paused = await withdrawals.request(user, '10.00');
      const after = await storeAndReadCounts();
      await platform.as(admin).post('/api/admin/integrity/resume', { reason: 'Test' });
      expect([pending.status, pending.code]).toEqual([503, 'PROOF_PENDING']);
      expect([paused.status, paused.code]).toEqual([503, 'WITHDRAWALS_PAUSED']);
      // the two requests, and that of the first storeAndReadCounts
      expect(after.totalRequests - before.totalRequests).toBe(3);
      expect(after.failedRequests - before.failedRequests).toBe(0);
      expect(JSON.stringify(errors.mock.calls)).not.toMatch(/PROOF_PENDING|WITHDRAWALS_PAUSED/);
      errors.mockRestore();
    });

    it('do not count probes, metrics, documents and unknown routes', async () => {
      const before = await storeAndReadCounts();
      for (const path of [
        '/api/ping',
        '/api/health/live',
        '/api/health/ready',
        '/api/openapi.json',
        '/api/nothing',
      ])
        await sendRequest(platform.baseUrl + path);
      await sendRequest(`${platform.baseUrl}/metrics`);
      const after = await storeAndReadCounts();
      expect(after.totalRequests - before.totalRequests).toBe(1); // the request of the first storeAndReadCounts
    });

    it('contain the promised targets and the figures of the counted requests', async () => {
      await startCounting();
      const user = await platform.given.user();
      for (let i = 0; i < 10; i++) await platform.as(user).get('/api/user/balance');
      await failRequest(user);
      await platform.runJob('request-minutes');
      const paths = ['status', 'report', 'metrics', 'availability', 'response-times', 'error-rate'];
      const [status, report, metrics, availability, times, errors] = await Promise.all(
        paths.map(async (path) => (await anonymous(`/api/sla/${path}`)).data),
      );
      expect(report.targets).toEqual({
        availability: 99.9,
        maxErrorRate: 0.1,
        p95ResponseTime: 2000,
        p99ResponseTime: 5000,
      });
      expect(report.period.durationDays).toBe(30);
      expect(report.summary.totalRequests).toBeGreaterThan(10);
      expect(metrics.responseTimeP95).toMatch(/^\d+ms$/);
      expect(times).toMatchObject({ slaTargetP95Ms: 2000, slaTargetP99Ms: 5000 });
      expect(times.responseTimeP99).toBe(`${times.responseTimeP99Ms}ms`);
      expect(availability.slaTarget).toBe(99.9);
      expect(availability.uptimeSeconds % 60).toBe(0);
      expect(errors.slaTarget).toBe(0.1);
      expect(status).toMatchObject({ status: 'critical', healthy: false }); // one of about twelve requests failed
      expect(status.breaches).toContainEqual(
        expect.stringMatching(/^The error rate is .* percent; the target is at most 0\.1/),
      );
    });

    it('need at most two statements', async () => {
      for (const [path, most] of [
        ['report', 2],
        ['status', 1],
        ['metrics', 1],
      ] as const) {
        const statements = await fewestQueriesDuring(() => anonymous(`/api/sla/${path}`));
        expect(statements.length).toBeLessThanOrEqual(most);
      }
    });
  });

  describe('of several processes', () => {
    it('are added up, also when stored concurrently', async () => {
      const second = await startReplicaWithoutPort(platform);
      const jobs = [minutesJob(), second.get(RequestMinutesJob)];
      await startCounting();
      for (let round = 0; round < 20; round++) {
        for (const job of jobs)
          job.countRequest({
            method: 'GET',
            route: '/x',
            status: round === 0 ? 503 : 200,
            milliseconds: 1,
            isComplete: true,
            isFailure: round === 0,
            isAnonymousRefusal: false,
            principalId: null,
            trace: undefined,
          });
        await Promise.all(jobs.map((job) => job.storeMinutes()));
      }
      const { data } = await anonymous('/api/sla/error-rate');
      expect(data.totalRequests).toBe(20 * 2);
      expect(data.failedRequests).toBe(2);
    });

    it('include the requests of a process that ended', async () => {
      const ending = await startReplicaWithoutPort(platform);
      await ending.listen(0, '127.0.0.1');
      await startCounting();
      const url = await ending.getUrl();
      for (let i = 0; i < 3; i++) await anonymous('/api/deposits/status', url);
      await ending.close();
      const laterUrl = await startReplica(platform); // a process that did not run at the same time
      expect((await anonymous('/api/sla/error-rate', laterUrl)).data.totalRequests).toBe(3);
    });

    it('survive an unavailable database: requests are stored later, and minutes without a report are downtime', async () => {
      await startCounting();
      const minutesAgo = (count: number) => new Date(NOW.getTime() - count * MINUTE_MS);
      const request = {
        method: 'GET',
        route: '/x',
        milliseconds: 1,
        isComplete: true,
        isFailure: true,
        isAnonymousRefusal: false,
        principalId: null,
        trace: undefined,
      };
      await minutesJob().storeMinutes(minutesAgo(3));
      minutesJob().countRequest({ ...request, status: 503 }, minutesAgo(2));
      await platform.dataSource.query('alter table sla_minute rename to sla_minute_away');
      await expect(minutesJob().storeMinutes(minutesAgo(2))).rejects.toThrow();
      await expect(minutesJob().storeMinutes(minutesAgo(1))).rejects.toThrow();
      await platform.dataSource.query('alter table sla_minute_away rename to sla_minute');
      await minutesJob().storeMinutes(minutesAgo(0));
      const { summary, incidents } = toSlaReportResponse(await sla.getReport(NOW));
      expect(summary).toMatchObject({
        totalRequests: 1,
        failedRequests: 1,
        uptime: '2m 0s', // 3 minutes ago and now
        downtime: '2m 0s',
      });
      expect(incidents).toEqual([
        {
          timestamp: '2026-03-02T09:58:00.000Z',
          duration: '2m 0s',
          impact: 'The service was down for 2m 0s; 1 of 1 requests failed.',
          affected: ['availability'],
          resolved: true,
        },
      ]);
    });
  });
});
