import { Logger } from '@nestjs/common';
import { Repeated } from './repeated.js';

/** Resolves when an interval of a millisecond, begun now, has passed so many times. */
const intervals = (count: number) =>
  new Promise<void>((resolve) => {
    let passed = 0;
    const timer = setInterval(() => {
      passed += 1;
      if (passed < count) return;
      clearInterval(timer);
      resolve();
    }, 1);
  });

describe('Repeated', () => {
  it('goes on after a failure, and waits at the end for the turn that runs', async () => {
    const complaints: unknown[] = [];
    const log = new Logger('test');
    log.warn = (entry: unknown) => complaints.push(entry);
    let turns = 0;
    let finished = 0;
    let third: () => void = () => undefined;
    const thirdTurn = new Promise<void>((resolve) => (third = resolve));
    const repeated = new Repeated(
      async () => {
        turns += 1;
        if (turns === 1) throw new Error('not this time');
        if (turns === 3) third();
        await new Promise((resolve) => setTimeout(resolve, 1));
        finished = turns;
      },
      log,
      'it waits',
    );
    repeated.begin(20);
    await thirdTurn;
    await repeated.end();
    expect(finished).toBe(3);
    expect(complaints).toEqual([{ msg: 'it waits', err: new Error('not this time') }]);
  });

  it('does not begin a turn while the last one runs', async () => {
    let turns = 0;
    let finish: () => void = () => undefined;
    const long = new Promise<void>((resolve) => (finish = resolve));
    const repeated = new Repeated(
      () => {
        turns += 1;
        return long;
      },
      new Logger('test'),
      'it waits',
    );
    repeated.begin(1);
    await intervals(10); // as many turns would have begun
    expect(turns).toBe(1);
    expect(repeated.isEnding).toBe(false);
    const ended = repeated.end();
    expect(repeated.isEnding).toBe(true);
    finish();
    await ended;
    expect(turns).toBe(1);
  });
});
