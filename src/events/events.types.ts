/** Any domain event, named `topic.event`. */
export interface PlatformEvent {
  readonly name: `${string}.${string}`;
  /** Domain time. */
  readonly at: Date;
}

/** A domain event about a user's money or account. */
export interface DomainEvent extends PlatformEvent {
  readonly userId: string;
}
