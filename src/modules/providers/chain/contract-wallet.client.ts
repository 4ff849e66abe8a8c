import {
  BaseError,
  createClient,
  encodeFunctionData,
  ExecutionRevertedError,
  hashMessage,
  padHex,
  parseAbi,
  RpcRequestError,
  size,
  type Address,
  type CallParameters,
  type Hex,
  type HttpTransport,
} from 'viem';
import { call, verifyMessage } from 'viem/actions';

// Bounds what the contract at an unknown address makes the node compute; deploying a wallet (ERC-6492) takes up to some millions of gas.
const MAX_GAS = 10_000_000n;
/** viem's verification reads the last 32 bytes of a signature and fails for a shorter one. */
const MIN_SIZE = 32;
const ABI = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)']);
/** The whole answer is compared, zeros included, so that a contract that echoes its input is not accepted. */
const ACCEPTED = padHex('0x1626ba7e', { size: 32, dir: 'right' });
/** How Geth, Nethermind and Anvil report that the EVM stopped a call. viem knows only reverted calls. */
const EVM_STOPPED = /out of ?gas|invalid (opcode|jump)|stack (underflow|limit)|^(EVM|VM execution) error/i;

/** Signatures of smart contract wallets (ERC-1271), also of wallets that the signature deploys (ERC-6492): DEC-101. */
export class ContractWalletClient {
  constructor(private readonly transport: HttpTransport) {}

  /** False also for an address without a contract. Throws the error of a node that fails. */
  async isAccepted(address: Address, message: string, signature: Hex): Promise<boolean> {
    // The verification of viem answers false when the node fails, so the client keeps the error of the node.
    let nodeFailure: Error | undefined;
    const client = createClient({ transport: this.transport, cacheTime: 0, ccipRead: false }).extend(
      (base) => ({
        call: (parameters: CallParameters) =>
          call(base, { ...parameters, gas: MAX_GAS }).catch((error: Error) => {
            if (!isRefusedByContract(error)) nodeFailure = error;
            throw error;
          }),
      }),
    );
    const askWallet = async () => {
      const args = [hashMessage(message), signature] as const;
      const data = encodeFunctionData({ abi: ABI, functionName: 'isValidSignature', args });
      return (await client.call({ to: address, data })).data === ACCEPTED;
    };
    const verify = () => verifyMessage(client, { address, message, signature });
    const isAccepted = await (size(signature) < MIN_SIZE ? askWallet() : verify()).catch((error: unknown) => {
      // An error that is not one of viem is about a malformed signature.
      if (!(error instanceof BaseError) || isRefusedByContract(error)) return false;
      throw error;
    });
    if (!isAccepted && nodeFailure !== undefined) throw nodeFailure;
    return isAccepted;
  }
}

/** The contract reverted, or the EVM stopped it, for example because it used up its gas. Both are answers of the node. */
function isRefusedByContract(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  const isRefusal = (cause: unknown) =>
    cause instanceof ExecutionRevertedError ||
    (cause instanceof RpcRequestError && EVM_STOPPED.test(cause.details));
  return error.walk(isRefusal) !== null;
}
