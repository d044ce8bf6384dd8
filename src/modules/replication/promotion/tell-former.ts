import { now } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { nodeById } from '../nodes/store.ts'
import { nodeAuthorization } from '../protocol/credentials/token.ts'
import { openFormerSecret } from './records.ts'
import { type FormerPrimary, promotionIn, rememberPromotion } from './state.ts'

const patienceMs = 10_000

/** Tells one address. @returns null when it has understood; else why not */
async function tellAt(
  { externalUrl }: Platform,
  address: string,
  { authorization, promotedAt, signal }: { authorization: string; promotedAt: string; signal: AbortSignal },
): Promise<string | null> {
  const response = await fetch(`${address}/api/v4/geo/superseded`, {
    method: 'POST',
    redirect: 'error',
    headers: { Authorization: authorization, 'Content-Type': 'application/json' },
    body: JSON.stringify({ url: externalUrl, promoted_at: promotedAt }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
  }).catch((error: Error & { cause?: Error }) => error.cause?.message ?? error.message)
  if (typeof response === 'string') return response
  await response.body?.cancel()
  return response.status === 201 ? null : `it answers ${response.status}`
}

/** Tells the former primary under its addresses, until one has understood. @returns whether one has */
async function tell(platform: Platform, former: FormerPrimary, promotedAt: string, signal: AbortSignal) {
  const secret = openFormerSecret(await platform.secrets.sealer(), former)
  for (const address of former.addresses) {
    const authorization = nodeAuthorization({ accessKey: former.accessKey, secret }, platform.clock.now())
    const reason = await tellAt(platform, address, { authorization, promotedAt, signal })
    if (reason === null) return true
    platform.log.debug({ address, reason }, 'the former primary could not be told that it is superseded')
  }
  return false
}

/** One attempt. @returns whether nothing is left to do: it has been told, or its record was deleted */
async function attempt(platform: Platform, signal: AbortSignal): Promise<boolean> {
  const { database, clock, log } = platform
  const promotion = await promotionIn(database.read)
  if (!promotion || promotion.former.toldAt !== null) return true
  const { promotedAt, former } = promotion
  if (!(await nodeById(database.read, former.nodeId))) return true
  if (!(await tell(platform, former, promotedAt, signal))) return false
  log.warn({ addresses: former.addresses }, 'the former primary knows that it is superseded')
  await database.write((tx) => rememberPromotion(tx, { ...promotion, former: { ...former, toldAt: now(clock) } }))
  return true
}

/**
 * Tells the primary in whose place this server was promoted that it is superseded, as soon as it can be reached
 * (contract 15, "Promotion").
 * @returns null when there is none to be told; `ended` when nothing is left to do
 */
export async function tellFormerPrimary(
  platform: Platform,
): Promise<{ ended: Promise<void>; stop(): Promise<void> } | null> {
  const promotion = await promotionIn(platform.database.read)
  if (!promotion || promotion.former.toldAt !== null) return null
  const ending = new AbortController()
  let wake = () => {}
  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = platform.clock.setTimer(resolve, platform.config.geo.pollMs)
      wake = () => {
        timer.cancel()
        resolve()
      }
    })
  const loop = async () => {
    while (!ending.signal.aborted) {
      const isDone = await attempt(platform, ending.signal).catch((error) => {
        if (!ending.signal.aborted) platform.log.error({ err: error }, 'telling the former primary failed')
        return false
      })
      if (isDone || ending.signal.aborted) return
      await pause()
    }
  }
  const running = loop()
  return {
    ended: running,
    async stop() {
      ending.abort()
      wake()
      await running
    },
  }
}
