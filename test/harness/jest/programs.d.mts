export type Program = 'chromium' | 'pgbouncer' | 'redis';
export function programPath(program: Program): string | undefined;
export function missing(): { name: string; why: string }[];
export function ownMounts(): string[] | undefined;
