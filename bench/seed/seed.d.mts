export interface SeedOptions {
  /** Approximate number of user transactions. */
  rows: number;
  users: number;
  printProgress?: (line: string) => void;
}
export function seed(url: string, options: SeedOptions): Promise<void>;
