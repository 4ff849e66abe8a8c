export interface SeedOptions {
  /** Transactions that users are shown, about. */
  rows: number;
  users: number;
  say?: (line: string) => void;
}
export function seed(url: string, options: SeedOptions): Promise<void>;
