export interface Bounds {
  /** In work at once while the process is pressed. */
  readonly few: number;
  /** In work at once at all. */
  readonly most: number;
  /** In line at once. */
  readonly waiting: number;
  readonly waitMs: number;
}

/** Who wants to come in. One of both is called, once. */
export interface Guest {
  readonly enter: () => void;
  readonly refuse: () => void;
}

const GROWTH = 4; // a quarter of the few more at each look
const SHRINKING = 0.75;

/**
 * Lets so many in at once, the others wait in line, and nobody in vain: who waits too long, or finds the line full, is
 * refused. How many is felt for between two bounds: more, step by step, while somebody waits and the process is not
 * pressed (they wait for somebody else, it seems); fewer, by a quarter, while it is. Pure.
 */
export class Gate {
  inWork = 0;
  private allowed: number;
  private readonly line = new Map<Guest, number>(); // since when each waits, the first one first

  constructor(private readonly bounds: Bounds) {
    this.allowed = bounds.few;
  }

  get waiting(): number {
    return this.line.size;
  }

  /** True when whoever comes now is refused. */
  get isFull(): boolean {
    return this.inWork >= this.allowed && this.line.size >= this.bounds.waiting;
  }

  come(guest: Guest, now: number): void {
    if (this.line.size === 0 && this.inWork < this.allowed) this.letIn(guest);
    else if (this.line.size < this.bounds.waiting) this.line.set(guest, now);
    else guest.refuse();
  }

  /** Who waits no longer; nothing is called. */
  forget(guest: Guest): void {
    this.line.delete(guest);
  }

  /** Somebody's work is over. */
  leave(): void {
    this.inWork--;
    this.moveUp();
  }

  /** From time to time. */
  look(now: number, isPressed: boolean): void {
    const { few, most, waitMs } = this.bounds;
    if (isPressed) this.allowed = Math.max(few, Math.floor(Math.min(this.allowed, this.inWork) * SHRINKING));
    else if (this.line.size > 0) this.allowed = Math.min(most, this.allowed + Math.ceil(few / GROWTH));
    this.moveUp();
    for (const [guest, since] of this.line) {
      if (now - since < waitMs) break;
      this.line.delete(guest);
      guest.refuse();
    }
  }

  private moveUp(): void {
    for (const [guest] of this.line) {
      if (this.inWork >= this.allowed) return;
      this.line.delete(guest);
      this.letIn(guest);
    }
  }

  private letIn(guest: Guest): void {
    this.inWork++;
    guest.enter();
  }
}
