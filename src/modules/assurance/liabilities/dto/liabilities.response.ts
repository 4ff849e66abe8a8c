import {
  EnumField,
  IntegerField,
  DayField,
  ExactAmountField,
  HashListField,
  HashField,
  ListField,
  NestedField,
  StringField,
  UuidField,
} from '../../../../http/openapi/fields.js';
import { ASSET_SOURCES, LIABILITY_ASSETS } from '../domain/asset-lines.js';

export class LiabilitiesResponse {
  @DayField() day!: string;
  @EnumField(LIABILITY_ASSETS) asset!: string;
  @HashField({ description: 'root of the sum tree over all users' }) root!: string;
  @ExactAmountField({ description: 'sum of the amounts of all users at the end of the day' }) total!: string;
  @IntegerField({ description: 'users in the tree' }) leaves!: number;
  @IntegerField({ description: 'leaves with padding: the smallest power of two that holds all users' })
  size!: number;
  @IntegerField({ description: 'index in the log of the leaf that names root, total and leaves' })
  leafIndex!: number;
  @HashListField({ description: 'hashes from that leaf to the root of the checkpoint' }) path!: string[];
  @StringField({ description: 'signed checkpoint of the log (C2SP tlog-checkpoint)' }) checkpoint!: string;
}

export class LiabilityComponentsResponse {
  @ExactAmountField({ description: 'available balance at the end of the day' }) available!: string;
  @ExactAmountField({ description: 'for withdrawals in progress' }) reserved!: string;
  @ExactAmountField({ description: 'value of open investments on the day' }) invested!: string;
  @ExactAmountField({ description: 'confirmed deposits that are not credited yet' }) held!: string;
}

export class SumSiblingResponse {
  @EnumField(['left', 'right'], { description: 'the side of the sibling' }) side!: string;
  @HashField() hash!: string;
  @ExactAmountField({ description: 'sum of the amounts below it' }) sum!: string;
}

export class ProofOfLiabilitiesResponse {
  @DayField() day!: string;
  @EnumField(LIABILITY_ASSETS) asset!: string;
  @UuidField() userId!: string;
  @IntegerField({ description: 'index of your leaf in the tree, new each day' }) index!: number;
  @StringField({ description: 'base64 of 16 random bytes that hide you in the tree' }) nonce!: string;
  @ExactAmountField({ description: 'the sum of the components' }) amount!: string;
  @NestedField(() => LiabilityComponentsResponse) components!: LiabilityComponentsResponse;
  @ListField(() => SumSiblingResponse, { description: 'from your leaf to the root' })
  path!: SumSiblingResponse[];
  @HashField({ description: 'the same value as in GET /api/proofs/liabilities/{day}' }) root!: string;
  @ExactAmountField({ description: 'the same value as in GET /api/proofs/liabilities/{day}' }) total!: string;
}

export class AssetLineResponse {
  @StringField({
    example: 'custody',
    description: 'custody, custody-elsewhere (not at its named addresses) or deposit-provider/<network>',
  })
  place!: string;
  @EnumField(LIABILITY_ASSETS) asset!: string;
  @ExactAmountField({ description: 'at the end of the day, in the asset; what the source shows' })
  amount!: string;
  @EnumField(ASSET_SOURCES, {
    description:
      'chain: balance of the named address, verifiable at any Ethereum node; statement: only the provider states it; books: only the ledger states it, at the end of the day',
  })
  source!: string;
  @IntegerField({
    optional: true,
    description:
      'only with the source chain: the block at which the balance was read, the latest one when the day was closed',
  })
  block?: number;
  @StringField({
    optional: true,
    description: 'only with the source chain: the address that holds the balance',
  })
  address?: string;
}

export class AssetTotalResponse {
  @EnumField(LIABILITY_ASSETS) asset!: string;
  @ExactAmountField({ description: 'sum of the lines' }) assets!: string;
  @ExactAmountField({ description: 'total of all users' }) liabilities!: string;
  @ExactAmountField({
    nullable: true,
    description: 'assets divided by liabilities, rounded down at six decimals; null if nothing is owed',
  })
  coverage!: string | null;
}

export class AssetsResponse {
  @DayField() day!: string;
  @ListField(() => AssetLineResponse) lines!: AssetLineResponse[];
  @ListField(() => AssetTotalResponse) totals!: AssetTotalResponse[];
}
