import {
  Choice,
  Count,
  DayText,
  ExactAmount,
  HashList,
  HashText,
  ListOf,
  Nested,
  Text,
  Uuid,
} from '../../../../http/openapi/fields.js';
import { ASSET_SOURCES, LIABILITY_ASSETS } from '../liabilities.types.js';

export class LiabilitiesResponse {
  @DayText() day!: string;
  @Choice(LIABILITY_ASSETS) asset!: string;
  @HashText({ description: 'root of the sum tree over all users' }) root!: string;
  @ExactAmount({ description: 'sum of the amounts of all users at the end of the day' }) total!: string;
  @Count({ description: 'users in the tree' }) leaves!: number;
  @Count({ description: 'leaves with padding: the smallest power of two that holds all users' })
  size!: number;
  @Count({ description: 'index in the log of the leaf that names root, total and leaves' })
  leafIndex!: number;
  @HashList({ description: 'hashes from that leaf to the root of the checkpoint' }) path!: string[];
  @Text({ description: 'signed checkpoint of the log (C2SP tlog-checkpoint)' }) checkpoint!: string;
}

export class LiabilityComponentsResponse {
  @ExactAmount({ description: 'available balance at the end of the day' }) available!: string;
  @ExactAmount({ description: 'for withdrawals in progress' }) reserved!: string;
  @ExactAmount({ description: 'value of open investments on the day' }) invested!: string;
  @ExactAmount({ description: 'confirmed deposits that are not credited yet' }) held!: string;
}

export class SumSiblingResponse {
  @Choice(['left', 'right'], { description: 'the side of the sibling' }) side!: string;
  @HashText() hash!: string;
  @ExactAmount({ description: 'sum of the amounts below it' }) sum!: string;
}

export class ProofOfLiabilitiesResponse {
  @DayText() day!: string;
  @Choice(LIABILITY_ASSETS) asset!: string;
  @Uuid() userId!: string;
  @Count({ description: 'index of your leaf in the tree, new each day' }) index!: number;
  @Text({ description: 'base64 of 16 random bytes that hide you in the tree' }) nonce!: string;
  @ExactAmount({ description: 'the sum of the components' }) amount!: string;
  @Nested(() => LiabilityComponentsResponse) components!: LiabilityComponentsResponse;
  @ListOf(() => SumSiblingResponse, { description: 'from your leaf to the root' })
  path!: SumSiblingResponse[];
  @HashText({ description: 'the same value as in GET /api/proofs/liabilities/{day}' }) root!: string;
  @ExactAmount({ description: 'the same value as in GET /api/proofs/liabilities/{day}' }) total!: string;
}

export class AssetLineResponse {
  @Text({
    example: 'custody',
    description: 'custody, custody-elsewhere (not at its named addresses) or deposit-provider/<network>',
  })
  place!: string;
  @Choice(LIABILITY_ASSETS) asset!: string;
  @ExactAmount({ description: 'at the end of the day, in the asset; what the source shows' }) amount!: string;
  @Choice(ASSET_SOURCES, {
    description:
      'chain: balance of the named address, verifiable at any Ethereum node; statement: only the provider states it; books: only the ledger states it, at the end of the day',
  })
  source!: string;
  @Count({
    optional: true,
    description:
      'only with the source chain: the block at which the balance was read, the latest one when the day was closed',
  })
  block?: number;
  @Text({ optional: true, description: 'only with the source chain: the address that holds the balance' })
  address?: string;
}

export class AssetTotalResponse {
  @Choice(LIABILITY_ASSETS) asset!: string;
  @ExactAmount({ description: 'sum of the lines' }) assets!: string;
  @ExactAmount({ description: 'total of all users' }) liabilities!: string;
  @ExactAmount({
    nullable: true,
    description: 'assets divided by liabilities, rounded down at six decimals; null if nothing is owed',
  })
  coverage!: string | null;
}

export class AssetsResponse {
  @DayText() day!: string;
  @ListOf(() => AssetLineResponse) lines!: AssetLineResponse[];
  @ListOf(() => AssetTotalResponse) totals!: AssetTotalResponse[];
}
