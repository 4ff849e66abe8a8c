export type Program = 'chromium' | 'pgbouncer' | 'redis';
export function programPath(program: Program): string | undefined;
export function missingPrograms(): Program[];
