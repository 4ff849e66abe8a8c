import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

// Project rules. Prettier checks the format; dependency-cruiser checks imports between folders.

const MONEY =
  '/amount|balance|principal|fee|earning|growth|units|credited|received|available|invested|reserved/i';

const EVERYWHERE = [
  { selector: 'ExportAllDeclaration', message: 'No barrels: import from the file that has it.' },
  { selector: "CallExpression[callee.name='parseFloat']", message: 'Money is never a float: use Money.' },
  ...[`Identifier[name=${MONEY}]`, `MemberExpression[property.name=${MONEY}]`].flatMap((money) => [
    {
      selector: `CallExpression[callee.name='Number'] > ${money}.arguments`,
      message: 'Money is never a float: use Money.',
    },
    {
      selector: `UnaryExpression[operator='+'] > ${money}.argument`,
      message: 'Money is never a float: use Money.',
    },
  ]),
];

const REAL_TIME = [
  {
    selector: "NewExpression[callee.name='Date'][arguments.length=0]",
    message: 'Take the time from Clock, which tests and the sandbox can move.',
  },
  {
    selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
    message: 'Take the time from Clock, which tests and the sandbox can move.',
  },
];

export default tseslint.config(
  {
    ignores: [
      '**/dist/',
      'coverage/',
      '.data/',
      'docs/',
      'client/routes.ts',
      'client/events.ts',
      'node_modules/',
    ],
  },
  {
    files: ['**/*.{ts,tsx,js,mjs,cjs}'],
    languageOptions: { ecmaVersion: 2023 },
    linterOptions: { noInlineConfig: true },
    rules: {
      eqeqeq: 'error',
      'no-console': 'error',
      'no-constant-binary-expression': 'error',
      'no-restricted-syntax': ['error', ...EVERYWHERE],
      'no-self-compare': 'error',
      'no-template-curly-in-string': 'error',
      'no-unreachable-loop': 'error',
      'no-var': 'error',
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx'] }],
      'object-shorthand': 'error',
      'prefer-const': ['error', { ignoreReadBeforeAssign: true }],
      'max-lines': ['error', 300],
      'max-lines-per-function': ['error', 70],
    },
  },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-empty-object-type': ['error', { allowInterfaces: 'with-single-extends' }],
      '@typescript-eslint/no-unnecessary-type-assertion': 'off', // rows of queries have asserted or declared types
      '@typescript-eslint/no-unsafe-declaration-merging': 'off', // classes typed by a table of fields (AppConfig)
      '@typescript-eslint/prefer-as-const': 'off', // decorators need the declared type of a field
      '@typescript-eslint/require-await': 'off', // implementations of an interface need not await
    },
  },
  {
    files: ['**/*.tsx'], // markup has a line for each property of an element
    rules: { 'max-lines-per-function': ['error', 120] },
  },
  {
    files: ['test/verification/hostile-input/**'], // tests send template syntax as input
    rules: { 'no-template-curly-in-string': 'off' },
  },
  {
    files: ['src/**/*.ts'],
    ignores: [
      ...[
        'src/common/clock.ts',
        'src/common/days.ts',
        'src/common/ids.ts',
        'src/config/file-clock.ts',
        'src/main.ts',
      ],
      ...['src/http/**', 'src/database/**', 'src/sandbox/**', '**/*spec.ts'], // time-outs and expiry use the real clock
    ],
    rules: { 'no-restricted-syntax': ['error', ...EVERYWHERE, ...REAL_TIME] },
  },
  {
    files: ['src/modules/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: '@nestjs/common',
              importNames: ['forwardRef'],
              message: 'No cycles: emit a domain event for higher modules.',
            },
            {
              name: 'class-validator',
              importNames: ['IsPhoneNumber', 'isPhoneNumber'],
              message: 'scripts/bundle.mjs leaves out the telephone numbers that it needs.',
            },
          ],
          patterns: [
            {
              group: ['@nestjs/common'],
              importNamePattern: 'Exception$',
              message: "Throw a code of the catalogue: throwError('CODE').",
            },
          ],
        },
      ],
    },
  },
  {
    files: ['src/http/**/*.ts', 'src/modules/**/*.ts'],
    ignores: [
      'src/http/resilience/graceful-shutdown.ts',
      'src/http/resilience/load-shedder.ts',
      // Timers of live delivery, which have to react within a second (DEC-51).
      'src/modules/messaging/live/connections.service.ts',
      'src/modules/messaging/live/event-delivery.service.ts',
      'src/modules/messaging/live/live.gateway.ts',
      '**/*spec.ts',
    ],
    rules: {
      'no-restricted-globals': ['error', { name: 'setInterval', message: 'Periodic work is a @Job.' }],
    },
  },
  {
    // Tests read untyped JSON responses, and a describe function contains all its tests.
    files: ['test/**/*.ts', '**/*spec.ts', 'bench/**'],
    rules: {
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  { files: ['scripts/**', 'bench/**', 'src/sandbox/**'], rules: { 'no-console': 'off' } },
  prettier,
);
