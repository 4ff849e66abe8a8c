// Loaded into a program with --import: writes what the process used to the file BENCH_USAGE when it ends.
import { writeFileSync } from 'node:fs';

const MEGABYTE = 2 ** 20;
const SAMPLE_INTERVAL_MS = 20;

/** Starts to measure. The returned function ends it: seconds, CPU milliseconds, and megabytes of memory. */
export function measureUsage() {
  const began = performance.now();
  const cpu = process.cpuUsage();
  const idle = process.memoryUsage.rss();
  let peak = idle;
  const sample = () => {
    peak = Math.max(peak, process.memoryUsage.rss());
  };
  const sampling = setInterval(sample, SAMPLE_INTERVAL_MS).unref();
  return () => {
    clearInterval(sampling);
    sample();
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
