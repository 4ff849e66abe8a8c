import { Injectable } from '@nestjs/common';
import { permits, type Permission } from '../../../http/auth/permissions.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import { FOUND_TYPES, SearchRepository, type Found, type FoundType } from './search.repository.js';

const PERMISSION_OF_TYPE: Record<FoundType, Permission> = {
  user: 'users:read',
  deposit: 'transactions:read',
  withdrawal: 'withdrawals:read',
  investment: 'investments:read',
  transaction: 'transactions:read',
};

@Injectable()
export class SearchService {
  constructor(private readonly repository: SearchRepository) {}

  /** The newest records first, of the types that the admin may read. */
  listRecords({ permissions }: AdminPrincipal, text: string, limit: number): Promise<Found[]> {
    const readable = FOUND_TYPES.filter((type) => permits(permissions, PERMISSION_OF_TYPE[type]));
    return this.repository.findRecords(text, readable, limit);
  }
}
