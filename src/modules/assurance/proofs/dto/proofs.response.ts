import { Choice, Count, HashList, HashText, Instant, ListOf, Text } from '../../../../http/openapi/fields.js';

const CHECKPOINT_EXAMPLE =
  'app.example.com/ledger\n1\nOjqj76nkLusZZRKAuAAS95vb6cA2g5TDVuA0pyR2iU8=\n\n— app.example.com/ledger yEyQEZ…\n';

const SignedNote = () =>
  Text({ description: 'the signed checkpoint, a C2SP signed note', example: CHECKPOINT_EXAMPLE });

export class CheckpointResponse {
  @Count({ description: 'number of leaves' })
  size!: number;
  @HashText({ description: 'root of the tree' })
  root!: string;
  @Instant()
  at!: string;
  @SignedNote()
  checkpoint!: string;
}

export class ConsistencyResponse {
  @Count({ description: 'number of leaves of the older tree' })
  from!: number;
  @Count({ description: 'number of leaves of the newer tree' })
  to!: number;
  @HashList({ description: 'the proof of RFC 9162, section 2.1.4' })
  path!: string[];
}

export class InclusionProofResponse {
  @Text({ description: 'the text that is hashed: canonical JSON of a ledger transaction' })
  leaf!: string;
  @Count({ description: 'place in the log, from 0' })
  leafIndex!: number;
  @Count({ description: 'number of leaves of the checkpoint' })
  treeSize!: number;
  @HashList({ description: 'the proof of RFC 9162, section 2.1.3, from the leaf to the root' })
  path!: string[];
  @SignedNote()
  checkpoint!: string;
}

export class TransactionProofResponse {
  @ListOf(() => InclusionProofResponse, { description: 'one for each ledger transaction of the record' })
  proofs!: InclusionProofResponse[];
}

export class PublicKeyResponse {
  @Choice(['OKP'])
  kty!: 'OKP';
  @Choice(['Ed25519'])
  crv!: 'Ed25519';
  @Text({ description: 'public key, base64url', example: 'A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg' })
  x!: string;
  @Text({
    description: 'thumbprint of RFC 7638, base64url',
    example: '1IG2tMH7J2wbJZnOf8LJzQitKf7LMvoAElsuDMVM54Y',
  })
  kid!: string;
  @Choice(['EdDSA'])
  alg!: 'EdDSA';
  @Choice(['sig'])
  use!: 'sig';
}

export class KeySetResponse {
  @ListOf(() => PublicKeyResponse, {
    description:
      'every key that signs or has signed, the most recently recorded first, those of the answering process before the others',
  })
  keys!: PublicKeyResponse[];
}
