/**
 * Text that is public by construction, such as a signed checkpoint, and is logged as it is: random text in it looks like a
 * secret. Input of callers must not be wrapped in it; `.dependency-cruiser.cjs` lists the files that may.
 */
export class PublicText {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text, or undefined for any other value, also one that imitates this class. */
  static textOf(value: object): string | undefined {
    return #text in value ? value.#text : undefined;
  }

  toJSON(): string {
    return this.#text;
  }
}
