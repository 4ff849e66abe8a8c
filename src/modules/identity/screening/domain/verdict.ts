import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsIn, IsNumber, Length, Min, NotContains } from 'class-validator';

export const VERDICTS = ['clear', 'review', 'blocked'] as const; // from the best to the worst
export type Verdict = (typeof VERDICTS)[number];

/** The newest verdict on a user; `not_checked` if there is none about the present e-mail address. */
export const SCREENING_RESULTS = [...VERDICTS, 'not_checked'] as const;
export type ScreeningResult = (typeof SCREENING_RESULTS)[number];

/** A user by id, or an address in lower case, as the tables store it. */
export type Subject = `user:${string}` | `address:${string}`;

/** The newest verdict on a subject. */
export interface StoredVerdict {
  readonly id: string;
  readonly subject: Subject;
  readonly verdict: Verdict;
  readonly riskScore: number;
  readonly lists: readonly string[];
  readonly reference: string;
  readonly screenedAt: Date;
  /** About a former e-mail address of the user. */
  readonly isOutdated: boolean;
  /** Less than SCREENING_VALID_HOURS old by the database's clock, and about the user's current e-mail address. */
  readonly isFresh: boolean;
  /**
   * An admin has accepted this verdict on the user. If the verdicts are read for a withdrawal, also if a review of the subject, this one or
   * an earlier one, was accepted for the withdrawal.
   */
  readonly isAccepted: boolean;
  /** The e-mail addresses of the admins who have accepted it. */
  readonly acceptedBy: readonly string[];
}

export function userSubject(userId: string): Subject {
  return `user:${userId}`;
}

/** Addresses that differ only in their checksum are one subject. */
export function addressSubject(address: string): Subject {
  return `address:${address.toLowerCase()}`;
}

/** The subjects whose verdicts a payment needs: its user and its address. */
export function paymentSubjects(payment: { readonly userId: string; readonly toAddress: string }): Subject[] {
  return [userSubject(payment.userId), addressSubject(payment.toAddress)];
}

/** The user's id; null for an address. */
export function userIdOf(subject: Subject): string | null {
  return subject.startsWith('user:') ? subject.slice('user:'.length) : null;
}

export function typeAndIdOf(subject: Subject): { type: string; id: string } {
  const [type, id] = subject.split(':') as [string, string];
  return { type, id };
}

const MAX_TEXT_LENGTH = 500;
const MAX_LISTS = 100;
const NUL = '\0'; // PostgreSQL cannot store it in text

/** The answer of the screening provider. docs/providers/screening.json is generated from it. */
export class ScreeningAnswer {
  @ApiProperty({
    description: 'decided by the provider; the platform does not derive it from riskScore',
    example: 'clear',
  })
  @IsIn(VERDICTS)
  readonly verdict!: Verdict;

  @ApiProperty({
    type: 'number',
    minimum: 0,
    description:
      "on the provider's scale; the platform calls less than 40 low, less than 70 medium and the rest high",
    example: 5,
  })
  @IsNumber()
  @Min(0)
  readonly riskScore!: number;

  @ApiProperty({
    type: 'array',
    items: { type: 'string', minLength: 1, maxLength: MAX_TEXT_LENGTH },
    description: 'names of the sanctions lists that contain the subject',
    example: [],
  })
  @IsArray()
  @ArrayMaxSize(MAX_LISTS)
  @Length(1, MAX_TEXT_LENGTH, { each: true })
  @NotContains(NUL, { each: true })
  readonly lists!: string[];

  @ApiProperty({ description: "the provider's reference of this answer", example: 'scr-2026-000017' })
  @Length(1, MAX_TEXT_LENGTH)
  @NotContains(NUL)
  readonly reference!: string;
}
