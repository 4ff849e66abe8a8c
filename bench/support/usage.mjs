// Measures time, CPU time and memory of processes. A program that is started with `--import` of this file writes its figures to
// the file that BENCH_USAGE names when it ends.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

const MEGABYTE = 2 ** 20;
const SAMPLE_INTERVAL_MS = 20; // short beside the seconds that a part takes, and long enough to cost hardly any CPU time

/** The resident memory of another process. */
export const residentMegabytes = (pid) =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;

/** Starts the measurement. The returned function ends it and returns the figures; memory is resident memory. */
export function measureUsage() {
  const began = performance.now();
  const cpu = process.cpuUsage();
  const start = process.memoryUsage.rss();
  let peak = start;
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
      startMb: start / MEGABYTE,
      peakMb: peak / MEGABYTE,
    };
  };
}

if (process.env.BENCH_USAGE) {
  const end = measureUsage();
  process.on('exit', () => writeFileSync(process.env.BENCH_USAGE, JSON.stringify(end())));
}
