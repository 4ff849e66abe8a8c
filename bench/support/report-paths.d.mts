export function reportPaths(today: Date): string[];
