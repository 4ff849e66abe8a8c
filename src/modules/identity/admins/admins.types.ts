/** How another admin has set the first password of an admin. */
export interface PasswordOrigin {
  readonly givenBy: string;
  /** Domain time. */
  readonly givenAt: Date;
  /** True until the owner has chosen another password. */
  readonly isUnchanged: boolean;
}

/** By the e-mail addresses of the admins whose first password another admin has set. */
export type PasswordOrigins = ReadonlyMap<string, PasswordOrigin>;
