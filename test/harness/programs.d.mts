export type Program =
  'chromium' | 'haproxy' | 'hledger' | 'ledger' | 'nginx' | 'pgbouncer' | 'promtool' | 'redis';
export function programPath(program: Program): string | undefined;
export function missingPrograms(): { name: string; why: string }[];
export function mountNamespaceOptions(): string[] | undefined;
