const realDateNow = Date.now;
const realPerformanceNow = performance.now.bind(performance);
let aheadMs = 0;

/**
 * Moves `Date.now` and `performance.now` of this process ahead, so that caches expire without a wait. The Jest runtime
 * restores them after the spec file. Timers, `new Date()`, the database and `platform.clock` are not affected.
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
 * Stops `Date.now` and `performance.now` until `resume` or the end of the spec file: time-outs that compare them expire
 * only by `advance`. `resume` never sets them back.
 */
export function freezeTime(): { advance(ms: number): void; resume(): void } {
  skipTime(0);
  let [date, steady] = [Date.now(), performance.now()];
  setClocks(
    () => date,
    () => steady,
  );
  return {
    advance: (ms) => {
      date += ms;
      steady += ms;
    },
    resume: () => {
      aheadMs = Math.max(aheadMs, Math.ceil(steady - realPerformanceNow()));
      skipTime(0);
    },
  };
}

function setClocks(date: () => number, steady: () => number): void {
  jest.spyOn(Date, 'now').mockImplementation(date);
  jest.spyOn(performance, 'now').mockImplementation(steady);
}
