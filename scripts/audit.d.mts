export function judged(text: string): { lines: string[]; isBad: boolean };
