// The built checkout in the folder BENCH_AGAINST, if it is set: measures run on it, too, in rounds that alternate with
// rounds of this checkout.
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = process.env.BENCH_AGAINST && resolve(process.env.BENCH_AGAINST);

/** `{folder, name}`; the name is its commit. Undefined without BENCH_AGAINST. */
export const otherCheckout = folder && {
  folder,
  name: execFileSync('git', ['-C', folder, 'rev-parse', '--short=7', 'HEAD'], { encoding: 'utf8' }).trim(),
};

/**
 * Runs a part of the other checkout's own bench in a process. `ready` is its first message; `ask` requests a measurement and
 * resolves with its result.
 */
export async function startOther(part) {
  const program = fileURLToPath(new URL('other-checkout.mjs', import.meta.url));
  const env = { ...process.env, BENCH_AGAINST: '' };
  const child = fork(program, [part], { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  const nextMessage = async () => {
    const ended = exited.then(([code]) => {
      throw new Error(`the bench of ${folder} ended with ${code}`);
    });
    const [answer] = await Promise.race([once(child, 'message'), ended]);
    return answer;
  };
  return {
    ready: await nextMessage(),
    ask() {
      child.send('measure');
      return nextMessage();
    },
    async stop() {
      if (child.connected) child.disconnect(); // otherwise it has failed: an error here would hide its cause
      await exited;
    },
  };
}
