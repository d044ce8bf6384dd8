/** Where requests of the server may go (design §11). The public face: other folders import from here alone. */
export { type AddressKind, isInNetwork, kindOfAddress, literalAddress } from './addresses.ts'
export {
  BlockedAddress,
  checkLiteralHost,
  type Lookup,
  type OutboundPolicy,
  type ResolvedHost,
  resolveOutbound,
} from './outbound.ts'
