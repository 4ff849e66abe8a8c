// Loaded into an API process: on SIGUSR2 collects garbage and prints the memory and the handles in use.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

process.on('SIGUSR2', () => {
  collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  const handles = {};
  for (const kind of process.getActiveResourcesInfo()) handles[kind] = (handles[kind] ?? 0) + 1;
  process.stdout.write(`memory ${JSON.stringify({ bytes: heapUsed + external, rss, handles })}\n`);
});
