import { Injectable } from '@nestjs/common';
import { write } from '../../../database/statements.js';
import type { Tx } from '../../../database/unit-of-work.js';

const RECOMPUTE_FIGURES = `
  update user_figures as held
     set (investments, total_invested, total_withdrawn, total_earnings, invested)
         = (computed.investments, computed.total_invested, computed.total_withdrawn, computed.total_earnings,
            computed.invested)
    from user_figures_recomputed as computed
   where computed.user_id = any($1::uuid[]) and held.user_id = computed.user_id
     and (held.investments, held.total_invested, held.total_withdrawn, held.total_earnings, held.invested)
         is distinct from (computed.investments, computed.total_invested, computed.total_withdrawn, computed.total_earnings,
                           computed.invested)`;

/** The lifetime figures of users, computed from the ledger. */
@Injectable()
export class UserFiguresRepository {
  recomputeFigures(tx: Tx, userIds: readonly string[]): void {
    write(tx, RECOMPUTE_FIGURES, [userIds]);
  }
}
