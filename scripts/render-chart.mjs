// Renders the charts of docker/helm without Helm: `node scripts/render-chart.mjs docker/helm/platform RELEASE [values.yaml]` prints
// the manifests. `npm run generate` writes docker/kubernetes from the default values.
//
// The templates substitute values and use no other feature of Helm: {{ .Values.a.b }}, {{ .Release.Name }}, {{ .Release.Namespace }} and
// {{ .Files.Get "name" }}, with the filters quote, toJson, indent and replace.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { load } from 'js-yaml';

const FILTERS = {
  quote: (value) => JSON.stringify(String(value)),
  toJson: (value) => JSON.stringify(value),
  indent: (text, width) => text.replace(/^/gm, ' '.repeat(width)),
  replace: (text, from, to) => text.replaceAll(from, to),
};

const readYaml = (file) => (existsSync(file) ? (load(readFileSync(file, 'utf8')) ?? {}) : {});

function merged(base, changes) {
  if (!isObject(base) || !isObject(changes)) return changes;
  const both = { ...base };
  for (const [name, value] of Object.entries(changes))
    both[name] = name in base ? merged(base[name], value) : value;
  return both;
}

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value of a text, a number, or a path such as `.Values.image.tag`. */
function valueOf(term, context) {
  if (/^["\d]/.test(term)) return JSON.parse(term);
  const value = term
    .slice(1)
    .split('.')
    .reduce((part, name) => part?.[name], context);
  if (value === undefined) throw new Error(`${context.Chart.name}: ${term} has no value`);
  return value;
}

/** An expression without its braces: a term and filters. */
function evaluate(expression, context) {
  const [first, ...filters] = expression.split('|').map((part) => part.trim().match(/"[^"]*"|\S+/g) ?? []);
  const value =
    first[0] === '.Files.Get'
      ? readFileSync(join(context.folder, valueOf(first[1], context)), 'utf8').trimEnd()
      : valueOf(first[0], context);
  return filters.reduce((result, [name, ...terms]) => {
    if (!Object.hasOwn(FILTERS, name)) throw new Error(`${context.Chart.name}: ${name} is not supported`);
    return FILTERS[name](result, ...terms.map((term) => valueOf(term, context)));
  }, value);
}

/** The rendered templates of a chart and of those of its charts that the values enable, by file name. */
export function renderChart(folder, release, changes = {}) {
  const Chart = readYaml(join(folder, 'Chart.yaml'));
  const Values = merged(readYaml(join(folder, 'values.yaml')), changes);
  const context = { Chart, Values, Release: { Name: release, Namespace: 'default' }, folder };
  const files = {};
  for (const name of readdirSync(join(folder, 'templates')).sort()) {
    const text = readFileSync(join(folder, 'templates', name), 'utf8');
    files[name] = text.replace(/\{\{(.*?)\}\}/g, (_, expression) => {
      const value = evaluate(expression, context);
      if (isObject(value)) throw new Error(`${folder}/templates/${name}: ${expression} needs toJson`);
      return String(value);
    });
  }
  for (const { name, condition } of Chart.dependencies ?? []) {
    const isEnabled = valueOf(`.Values.${condition}`, context);
    if (isEnabled) Object.assign(files, renderChart(join(folder, 'charts', name), release, Values[name]));
  }
  return files;
}

const everything = (files) => Object.values(files).join('---\n');
const NOTE =
  '# Written by `npm run generate` from docker/helm with its default values; docs/operations.md, "Kubernetes".\n';
const OPTIONAL = { monitoring: { enabled: true }, 'external-secrets': { enabled: true } };

/** The plain manifests of docker/kubernetes, by path. */
export function plainManifests() {
  const {
    'migration.yaml': migration,
    'monitoring.yaml': monitoring,
    'external-secrets.yaml': externalSecrets,
    ...api
  } = renderChart('docker/helm/platform', 'platform', OPTIONAL);
  const files = {
    'migration.yaml': migration,
    'platform.yaml': everything(api),
    'monitoring.yaml': monitoring,
    'external-secrets.yaml': externalSecrets,
    'database.yaml': everything(renderChart('docker/helm/database', 'platform-database')),
  };
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => [`docker/kubernetes/${name}`, `${NOTE}${text}`]),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [folder, release, values] = process.argv.slice(2);
  if (!folder || !release)
    throw new Error('Usage: node scripts/render-chart.mjs docker/helm/platform RELEASE [values.yaml]');
  process.stdout.write(everything(renderChart(folder, release, values ? readYaml(values) : {})));
}
