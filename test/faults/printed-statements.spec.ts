import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { insertBulkDeposits } from '../fixtures/bulk-deposits.js';
import type { TestUser } from '../fixtures/given.js';
import { readPdf } from '../fixtures/pdf-reader.js';
import { eventually } from '../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

const PATH = '/api/user/statement';
const MAX_GROWTH_BYTES = 50_000_000;
const DAY = '2026-03-02T00:00:00.000Z';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('A long statement to print', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform({
      settings: { REQUEST_SECONDS: '300', LOG_LEVEL: 'silent' },
      at: '2026-03-03T10:00:00.000Z',
    });
  });
  afterAll(() => platform?.stop());

  async function userWithMovements(count: number): Promise<TestUser> {
    const user = await platform.given.user();
    await insertBulkDeposits(platform.env.DATABASE_URL as string, user.id, { count, from: DAY });
    return user;
  }

  const open = (user: TestUser, format: string) =>
    fetch(`${platform.baseUrl}${PATH}?format=${format}`, {
      headers: { authorization: `Bearer ${user.token}` },
    });

  function usedBytes(): number {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  }

  /** The bytes of the file, and by how much the used memory was more than before at most while the file was read. */
  async function readMeasured(user: TestUser, format: string): Promise<{ bytes: Buffer; growth: number }> {
    const chunks: Uint8Array[] = [];
    let growth = 0;
    const before = usedBytes();
    const response = await open(user, format);
    expect(response.status).toBe(200);
    for await (const chunk of response.body as ReadableStream<Uint8Array>) {
      chunks.push(chunk);
      growth = Math.max(growth, usedBytes() - before);
    }
    return { bytes: Buffer.concat(chunks), growth };
  }

  it.each(['pdf', 'html'])('of a thousand movements takes at most 50 MB more as %s', async (format) => {
    const user = await userWithMovements(1000);
    await readMeasured(user, format); // loads the packages and the fonts
    await eventually(async () => expect((await platform.as(user).get(PATH)).status).toBe(200));
    const { bytes, growth } = await readMeasured(user, format);
    expect(growth).toBeLessThan(MAX_GROWTH_BYTES);
    if (format === 'html') {
      const rows = bytes.toString().match(/<tr>/g);
      expect(rows).toHaveLength(1000 + 2 + 3); // of movements, of balances, and the heads of the three tables
    } else {
      const { pages } = await readPdf(new Uint8Array(bytes));
      expect(pages.flat().filter((line) => line.includes('|Deposit of 1.00 USDC|'))).toHaveLength(1000);
    }
  });

  it('is not written as PDF for more than 5,000 movements', async () => {
    const user = await userWithMovements(5001);
    const reply = await platform.as(user).get(`${PATH}?format=pdf`);
    expect(reply).toMatchObject({ status: 400, code: 'INVALID_DATE_RANGE' });
    expect(await (await open(user, 'html')).text()).toContain('Deposit of 1.00 USDC');
  });
});
