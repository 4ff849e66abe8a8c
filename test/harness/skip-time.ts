const realDateNow = Date.now;
const realPerformanceNow = performance.now.bind(performance);
let aheadMs = 0;

/**
 * Moves the real clocks of this process ahead until the end of the spec file, so that caches expire without a wait.
 * Timers and the database keep their time; the domain's time is `platform.clock`.
 */
export function skipTime(ms: number): void {
  aheadMs += ms;
  jest.spyOn(Date, 'now').mockImplementation(() => realDateNow() + aheadMs);
  jest.spyOn(performance, 'now').mockImplementation(() => realPerformanceNow() + aheadMs);
}

/**
 * The steady clock of this process (`performance.now`) stands still until the end of the spec file: what gives up after
 * a while does so when the test says that it has passed.
 */
export function stopTime(): { pass(ms: number): void; goOn(): void } {
  let now = performance.now();
  const stopped = jest.spyOn(performance, 'now').mockImplementation(() => now);
  return {
    pass: (ms) => (now += ms),
    goOn: () => stopped.mockRestore(),
  };
}
