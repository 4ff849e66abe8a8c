import { ConcurrencyLimiter, type QueuedRequest } from './concurrency-limiter.js';

const BOUNDS = { floor: 2, initial: 4, maximum: 8, maxQueued: 3, maxWaitMs: 500 };

describe('ConcurrencyLimiter', () => {
  let limiter: ConcurrencyLimiter;
  let log: string[];

  beforeEach(() => {
    limiter = new ConcurrencyLimiter(BOUNDS);
    log = [];
  });

  const send = (name: string | number, at = 0): QueuedRequest => {
    const request = { start: () => log.push(`${name} starts`), reject: () => log.push(`${name} rejected`) };
    if (limiter.tryAcquire()) request.start();
    else if (limiter.isFull) request.reject();
    else limiter.enqueue(request, at);
    return request;
  };
  const sendMany = (count: number) => Array.from({ length: count }, (_, index) => send(index + 1));

  it('starts requests up to the initial limit, queues some and rejects the rest at once', () => {
    sendMany(8);
    expect(log).toEqual(['1 starts', '2 starts', '3 starts', '4 starts', '8 rejected']);
    expect([limiter.inFlight, limiter.queued, limiter.isFull]).toEqual([4, 3, true]);
  });

  it('starts queued requests in their order when a slot is released', () => {
    sendMany(6);
    limiter.release();
    send(7);
    expect(log.slice(4)).toEqual(['5 starts']);
    limiter.release();
    expect(log.slice(5)).toEqual(['6 starts']);
    expect(limiter.queued).toBe(1);
  });

  it('rejects the requests that have waited for maxWaitMs', () => {
    sendMany(4);
    send('early', 100);
    send('late', 101);
    limiter.adjust(600, 'connections');
    expect(log.slice(4)).toEqual(['early rejected']);
    limiter.release();
    expect(log.slice(5)).toEqual(['late starts']);
  });

  it('does not start a request that was removed from the queue', () => {
    sendMany(4);
    const removed = send('removed');
    send('next');
    limiter.removeQueued(removed);
    limiter.release();
    expect(log.slice(4)).toEqual(['next starts']);
  });

  it('raises the limit step by step up to the maximum while requests wait and no resource is short', () => {
    sendMany(7);
    limiter.adjust(1, undefined); // 4 + 4/8, rounded up
    expect(limiter.inFlight).toBe(5);
    for (const at of [2, 3, 4, 5, 6]) {
      // the limits 6, 7 and 8, the maximum; the queue has space for three
      send(`first at ${at}`, at);
      send(`second at ${at}`, at);
      limiter.adjust(at, undefined);
    }
    expect([limiter.inFlight, limiter.queued]).toEqual([8, 3]);
  });

  it('does not raise the limit while the queue is empty', () => {
    sendMany(3);
    for (const at of [1, 2, 3]) limiter.adjust(at, undefined);
    sendMany(8);
    expect(limiter.inFlight).toBe(4);
  });

  it.each([
    ['connections', 4],
    ['processor', 2],
  ] as const)(
    'lowers the limit by a quarter per step on a shortage of %s, but not below %i',
    (short, lowest) => {
      sendMany(7);
      for (const at of [1, 2, 3]) limiter.adjust(at, undefined); // 5, 6, 7
      expect(limiter.inFlight).toBe(7);
      limiter.adjust(4, short); // 7 × 0.75 = 5.25
      limiter.release();
      limiter.release();
      send('at five', 4);
      expect([limiter.inFlight, limiter.queued]).toEqual([5, 1]);
      for (const at of [5, 6, 7, 8, 9]) limiter.adjust(at, short);
      while (limiter.queued > 0) limiter.release();
      expect(limiter.inFlight).toBe(lowest);
    },
  );
});
