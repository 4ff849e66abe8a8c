import { startApi, startSurroundings } from './bench/support/platform.mjs';
const s = await startSurroundings();
const settings = await s.settingsFor('start');
const folders = process.argv.slice(2);
for (const folder of [undefined, '/tmp/w/old']) {
  const st = folder ? await s.settingsFor('other') : settings;
  await (await startApi(st, folder ? { folder } : {})).stop();
  const times = [];
  for (let i = 0; i < 7; i++) { const a = await startApi(st, folder ? { folder } : {}); times.push(Math.round(a.readyAfterMs)); await a.stop(); }
  console.log(folder ?? 'new', times.sort((a,b)=>a-b).join(' '));
}
const a = await startApi(settings, { nodeOptions: ['--cpu-prof', '--cpu-prof-dir=/tmp/w/startprof', '--cpu-prof-interval=200'] });
await a.stop();
await s.stop();
process.exit(0);
