// The layers of src/. A folder may import from folders of the lines above it, and from folders of its own line unless that
// makes a cycle. A module that has to inform a higher one declares an interface or emits a domain event.
const LAYERS = [
  ['common'],
  ['config', 'observability'],
  ['database'],
  ['jobs'],
  ['events', 'lists'],
  ['http'],
  ['modules/providers'],
  ['modules/core'],
  ['modules/identity'],
  ['modules/investing'],
  ['modules/funds'],
  ['modules/portfolio'],
  ['modules/backoffice'],
  ['modules/assurance'],
  ['modules/messaging'],
  ['modules/desk'],
  ['modules/operations'],
];

const foldersOf = (lines) => `^src/(${lines.flat().join('|')})/`;

const LAYER_RULES = LAYERS.slice(0, -1).map((line, index) => ({
  name: `layer-of-${line.map((folder) => folder.replace('modules/', '')).join('-')}`,
  comment: 'A folder may not import from a higher layer: declare an interface, or emit a domain event.',
  severity: 'error',
  from: { path: foldersOf([line]) },
  to: { path: foldersOf(LAYERS.slice(index + 1)) },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...LAYER_RULES,
    {
      name: 'every-module-has-a-group',
      comment: 'Put the module into one of the groups of LAYERS at the top of .dependency-cruiser.cjs.',
      severity: 'error',
      from: { path: '^src/modules/', pathNot: foldersOf(LAYERS) },
      to: {},
    },
    {
      name: 'application-is-not-imported',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/app\\.', '^src/main\\.ts$'] },
      to: { path: '^src/(app\\.|main\\.ts)' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'common-is-pure',
      comment: 'src/common uses no framework, no database and no I/O.',
      severity: 'error',
      from: { path: '^src/common/' },
      to: {
        path: [
          '^src/(?!common/)',
          'node_modules/(@nestjs|typeorm|pg|express|class-)',
          '^(node:)?(fs|net|http|child_process)',
        ],
      },
    },
    {
      name: 'sandbox-is-outside',
      comment: 'The service runs without the sandbox.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/sandbox/' },
      to: { path: '^src/sandbox/' },
    },
    {
      name: 'sandbox-is-outside-of-the-service',
      comment: 'The sandbox simulates the outside world: it may import src/common only.',
      severity: 'error',
      from: { path: '^src/sandbox/' },
      to: { path: '^src/(modules|http|database|app\\.)' },
    },
    {
      name: 'entities-stay-in-their-module',
      comment:
        'Other modules may use an entity as a type only; queries stay in the repositories of its module.',
      severity: 'error',
      from: { path: '^src/(modules/[^/]+/[^/]+)/' },
      to: { path: '\\.entity\\.ts$', pathNot: '^src/$1/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'entities-are-for-modules',
      severity: 'error',
      from: { path: '^src/(?!modules/)' },
      to: { path: '\\.entity\\.ts$' },
    },
    {
      name: 'public-text-is-for-checkpoints',
      comment: 'Public text is logged without redaction. Add a file only if no caller influences the text.',
      severity: 'error',
      from: {
        pathNot: '^src/(observability/logging/|modules/assurance/proofs/sealing\\.service\\.ts$)',
      },
      to: { path: '^src/observability/logging/public-text\\.ts$' },
    },
    {
      name: 'no-tests-in-production',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^test/' },
    },
    {
      name: 'no-development-packages-in-production',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/sandbox/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'everything-resolves',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true, // includes type imports
    doNotFollow: { path: 'node_modules' },
    exclude: { path: 'spec\\.ts$' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
