const realDateNow = Date.now;
const realPerformanceNow = performance.now.bind(performance);
let aheadMs = 0;

/**
 * Moves the real clocks of this process ahead until the end of the spec file, so that caches expire without a wait.
 * Timers and the database keep their time; the domain's time is `platform.clock`.
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
 * The real clocks of this process stand still until `goOn`, at the latest until the end of the spec file: what gives up
 * after a while does so when the test says that it has passed. They never go back.
 */
export function stopTime(): { pass(ms: number): void; goOn(): void } {
  skipTime(0);
  let [date, steady] = [Date.now(), performance.now()];
  setClocks(
    () => date,
    () => steady,
  );
  return {
    pass: (ms) => {
      date += ms;
      steady += ms;
    },
    goOn: () => {
      aheadMs = Math.max(aheadMs, Math.ceil(steady - realPerformanceNow()));
      skipTime(0);
    },
  };
}

function setClocks(date: () => number, steady: () => number): void {
  jest.spyOn(Date, 'now').mockImplementation(date);
  jest.spyOn(performance, 'now').mockImplementation(steady);
}
