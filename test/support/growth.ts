const ROUNDS = 5;

/** How many times longer `work` takes with `factor` times its size: about `factor` where it is linear, its square where it is not. */
export function growth(work: (size: number) => void, size: number, factor: number): number {
  const fastest = (at: number) =>
    Math.min(
      ...Array.from({ length: ROUNDS }, () => {
        const began = performance.now();
        work(at);
        return performance.now() - began;
      }),
    );
  fastest(size); // compiled before it is measured
  return fastest(size * factor) / fastest(size);
}
