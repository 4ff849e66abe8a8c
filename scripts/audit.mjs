// `npm run audit`: known weaknesses of what production is made of. High and critical ones fail, others are printed.
// Where nobody answers the question (no network, a registry that knows no audits), that is said and nothing fails.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const FAILING = ['high', 'critical'];
const PATIENCE_MS = 120_000;

/** What an answer of `npm audit --json` comes to: lines to print, and whether they fail. */
export function judged(text) {
  const answer = parsed(text);
  if (!answer?.metadata?.vulnerabilities) {
    const answered = answer?.statusCode ?? answer?.error?.code; // no more of it: the rest names the registry
    return { lines: [`not run: the registry answers ${answered ?? 'nothing'}`], isBad: false };
  }
  const found = Object.values(answer.vulnerabilities);
  const lines = found.map(
    ({ severity, name, range, via }) => `${severity}: ${name} ${range}${titlesOf(via)}`,
  );
  const bad = found.filter(({ severity }) => FAILING.includes(severity));
  const count = answer.metadata.dependencies?.total ?? 'all';
  return {
    lines: [...lines, `${found.length} weak, ${bad.length} of them high or critical, of ${count} packages`],
    isBad: bad.length > 0,
  };
}

/** A package is weak by an advisory, or by the name of a package that it needs. */
function titlesOf(via) {
  const titles = via.map((reason) => (typeof reason === 'string' ? `through ${reason}` : reason.title));
  return titles.length === 0 ? '' : ` (${titles.join('; ')})`;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
    encoding: 'utf8',
    timeout: PATIENCE_MS,
    shell: process.platform === 'win32',
  });
  const { lines, isBad } = judged(stdout);
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exitCode = isBad ? 1 : 0;
}
