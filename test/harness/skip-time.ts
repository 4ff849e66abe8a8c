const realDateNow = Date.now;
const realPerformanceNow = performance.now.bind(performance);
let aheadMs = 0;

/**
 * Moves `Date.now` and `performance.now` of this process ahead, so that caches expire without a wait. The Jest runtime
 * restores both after the spec file. Timers, `new Date()`, the database and `platform.clock` are not affected.
 */
export function skipTime(ms: number): void {
  if (Date.now === realDateNow) aheadMs = 0; // the first time in a spec file
  aheadMs += ms;
  setClocks(
    () => realDateNow() + aheadMs,
    () => realPerformanceNow() + aheadMs,
  );
}

/**
 * Stops `Date.now` and `performance.now` until `resume` or the end of the spec file: time-outs that read them expire
 * only by `advance`. After `resume` they run on without going back.
 */
export function freezeTime(): { advance(ms: number): void; resume(): void } {
  skipTime(0);
  let date = Date.now();
  let monotonic = performance.now();
  setClocks(
    () => date,
    () => monotonic,
  );
  return {
    advance: (ms) => {
      date += ms;
      monotonic += ms;
    },
    resume: () => {
      aheadMs = Math.max(aheadMs, Math.ceil(monotonic - realPerformanceNow()));
      skipTime(0);
    },
  };
}

function setClocks(date: () => number, monotonic: () => number): void {
  jest.spyOn(Date, 'now').mockImplementation(date);
  jest.spyOn(performance, 'now').mockImplementation(monotonic);
}
