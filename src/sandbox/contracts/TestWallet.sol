// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// A contract wallet for the development chain (ERC-1271): it accepts what its owner has signed, and with an empty signature
/// what its owner has approved on chain.
contract TestWallet {
    address public immutable owner;

    mapping(bytes32 hash => bool) public isApproved;

    error InvalidSignatureLength();
    error NotTheOwner();

    constructor(address owner_) {
        owner = owner_;
    }

    function approve(bytes32 hash) external {
        if (msg.sender != owner) revert NotTheOwner();
        isApproved[hash] = true;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        if (signature.length == 0) return isApproved[hash] ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
        if (signature.length != 65) revert InvalidSignatureLength();
        bytes32 r = bytes32(signature[:32]);
        bytes32 s = bytes32(signature[32:64]);
        address signer = ecrecover(hash, uint8(signature[64]), r, s);
        return signer != address(0) && signer == owner ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }
}
