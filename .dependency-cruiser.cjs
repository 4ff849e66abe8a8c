// Who may know whom: a room knows what stands above it in this list, and its neighbours on the same line as long
// as no circle comes of it. Whoever has to tell something downwards declares a small port or subscribes to Facts.
const LAYERS = [
  ['common'],
  ['config', 'observability'],
  ['database'],
  ['jobs'],
  ['http'],
  ['modules/ledger', 'modules/blockchain', 'modules/audit', 'modules/alerts'],
  ['modules/users', 'modules/admins', 'modules/strategies'],
  ['modules/auth'],
  [
    ...[
      'modules/wallets',
      'modules/investments',
      'modules/deposits',
      'modules/withdrawals',
      'modules/faucet',
    ],
    'modules/screening',
  ],
  ['modules/transactions', 'modules/balance', 'modules/notifications'],
  ['modules/dashboard', 'modules/statements', 'modules/reports', 'modules/treasury', 'modules/webhooks'],
  ['modules/user-admin', 'modules/integrity', 'modules/reconciliation', 'modules/subscriptions'],
  ['modules/health', 'modules/sla', 'modules/version', 'modules/metrics'],
];

const foldersOf = (lines) => `^src/(${lines.flat().join('|')})/`;

const LAYER_RULES = LAYERS.slice(0, -1).map((line, index) => ({
  name: `layer-of-${line.map((room) => room.replace('modules/', '')).join('-')}`,
  comment: 'Arrows never turn back: declare a port, or subscribe to Facts.',
  severity: 'error',
  from: { path: foldersOf([line]) },
  to: { path: foldersOf(LAYERS.slice(index + 1)) },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...LAYER_RULES,
    {
      name: 'every-module-has-its-place',
      comment: 'Put the module into the list at the top of .dependency-cruiser.cjs.',
      severity: 'error',
      from: { path: '^src/modules/', pathNot: foldersOf(LAYERS) },
      to: {},
    },
    {
      name: 'nobody-imports-the-application',
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
      comment: 'No framework, no database, no input or output.',
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
      comment: 'It plays the outside world: it shares src/common at most, and never looks into a module.',
      severity: 'error',
      from: { path: '^src/sandbox/' },
      to: { path: '^src/(modules|http|database|app\\.)' },
    },
    {
      name: 'entities-stay-at-home',
      comment: 'A module exports services and views, never entities.',
      severity: 'error',
      from: { path: '^src/(modules/[^/]+)/' },
      to: { path: '\\.entity\\.ts$', pathNot: '^src/$1/' },
    },
    {
      name: 'entities-are-for-modules',
      severity: 'error',
      from: { path: '^src/(?!modules/)' },
      to: { path: '\\.entity\\.ts$' },
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
    tsPreCompilationDeps: true, // types count too
    doNotFollow: { path: 'node_modules' },
    exclude: { path: 'spec\\.ts$' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
