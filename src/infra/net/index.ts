/** Rules for outbound requests of the server (design §11). */
export { isInNetwork, isNetwork, kindOfAddress, literalAddress, networkOf } from './addresses.ts'
export {
  BlockedAddress,
  checkLiteralHost,
  type Lookup,
  type OutboundPolicy,
  type ResolvedHost,
  resolveOutbound,
} from './outbound.ts'
export { collectAnswer, type OpenedAnswer, type OutboundAnswer, openOutbound, sendOutbound } from './request.ts'
export { requestHttp, requestHttps } from './requests-by-node.ts'

import { Resolver } from 'node:dns/promises'

const timeoutMs = 3000
const tries = 2

/** The texts of the TXT records of a name; none when the name has none or cannot be resolved. */
export async function textRecords(name: string): Promise<string[]> {
  try {
    const records = await new Resolver({ timeout: timeoutMs, tries }).resolveTxt(name)
    return records.map((parts) => parts.join(''))
  } catch {
    return []
  }
}
