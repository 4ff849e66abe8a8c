import { Turns } from './turns.js';

/** A job that ends when it is told to. */
function heldJob() {
  const ends: ((error?: Error) => void)[] = [];
  const job = () =>
    new Promise<void>((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve())));
  return { job, ends };
}

const soon = () => new Promise((resolve) => setImmediate(resolve));

describe('turns', () => {
  it('run one at a time, and those who ask meanwhile share the next', async () => {
    const { job, ends } = heldJob();
    const turns = new Turns(job);
    const first = turns.take();
    const [second, third] = [turns.take(), turns.take()];
    await soon();
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await first;
    await soon();
    expect(ends).toHaveLength(2);
    ends[1]?.();
    await Promise.all([second, third]);
    await turns.settled();
    expect(ends).toHaveLength(2);
  });

  it('go on after one that failed', async () => {
    const { job, ends } = heldJob();
    const turns = new Turns(job);
    const first = turns.take();
    const second = turns.take();
    ends[0]?.(new Error('broken'));
    await expect(first).rejects.toThrow('broken');
    await soon();
    ends[1]?.();
    await expect(second).resolves.toBeUndefined();
  });
});
