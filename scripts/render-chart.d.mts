export function renderChart(folder: string, release: string, changes?: object): Record<string, string>;
export function plainManifests(): Record<string, string>;
