const ROUNDS = 5;
const LEAST_MS = 5; // less can not be told from what the machine does besides

/** How many times longer `work` takes with `factor` times its size: about `factor` where it is linear, its square where it is not. */
export function growth(work: (size: number) => void, size: number, factor: number): number {
  const fastest = (at: number, times: number) =>
    Math.min(
      ...Array.from({ length: ROUNDS }, () => {
        const began = performance.now();
        for (let i = 0; i < times; i++) work(at);
        return performance.now() - began;
      }),
    );
  let times = 1;
  while (fastest(size, times) < LEAST_MS) times *= 2;
  return fastest(size * factor, times) / fastest(size, times);
}
