// Project rules that ESLint does not cover: files in modules have roles; only repositories contain queries and SQL; domain
// files and services do not use upper layers; cited decisions exist; texts avoid words that make them hard to understand.
// `node scripts/conventions.mjs src/modules/funds/deposits` checks one folder.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const MAX_UNCLEAR_PERCENT = 3;

/** CONTRIBUTING.md lists the roles. */
const ROLES = [
  /\.(module|controller|service|repository|mapper|events|listener|consumer|job|client|types|constants)\.ts$/,
  /\.(guard|strategy|interceptor|pipe|filter|gateway|indicator|decorator|adapter)\.ts$/,
  /\.(db-)?spec\.ts$/,
  /\/domain\/[a-z0-9.-]+\.ts$/,
  /\/entities\/[a-z0-9-]+\.entity\.ts$/,
  /\/dto\/[a-z0-9-]+\.(request|response)\.ts$/,
  /\/README\.md$/,
];

const QUERIES =
  /\.query[<(]|createQueryBuilder|getRepository\(|@InjectRepository|\bDataSource\b|\btx\.(insert|update|upsert|delete|find|create|count|exists)\w*\(/;
const RESPONSES = /\.response\.js'|\bEnvelopedResponse\b/;

/** Imports that domain files must not have, not even of types. */
const UPPER_LAYERS = /from '[^']*\.(service|repository|controller|mapper|request|response)\.js'/;
const DOMAIN_EXCEPTIONS = new Set([
  // These files compose the payloads of events, whose documented types are response classes.
  'src/modules/messaging/live/domain/live-messages.ts',
  'src/modules/messaging/webhooks/domain/event-payloads.ts',
]);

const SQL = /['"`]\s*\(?(select\s|insert into\s|update [\w ]+ set\s|delete from\s|with \w+ as\b)/;
const SQL_EXCEPTIONS = [
  /\.repository\.ts$/,
  /spec\.ts$/,
  /^src\/(database|jobs|events|lists)\//,
  /^src\/operations\//, // command-line tools, which work without the modules
  /^src\/sandbox\/demo-tampering\.ts$/, // changes a copy of the database as no module does
];

/** Clauses used as nouns, and pronouns without a referent. */
const UNCLEAR =
  /\b(whoever|whatever|whichever|wherever|nobody|somebody|anybody|(is|are) told|the others|who (asks|has|is|comes|may)|what (is|are|was|were|has|had|became|came|comes|it|they|we|he|she)|in vain|there is one|there are none|gives up|goes on)\b/i;

const roots =
  process.argv.length > 2
    ? process.argv.slice(2)
    : ['src', 'test', 'bench', 'scripts', 'client', 'console', '*.md'];
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...roots], {
  encoding: 'utf8',
})
  .split('\n')
  .filter(
    (file) =>
      /\.(m?ts|tsx|mjs|cjs|js|md)$/.test(file) &&
      !/^client\/(routes|events)\.ts$/.test(file) &&
      file !== 'scripts/conventions.mjs' &&
      existsSync(file), // git also lists deleted files
  );

const decisions = new Set(readFileSync('docs/decisions.md', 'utf8').match(/\bDEC-\d+\b/g));
const problems = [];
const unclear = [];
let sentences = 0;

for (const file of files) {
  const text = readFileSync(file, 'utf8');
  checkFile(file, text);
  for (const { index, sentence } of proseOf(file, text)) {
    sentences++;
    const [words] = UNCLEAR.exec(sentence) ?? [];
    const line = text.slice(0, index).split('\n').length;
    if (words) unclear.push(`${file}:${line}: "${words}" in: ${sentence.slice(0, 120)}`);
  }
}

function checkFile(file, text) {
  const report = (problem) => problems.push(`${file}: ${problem}`);
  for (const [id] of text.matchAll(/\bDEC-\d+\b/g))
    if (!decisions.has(id)) report(`${id} is not in docs/decisions.md`);
  if (/^src\/.*\.ts$/.test(file) && SQL.test(text) && !SQL_EXCEPTIONS.some((pattern) => pattern.test(file)))
    report('move the SQL to a repository');
  if (!file.startsWith('src/modules/')) return;
  if (!ROLES.some((role) => role.test(file))) report('the name has no role that CONTRIBUTING.md lists');
  const isSpec = file.endsWith('spec.ts');
  if (!isSpec && !file.endsWith('.repository.ts') && QUERIES.test(text))
    report('move the query to a repository');
  if (!isSpec && file.includes('/domain/') && UPPER_LAYERS.test(text) && !DOMAIN_EXCEPTIONS.has(file))
    report('domain files import no service, repository, controller, mapper, request or response');
  if (/\.(service|repository)\.ts$/.test(file) && RESPONSES.test(text))
    report('services and repositories return domain objects; map them to responses in the controller');
  if (file.endsWith('.response.ts') && /^export (async )?function/m.test(text))
    report('move functions to a mapper');
}

/** The texts that are searched for unclear words: paragraphs of documents, comments, test titles, descriptions and settings. */
function proseOf(file, text) {
  const proseMatching = (pattern, group = 0, inText = text) =>
    [...inText.matchAll(pattern)].map((match) => ({
      index: match.index,
      sentence: match[group].replace(/\s*\n\s*(\*(?!\/)|\/\/)?\s*/g, ' '),
    }));
  if (file.endsWith('.md')) {
    const withoutCode = text.replace(/```[\s\S]*?```|`[^`]*`/g, (code) => code.replace(/[^\n]/g, ' '));
    return proseMatching(/(?:.+\n)+/g, 0, withoutCode);
  }
  const descriptions = /^src\/config\/[a-z-]*settings?\.ts$/.test(file)
    ? /(['"`])(\w+ (?:(?!\1)[^\\\n]|\\.)*)\1/g
    : /\b(?:summary|description):\s*(['"`])((?:(?!\1)[^\\]|\\.)*)\1/g;
  return [
    ...proseMatching(/\/\*\*?[\s\S]*?\*\/|(?<![:'"`\w])\/\/[^\n]*/g),
    ...proseMatching(
      /\b(?:it|describe)(?:\.each\((?:[^()]|\([^()]*\))*\))?\(\s*(['"`])((?:(?!\1)[^\\]|\\.)*)\1/g,
      2,
    ),
    ...proseMatching(descriptions, 2),
  ];
}

const percent = (100 * unclear.length) / Math.max(sentences, 1);
if (percent > MAX_UNCLEAR_PERCENT)
  problems.push(`${percent.toFixed(1)} % of ${sentences} texts contain words that hide a term:`, ...unclear);
for (const problem of problems) console.log(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
