const ROUNDS = 5;
const LEAST_MS = 5; // less can not be told from what the process does besides

/** Milliseconds that processors have worked for this process: of what a busy machine keeps it waiting, nothing. */
export function cpuTimeMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** How many times more work is done with `factor` times the size: about `factor` where it is linear, its square where it is not. */
export function growth(work: (size: number) => void, size: number, factor: number): number {
  const least = (at: number, times: number) =>
    Math.min(
      ...Array.from({ length: ROUNDS }, () => {
        const before = cpuTimeMs();
        for (let i = 0; i < times; i++) work(at);
        return cpuTimeMs() - before;
      }),
    );
  let times = 1;
  while (least(size, times) < LEAST_MS) times *= 2;
  return least(size * factor, times) / least(size, times);
}
