import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { WebSocket } from 'ws';
import { ConnectionsService } from '../../../src/modules/messaging/live/connections.service.js';
import { eventually } from '../../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

// Runs the script of docs/examples/live.html without a browser. test/system/live-page.chromium.spec.ts runs the page in one.

const [, SCRIPT = ''] = /<script type="module">([^]*)<\/script>/.exec(
  readFileSync('docs/examples/live.html', 'utf8'),
) as RegExpExecArray;

/** The elements of the page that its script uses. */
class Page {
  readonly shown: Record<string, { textContent: string }> = {};
  private isClosed = false;
  private timer: NodeJS.Timeout | undefined;
  private readonly form: { onsubmit?: (event: object) => Promise<void> } = {};

  constructor(baseUrl: string) {
    const document = {
      getElementById: (id: string) => (this.shown[id] ??= { textContent: '' }),
      querySelector: () => this.form,
    };
    const location = { search: `?api=${encodeURIComponent(baseUrl)}` };
    const timers = { setTimeout: (callback: () => void, ms: number) => this.startTimer(callback, ms) };
    runInNewContext(SCRIPT, { document, location, URLSearchParams, WebSocket, fetch, ...timers });
  }

  /** The page tries to connect again until it is closed. */
  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  private startTimer(callback: () => void, ms: number): void {
    if (!this.isClosed) this.timer = setTimeout(callback, ms);
  }

  async signIn(email: string): Promise<void> {
    const target = { email: { value: email } };
    await this.form.onsubmit?.({ target, preventDefault: () => undefined });
  }

  waitForBalance = (available: string): Promise<void> =>
    eventually(async () => {
      expect(this.shown.state?.textContent).toBe('live');
      expect(this.shown.available?.textContent).toBe(available);
    });
}

describe('The example page of live delivery', () => {
  let platform: TestPlatform;
  let page: Page;

  beforeAll(async () => {
    platform = await startPlatform();
    page = new Page(platform.baseUrl);
  });
  afterAll(async () => {
    page?.close();
    await platform?.stop();
  });

  it('shows only the balance of the user who has signed in last', async () => {
    const [ann, ben] = [await platform.given.user(), await platform.given.user()];
    const connections = platform.app.get(ConnectionsService);
    await page.signIn(ann.email);
    await platform.given.deposit(ann.id, '75.00');
    await page.waitForBalance('75.00');

    await page.signIn(ben.email);
    await page.waitForBalance('0.00');
    await eventually(async () => expect([...connections.connectionsOf('user', ann.id)]).toEqual([]));
    await platform.given.deposit(ann.id, '10.00');
    await platform.given.deposit(ben.id, '20.00');
    await page.waitForBalance('20.00');

    await page.signIn(ann.email);
    await page.waitForBalance('85.00');
    await eventually(async () => expect([...connections.connectionsOf('user', ben.id)]).toEqual([]));
  });
});
