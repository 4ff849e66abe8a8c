import { ProofError } from '../encoding.js';

/** Further problems are counted only. */
const MOST_PROBLEMS = 50;

/** What a verification found: right, or wrong with the name of the file. */
export class Findings {
  readonly right: string[] = [];
  readonly wrong: string[] = [];
  /** Problems beyond the listed ones. */
  more = 0;

  addProblem(file: string, problem: string): void {
    if (this.wrong.length < MOST_PROBLEMS) this.wrong.push(`${file}: ${problem}`);
    else this.more += 1;
  }

  /**
   * Runs one verification, whose text is listed if it finds nothing wrong. An error in it is a problem of `file`. Returns
   * true without a problem.
   */
  async verify(file: string, work: () => Promise<string> | string): Promise<boolean> {
    const before = this.wrong.length + this.more;
    try {
      const text = await work();
      if (this.wrong.length + this.more > before) return false;
      this.right.push(`${file}: ${text}`);
      return true;
    } catch (error) {
      if (!(error instanceof ProofError) && !isAboutFile(error)) throw error;
      this.addProblem(file, error.message);
      return false;
    }
  }
}

/** A file that is missing or cannot be read. */
function isAboutFile(error: unknown): error is Error {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).code === 'string';
}
