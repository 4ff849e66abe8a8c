import { ProofError } from '../encoding.js';

/** The number of problems that are listed; further ones are only counted. */
const MAX_PROBLEMS = 50;

/** The results of a verification. Each text begins with the name of the file. */
export class Findings {
  readonly right: string[] = [];
  /** What the platform states and the pack cannot prove. */
  readonly notVerified: string[] = [];
  readonly wrong: string[] = [];
  /** The number of problems beyond those that are listed. */
  more = 0;

  addProblem(file: string, problem: string): void {
    if (this.wrong.length < MAX_PROBLEMS) this.wrong.push(`${file}: ${problem}`);
    else this.more += 1;
  }

  /**
   * Runs one verification and lists the text that it returns as right, unless it has added a problem. An error that it throws
   * is a problem of `file`. Returns true if there was no problem.
   */
  async verify(file: string, verification: () => Promise<string> | string): Promise<boolean> {
    const earlierProblems = this.wrong.length + this.more;
    try {
      const text = await verification();
      if (this.wrong.length + this.more > earlierProblems) return false;
      this.right.push(`${file}: ${text}`);
      return true;
    } catch (error) {
      this.addProblem(file, problemOf(error));
      return false;
    }
  }
}

/** The reason why a file is wrong. A file that was changed can cause any error, not only a `ProofError`. */
export function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return `It cannot be verified: ${String(error)}`;
  return error instanceof ProofError || isAboutFile(error)
    ? error.message
    : `It cannot be verified: ${error.message}`;
}

/** True if the file is missing or cannot be read. */
function isAboutFile(error: Error): boolean {
  return typeof (error as NodeJS.ErrnoException).code === 'string';
}
