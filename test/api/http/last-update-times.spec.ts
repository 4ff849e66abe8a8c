import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { AppConfig } from '../../../src/config/app-config.js';
import { AdminInvestmentSteps } from '../../fixtures/admin-investments.js';
import { listAdmin } from '../../fixtures/listed-admins.js';
import { eventually } from '../../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startApiWithSettings } from '../../harness/api-with-settings.js';

const START = '2026-03-02T10:00:00.000Z';
const INVESTMENTS = '/api/user/investments';

describe('Times of the last change', () => {
  let platform: TestPlatform;
  let steps: AdminInvestmentSteps;
  beforeEach(async () => {
    platform = await startPlatform({ at: START });
    steps = new AdminInvestmentSteps(platform, await platform.given.admin());
  });
  afterEach(() => platform?.stop());

  it('of an investment are first its creation, from the second midnight on the newest midnight, and in the end its closing', async () => {
    const ann = await platform.given.user().withBalance('1000.00');
    const id = await steps.create(ann, '500.00');
    const lastUpdated = async () => {
      const shown = (await steps.detail(ann, id)).lastUpdated;
      expect((await steps.adminDetail(id)).lastUpdatedAt).toBe(shown);
      return shown;
    };
    expect(await lastUpdated()).toBe(START);
    steps.advanceDays(1);
    expect(await lastUpdated()).toBe(START);
    steps.advanceDays(1);
    expect(await lastUpdated()).toBe('2026-03-04T00:00:00.000Z');
    steps.advanceDays(3);
    expect(await lastUpdated()).toBe('2026-03-07T00:00:00.000Z');
    const summary = (await steps.adminList('/summary')).data;
    expect(summary.performanceStats.lastUpdated).toBe('2026-03-07T00:00:00.000Z');
    await platform.as(ann).delete(`${INVESTMENTS}/${id}`);
    steps.advanceDays(3);
    expect(await lastUpdated()).toBe('2026-03-07T10:00:00.000Z');
  });

  it('in the summary of investments are null without investments', async () => {
    expect((await steps.adminList('/summary')).data.performanceStats.lastUpdated).toBeNull();
  });

  it('of an investment in a suspended strategy stay at the last midnight at which its value changed', async () => {
    const ann = await platform.given.user().withBalance('1000.00');
    const id = await steps.create(ann, '500.00');
    steps.advanceDays(3);
    await steps.detail(ann, id); // a read publishes missing values: those up to 6 March are published before the suspension
    const { url, stop } = await startApiWithSettings(platform, { SUSPENDED_STRATEGIES: 'balanced-10' });
    try {
      steps.advanceDays(4);
      const { status, lastUpdated } = await steps.detail(ann, id, url);
      expect([status, lastUpdated]).toEqual(['paused', '2026-03-06T00:00:00.000Z']);
    } finally {
      await stop();
    }
  });

  it('of an admin are taken from ADMINS_FILE, like the time of creation, and are null if the file has none', async () => {
    const email = 'dated@example.com';
    const times = async () => {
      const { createdAt, updatedAt } = (
        await platform.as(await platform.given.admin('dated')).get('/api/admin/profile')
      ).data;
      return { createdAt, updatedAt };
    };
    await listAdmin(platform, email);
    expect(await times()).toEqual({ createdAt: null, updatedAt: null });
    const file = platform.app.get(AppConfig).ADMINS_FILE;
    const listed = JSON.parse(readFileSync(file, 'utf8')) as { email: string }[];
    const dates = { createdAt: '2025-11-30', updatedAt: '2026-01-15T08:30:00.000Z' };
    const changed = listed.map((admin) => (admin.email === email ? { ...admin, ...dates } : admin));
    writeFileSync(file, JSON.stringify(changed));
    // The service reads the file again if its modification time differs.
    utimesSync(file, new Date(), new Date(Date.now() + 100_000));
    const shown = { ...dates, createdAt: '2025-11-30T00:00:00.000Z' };
    await eventually(async () => expect(await times()).toEqual(shown));
  });
});
