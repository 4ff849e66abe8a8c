// `npm run audit`: prints known vulnerabilities of production dependencies; high and critical ones fail. If the audit is not
// available (no network, a registry without audits), it prints the reason and does not fail.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const FAILING = ['high', 'critical'];
const PATIENCE_MS = 120_000;

/** Evaluates the output of `npm audit --json`: the lines to print, and whether the audit fails. */
export function evaluateAudit(text) {
  const answer = parsed(text);
  if (!answer?.metadata?.vulnerabilities) {
    const answered = answer?.statusCode ?? answer?.error?.code; // the other fields contain the URL of the registry
    return { lines: [`not run: the registry answers ${answered ?? 'nothing'}`], isBad: false };
  }
  const found = Object.values(answer.vulnerabilities);
  const lines = found.map(
    ({ severity, name, range, via }) => `${severity}: ${name} ${range}${titlesOf(via)}`,
  );
  const bad = found.filter(({ severity }) => FAILING.includes(severity));
  const count = answer.metadata.dependencies?.total ?? 'all';
  return {
    lines: [
      ...lines,
      `${found.length} vulnerable, ${bad.length} of them high or critical, of ${count} packages`,
    ],
    isBad: bad.length > 0,
  };
}

/** Reasons: advisories, or names of vulnerable dependencies. */
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
  const { lines, isBad } = evaluateAudit(stdout);
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exitCode = isBad ? 1 : 0;
}
