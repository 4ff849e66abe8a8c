import { SerialQueue } from './serial-queue.js';

/** Work whose runs end when the test ends them. */
function heldWork() {
  const ends: ((error?: Error) => void)[] = [];
  const work = () =>
    new Promise<void>((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve())));
  return { work, ends };
}

const soon = () => new Promise((resolve) => setImmediate(resolve));

describe('SerialQueue', () => {
  it('runs its work once at a time, and callers who ask during a run share the next one', async () => {
    const { work, ends } = heldWork();
    const queue = new SerialQueue(work);
    const first = queue.enqueue();
    const [second, third] = [queue.enqueue(), queue.enqueue()];
    await soon();
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await first;
    await soon();
    expect(ends).toHaveLength(2);
    ends[1]?.();
    await Promise.all([second, third]);
    await queue.idle();
    expect(ends).toHaveLength(2);
  });

  it.each([0, 1, 2, 3, 4, 5])(
    'runs once at a time when a caller asks again %i microtasks after the end of a run',
    async (microtasks) => {
      let [active, most] = [0, 0];
      const queue = new SerialQueue(async () => {
        most = Math.max(most, ++active);
        await soon();
        active--;
      });
      const first = queue.enqueue().then(async () => {
        for (let i = 0; i < microtasks; i++) await Promise.resolve();
        await queue.enqueue();
      });
      await Promise.all([first, queue.enqueue()]);
      expect(most).toBe(1);
    },
  );

  it('continues after a failed run', async () => {
    const { work, ends } = heldWork();
    const queue = new SerialQueue(work);
    const first = queue.enqueue();
    const second = queue.enqueue();
    ends[0]?.(new Error('broken'));
    await expect(first).rejects.toThrow('broken');
    await soon();
    ends[1]?.();
    await expect(second).resolves.toBeUndefined();
  });
});
