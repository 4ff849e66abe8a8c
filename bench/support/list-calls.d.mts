import type { Client } from 'pg';

export interface ListCall {
  /** As in the OpenAPI document. */
  path: string;
  route: string;
  query: Record<string, string>;
}
export interface SeededIds {
  busyUser: string;
  today: Date;
  ids: Record<string, string>;
}
export function listCalls(document: object, seededIds: SeededIds): ListCall[];
export function isCounted(call: ListCall): boolean;
export function pathOf(call: ListCall, page?: number): string;
export function farPage(answer: string): number;
export function readSeededIds(client: Client): Promise<SeededIds>;
