/** By e-mail address, the admins whose first password another admin has set. */
export type PasswordOrigins = ReadonlyMap<
  string,
  {
    readonly givenBy: string;
    /** Domain time. */
    readonly givenAt: Date;
    /** True until the owner has chosen another password. */
    readonly isUnchanged: boolean;
  }
>;
