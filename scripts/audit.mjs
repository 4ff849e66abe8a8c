// `npm run audit`: prints known vulnerabilities of production dependencies, and fails if one is high or critical. If the audit
// is not available (no network, a registry without audits), it prints the reason and does not fail.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const FAILING = ['high', 'critical'];
const TIMEOUT_MS = 120_000;

/** Evaluates the output of `npm audit --json`: returns the lines to print, and whether the audit fails. */
export function evaluateAudit(text) {
  const answer = parseJson(text);
  if (!answer?.metadata?.vulnerabilities) {
    const errorCode = answer?.statusCode ?? answer?.error?.code; // the other fields contain the URL of the registry
    return { lines: [`not run: the registry answers ${errorCode ?? 'nothing'}`], isBad: false };
  }
  const vulnerable = Object.values(answer.vulnerabilities);
  const lines = vulnerable.map(
    ({ severity, name, range, via }) => `${severity}: ${name} ${range}${titlesOf(via)}`,
  );
  const failing = vulnerable.filter(({ severity }) => FAILING.includes(severity));
  const count = answer.metadata.dependencies?.total ?? 'all';
  return {
    lines: [
      ...lines,
      `${vulnerable.length} vulnerable, ${failing.length} of them high or critical, of ${count} packages`,
    ],
    isBad: failing.length > 0,
  };
}

/** The reasons in brackets: titles of advisories, or names of vulnerable dependencies. */
function titlesOf(via) {
  const titles = via.map((reason) => (typeof reason === 'string' ? `through ${reason}` : reason.title));
  return titles.length === 0 ? '' : ` (${titles.join('; ')})`;
}

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    shell: process.platform === 'win32',
  });
  const { lines, isBad } = evaluateAudit(stdout);
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exitCode = isBad ? 1 : 0;
}
