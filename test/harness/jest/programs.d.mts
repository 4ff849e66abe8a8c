export type Program = 'chromium' | 'hledger' | 'ledger' | 'pgbouncer' | 'redis';
export function programPath(program: Program): string | undefined;
export function missingPrograms(): { name: string; why: string }[];
export function mountNamespaceOptions(): string[] | undefined;
