// `npm run check -- size`: prints how large the project is. It informs and never fails.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import ts from 'typescript';

/** A text that begins with a statement of SQL. */
const STATEMENT = /^\s*\(?(select\s|insert into\s|update [\w ]+ set\s|delete from\s|with (recursive )?\w+)/;
const TABLE_IN_SQL = /\b(?:from|join|into|update|using)\s+(?:only\s+)?([a-z_]+)/g;
const GENERATED_PAGE = /^(Generated|Written) by `npm run /m;

const tracked = execFileSync('git', ['ls-files'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => file && existsSync(file));
const sourceOf = (file) => readFileSync(file, 'utf8');
const lineCount = (files, of = linesOf) => files.reduce((sum, file) => sum + of(sourceOf(file)), 0);

const service = tracked.filter(
  (file) => /^src\/(?!sandbox\/|operations\/).*(?<!\.d)\.ts$/.test(file) && !file.endsWith('spec.ts'),
);
const inModules = service.filter((file) => file.startsWith('src/modules/'));
const repositories = inModules.filter((file) => file.endsWith('.repository.ts'));
const documents = tracked.filter((file) => file.endsWith('.md'));
const pages = documents.filter(
  (file) => file !== 'CHANGELOG.md' && !GENERATED_PAGE.test(sourceOf(file).slice(0, 400)),
);
const { paths } = JSON.parse(sourceOf('docs/openapi.json'));
const operations = Object.values(paths).flatMap(Object.keys).length;

function linesOf(text) {
  return text.split('\n').length - 1;
}

/** The lines that have a token, which leaves out blank lines and comments. */
function codeLinesOf(text) {
  const source = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, false);
  const lines = new Set();
  const visit = (node) => {
    if (ts.isToken(node) || ts.isTemplateLiteralToken(node)) {
      const from = source.getLineAndCharacterOfPosition(node.getStart(source)).line;
      const to = source.getLineAndCharacterOfPosition(node.getEnd()).line;
      for (let line = from; line <= to; line++) lines.add(line);
    } else node.getChildren(source).forEach(visit);
  };
  source.statements.forEach(visit);
  return lines.size;
}

/** The texts in quotation marks, those of templates without their expressions. */
function literalsOf(text) {
  const literals = [];
  const visit = (node) => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) literals.push(node.text);
    if (ts.isTemplateExpression(node))
      literals.push([node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join(' ? '));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, false));
  return literals;
}

const moduleOf = (file) => file.split('/').slice(2, 4).join('/');

/** The module of each table: the one with its entity, otherwise the first one that inserts into it. */
function tableOwners() {
  const owners = new Map();
  const find = (files, pattern) => {
    for (const file of files)
      for (const [, table] of sourceOf(file).matchAll(pattern))
        if (!owners.has(table)) owners.set(table, moduleOf(file));
  };
  find(inModules, /@Entity\((?:\{ name: )?'(\w+)'/g);
  find(repositories, /\binsert into ([a-z_]+)/g);
  return owners;
}

/** `module module` for each module whose SQL names a table of another one. */
function foreignPairs() {
  const owners = tableOwners();
  const pairs = new Set();
  for (const file of repositories)
    for (const [, table] of literalsOf(sourceOf(file)).join('\n').matchAll(TABLE_IN_SQL)) {
      const owner = owners.get(table);
      if (owner && owner !== moduleOf(file)) pairs.add(`${moduleOf(file)} ${owner}`);
    }
  return pairs;
}

const code = lineCount(service, codeLinesOf);
const statements = repositories
  .flatMap((file) => literalsOf(sourceOf(file)))
  .filter((literal) => STATEMENT.test(literal)).length;
const bytes = tracked.reduce((sum, file) => sum + statSync(file).size, 0);
const per = (count) => `${(count / operations).toFixed(1)} per operation`;
const rows = [
  ['operations of docs/openapi.json', operations, ''],
  ['lines of code in src, without specs, sandbox and tools', code, per(code)],
  ['files in src/modules, without specs', inModules.length, per(inModules.length)],
  ['statements written in SQL, in repositories', statements, per(statements)],
  ['pairs of modules of which one reads tables of the other in SQL', foreignPairs().size, ''],
  ['lines of Markdown, without CHANGELOG.md and generated pages', lineCount(pages), `${pages.length} files`],
  ['lines of Markdown, all', lineCount(documents), `${documents.length} files`],
  ['bytes of tracked files', bytes, `${tracked.length} files`],
];
for (const [name, count, note] of rows)
  console.log(`${name.padEnd(64)}${count.toLocaleString('en').padStart(12)}   ${note}`);
