const ROUNDS = 3; // the shortest time of the rounds counts, because other work of the process only adds time
const MIN_MEASURED_MS = 2; // shorter times are not distinguishable from other work of the process

/** CPU time of this process; other processes on a busy machine do not affect it. */
export function cpuTimeMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** CPU time for `size` × `factor`, divided by that for `size`: about `factor` for linear work, `factor`² for quadratic work. */
export function growth(work: (size: number) => void, size: number, factor: number): number {
  const minCpuTimeMs = (ofSize: number, times: number) =>
    Math.min(
      ...Array.from({ length: ROUNDS }, () => {
        const before = cpuTimeMs();
        for (let i = 0; i < times; i++) work(ofSize);
        return cpuTimeMs() - before;
      }),
    );
  let times = 1;
  while (minCpuTimeMs(size, times) < MIN_MEASURED_MS) times *= 2;
  return minCpuTimeMs(size * factor, times) / minCpuTimeMs(size, times);
}
