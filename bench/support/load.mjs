// Closed-loop load: a number of callers, each with one operation at a time, for a number of seconds.

/** Completed calls of `once` per second. */
export async function perSecond({ clients, seconds }, once) {
  const began = performance.now();
  const end = began + seconds * 1000;
  let done = 0;
  const caller = async (number) => {
    while (performance.now() < end) {
      await once(number);
      done++;
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, number) => caller(number)));
  return (done * 1000) / (performance.now() - began);
}

const rate = (figure) => `${figure.toFixed(figure < 100 ? 1 : 0)}/s`;

/** A table row for rates: `figure` must be at least `least` times the baseline. */
export function atLeastRow(what, { figure, baseline, baselineIs, least }) {
  const ratio = figure / baseline;
  return {
    what,
    figure: rate(figure),
    baseline: `${baselineIs}: ${rate(baseline)}`,
    ratio: `${ratio.toFixed(2)} ×`,
    reach: `≥ ${least} ×`,
    reached: ratio >= least,
  };
}
