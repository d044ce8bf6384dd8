import type { Clock } from '../../../infra/clock/index.ts'
import { now, type Reader, type Tx } from '../../../infra/database/index.ts'
import type { Sealer } from '../../../infra/secrets/index.ts'
import { appendEvents, expireAllChecksums, newestEvent, restartLog } from '../feed/store.ts'
import * as memory from '../memory/store.ts'
import { noCredentials } from '../nodes/credentials.ts'
import { sameName, withSlash } from '../nodes/rules.ts'
import { nameKey, nodesByNameKeys, primaryNode, setNamespaces, updateNode } from '../nodes/store.ts'
import type { NodeRow } from '../tables.ts'
import type { Knowledge } from './knowledge.ts'
import { type FormerPrimary, rememberPromotion } from './state.ts'
import { deleteReport } from './store.ts'

/** So far are the ids of events after a promotion from those that the former primary may have given. */
const eventsApart = 1_000_000

/** The records of this server and of its primary in the database of the primary; null when one is missing. */
export async function recordsIn(db: Reader, { node }: Knowledge) {
  const primary = await primaryNode(db)
  const found = await nodesByNameKeys(db, [nameKey(node.name)])
  const own = found.find(({ name }) => sameName(name, node.name)) ?? null
  return { primary, own }
}

/** A secret is bound to its key. */
const sealingContext = (accessKey: string) => `geo_sync_state:promotion:${accessKey}`

export const openFormerSecret = (sealer: Sealer, { accessKey, sealedSecret }: FormerPrimary): string =>
  sealer.open(sealedSecret, sealingContext(accessKey))

type Former = { primary: NodeRow; addresses: readonly string[]; accessKey: string; secret: string; sealer: Sealer }

/** Under which addresses the former primary may be told, with the credentials that this server has there. */
export function formerPrimary({ primary, addresses, accessKey, secret, sealer }: Former): FormerPrimary {
  const all = [...addresses, primary.internal_url ?? primary.url, primary.url].map((url) => url.replace(/\/+$/, ''))
  return {
    nodeId: primary.id,
    addresses: [...new Set(all)],
    accessKey,
    sealedSecret: sealer.seal(secret, sealingContext(accessKey)),
    toldAt: null,
  }
}

type Change = {
  clock: Clock
  knowledge: Knowledge
  backupId: string | null
  /** Under which address clients reach this server; undefined: that of its record. */
  url: string | undefined
  former: FormerPrimary
}

/**
 * Makes this server the primary, in the transaction in which its repositories get their places: the record of the former
 * primary becomes that of a secondary that is off, the log of changes begins anew, and all checksums are computed again.
 */
export async function promoteRecords(tx: Tx, { clock, knowledge, backupId, url, former }: Change): Promise<void> {
  const { primary, own } = await recordsIn(tx, knowledge)
  if (!primary || !own) throw new Error('a record of the replication is missing')
  const moment = now(clock)
  await updateNode(tx, primary.id, { is_primary: false, enabled: false, ...noCredentials, updated_at: moment })
  await setNamespaces(tx, own.id, [])
  await updateNode(tx, own.id, {
    ...{ is_primary: true, enabled: true, ...noCredentials, updated_at: moment },
    ...{ selective_sync_type: null, selective_sync_shards: '[]' },
    ...(url !== undefined && { url: withSlash(url), internal_url: null }),
  })
  await deleteReport(tx, own.id)
  const last = Math.max((await newestEvent(tx))?.id ?? 0, knowledge.newestId)
  await restartLog(tx, last + eventsApart)
  await appendEvents(tx, [own.id], { type: null, action: 'node_updated', now: moment })
  await expireAllChecksums(tx, moment)
  await memory.forgetAll(tx)
  await rememberPromotion(tx, { backupId, promotedAt: moment, former })
}
