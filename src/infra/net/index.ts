/** Rules for outbound requests of the server (design §11). */
export { isInNetwork, kindOfAddress, literalAddress, networkOf } from './addresses.ts'
export {
  BlockedAddress,
  checkLiteralHost,
  type Lookup,
  type OutboundPolicy,
  type ResolvedHost,
  resolveOutbound,
} from './outbound.ts'
export { type OutboundAnswer, sendOutbound } from './request.ts'
export { textRecords } from './txt.ts'
