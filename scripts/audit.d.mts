export function evaluateAudit(text: string): { lines: string[]; isBad: boolean };
