// Loaded into a program with --import: writes what the process used to the file BENCH_USAGE when it ends.
import { writeFileSync } from 'node:fs';

const MEGABYTE = 2 ** 20;
const SAMPLE_INTERVAL_MS = 20;

/** Starts to measure. The returned function ends it: seconds, CPU milliseconds, and megabytes of memory. */
export function measureUsage() {
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  const idle = process.memoryUsage.rss();
  let peak = idle;
  const look = () => (peak = Math.max(peak, process.memoryUsage.rss()));
  const looking = setInterval(look, SAMPLE_INTERVAL_MS).unref();
  return () => {
    clearInterval(looking);
    look();
    const { user, system } = process.cpuUsage(cpu);
    return {
      seconds: (performance.now() - began) / 1000,
      cpuMs: (user + system) / 1000,
      idle: idle / MEGABYTE,
      peak: peak / MEGABYTE,
    };
  };
}

if (process.env.BENCH_USAGE) {
  const end = measureUsage();
  process.on('exit', () => writeFileSync(process.env.BENCH_USAGE, JSON.stringify(end())));
}
