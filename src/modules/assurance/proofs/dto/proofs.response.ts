import {
  EnumField,
  IntegerField,
  HashListField,
  HashField,
  InstantField,
  ListField,
  StringField,
} from '../../../../http/openapi/fields.js';

const CHECKPOINT_EXAMPLE =
  'app.example.com/ledger\n1\nOjqj76nkLusZZRKAuAAS95vb6cA2g5TDVuA0pyR2iU8=\n\n— app.example.com/ledger yEyQEZ…\n';

const SignedNote = () =>
  StringField({ description: 'the signed checkpoint, a C2SP signed note', example: CHECKPOINT_EXAMPLE });

export class CheckpointResponse {
  @IntegerField({ description: 'number of leaves' }) size!: number;
  @HashField({ description: 'root of the tree' }) root!: string;
  @InstantField() at!: string;
  @SignedNote() checkpoint!: string;
}

export class ConsistencyResponse {
  @IntegerField({ description: 'number of leaves of the older tree' }) from!: number;
  @IntegerField({ description: 'number of leaves of the newer tree' }) to!: number;
  @HashListField({ description: 'the proof of RFC 9162, section 2.1.4' }) path!: string[];
}

export class InclusionProofResponse {
  @StringField({ description: 'the text that is hashed: canonical JSON of a ledger transaction' })
  leaf!: string;
  @IntegerField({ description: 'place in the log, from 0' }) leafIndex!: number;
  @IntegerField({ description: 'number of leaves of the checkpoint' }) treeSize!: number;
  @HashListField({ description: 'the proof of RFC 9162, section 2.1.3, from the leaf to the root' })
  path!: string[];
  @SignedNote() checkpoint!: string;
}

export class TransactionProofResponse {
  @ListField(() => InclusionProofResponse, { description: 'one for each ledger transaction of the record' })
  proofs!: InclusionProofResponse[];
}

export class PublicKeyResponse {
  @EnumField(['OKP']) kty!: 'OKP';
  @EnumField(['Ed25519']) crv!: 'Ed25519';
  @StringField({
    description: 'public key, base64url',
    example: 'A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg',
  })
  x!: string;
  @StringField({
    description: 'thumbprint of RFC 7638, base64url',
    example: '1IG2tMH7J2wbJZnOf8LJzQitKf7LMvoAElsuDMVM54Y',
  })
  kid!: string;
  @EnumField(['EdDSA']) alg!: 'EdDSA';
  @EnumField(['sig']) use!: 'sig';
}

export class KeySetResponse {
  @ListField(() => PublicKeyResponse, {
    description:
      'every key that signs or has signed, the most recently recorded first, those of the answering process before the others',
  })
  keys!: PublicKeyResponse[];
}
