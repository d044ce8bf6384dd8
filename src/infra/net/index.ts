/** Rules for outbound requests of the server (design §11). */
export { type AddressKind, isInNetwork, kindOfAddress, literalAddress, networkOf } from './addresses.ts'
export {
  BlockedAddress,
  checkLiteralHost,
  type Lookup,
  type OutboundPolicy,
  type ResolvedHost,
  resolveOutbound,
} from './outbound.ts'
export { type OutboundAnswer, type OutboundRequest, sendOutbound } from './request.ts'
export { textRecords } from './txt.ts'
