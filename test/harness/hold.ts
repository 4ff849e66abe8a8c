/** Makes work of the service wait until the test releases it. */
export class Hold {
  /** Resolves when the work waits. */
  readonly reached: Promise<void>;
  release!: () => void;
  private reach!: () => void;
  private readonly released: Promise<void>;

  constructor() {
    this.reached = new Promise((resolve) => (this.reach = resolve));
    this.released = new Promise((resolve) => (this.release = resolve));
  }

  wait(): Promise<void> {
    this.reach();
    return this.released;
  }
}
