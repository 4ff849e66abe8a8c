import { SerialQueue } from './serial-queue.js';

/** Work whose runs do not end before the test calls `endRun`, which throws if the run has not started. */
function controllableWork() {
  const started: ((error?: Error) => void)[] = [];
  const work = () =>
    new Promise<void>((resolve, reject) => started.push((error) => (error ? reject(error) : resolve())));
  const endRun = (index: number, error?: Error) => {
    const end = started[index];
    if (!end) throw new Error(`Run ${index} has not started.`);
    end(error);
  };
  return { work, endRun, startedRuns: () => started.length };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('SerialQueue', () => {
  it('starts one further run, after the present one, for all calls during a run', async () => {
    const { work, endRun, startedRuns } = controllableWork();
    const queue = new SerialQueue(work);
    const first = queue.enqueue();
    const second = queue.enqueue();
    const third = queue.enqueue();
    await nextTurn();
    expect(startedRuns()).toBe(1);
    endRun(0);
    await first;
    await nextTurn();
    expect(startedRuns()).toBe(2);
    endRun(1);
    await Promise.all([second, third]);
    await queue.idle();
    expect(startedRuns()).toBe(2);
  });

  it.each([0, 1, 2, 3, 4, 5])(
    'never runs its work twice at the same time if enqueue is called %i microtasks after the end of a run',
    async (microtasks) => {
      let active = 0;
      let maxActive = 0;
      const queue = new SerialQueue(async () => {
        maxActive = Math.max(maxActive, ++active);
        await nextTurn();
        active--;
      });
      const first = queue.enqueue().then(async () => {
        for (let i = 0; i < microtasks; i++) await Promise.resolve();
        await queue.enqueue();
      });
      await Promise.all([first, queue.enqueue()]);
      expect(maxActive).toBe(1);
    },
  );

  it('starts the next run after a run has failed', async () => {
    const { work, endRun, startedRuns } = controllableWork();
    const queue = new SerialQueue(work);
    const first = queue.enqueue();
    const second = queue.enqueue();
    endRun(0, new Error('broken'));
    await expect(first).rejects.toThrow('broken');
    await nextTurn();
    expect(startedRuns()).toBe(2);
    endRun(1);
    await expect(second).resolves.toBeUndefined();
  });
});
