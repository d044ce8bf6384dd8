import { createHmac } from 'node:crypto'
import type { Tx } from '../../infra/database/index.ts'
import { sendOutbound } from '../../infra/net/index.ts'
import { SealError } from '../../infra/secrets/index.ts'
import { type Events, enqueue, enqueueAll, type Job, type Platform, type Reaction } from '../../platform/index.ts'
import { payloadOfEvent, type SavedRequest, storeRequestEvent } from '../hooks/index.ts'
import { mergeRequestById } from '../merge-requests/index.ts'
import { outboundPolicy } from '../projects/index.ts'
import { secretContext } from './checks.ts'
import { checksFor, hasStatusChecks } from './statuses.ts'
import { statusCheckById } from './store.ts'
import type { StatusCheckRow } from './tables.ts'

/** Of the answer nothing is used. */
const bodyBytes = 1024

/** The key of the signature; null without one, or when it was sealed with a lost key, which is logged. */
async function secretOf({ secrets, log }: Platform, { id, sealed_secret }: StatusCheckRow): Promise<string | null> {
  if (sealed_secret === null) return null
  try {
    return (await secrets.sealer()).open(sealed_secret, secretContext(id))
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    log.error({ statusCheck: id, err: error }, 'the secret of a status check cannot be opened')
    return null
  }
}

/** The headers of a request, the signature under both of its names. */
function headersOf({ config }: Platform, secret: string | null, body: string): Record<string, string> {
  const signature = secret === null ? null : createHmac('sha256', secret).update(body).digest('hex')
  return {
    'Content-Type': 'application/json',
    'User-Agent': `GitLab/${config.version}`,
    ...(signature === null ? {} : { 'X-Gitlab-Signature': signature, 'X-Service-Signature': signature }),
  }
}

/** Sends a merge request to a check, once; neither an answer nor an error changes anything (contract 24, Status checks). */
async function send(platform: Platform, check: StatusCheckRow, payload: string): Promise<void> {
  const { id, name, external_url } = check
  const external_approval_rule = { id, name, external_url }
  const body = JSON.stringify({ ...(JSON.parse(payload) as object), external_approval_rule })
  const headers = headersOf(platform, await secretOf(platform, check), body)
  const policy = outboundPolicy(await platform.settings.current())
  try {
    await sendOutbound({
      ...{ method: 'POST', url: new URL(external_url), headers, body, policy },
      ...{ timeoutMs: platform.config.webhookTimeoutMs, maximumBytes: bodyBytes, cutsAnswer: true },
    })
  } catch (error) {
    platform.log.info({ statusCheck: id, err: error }, 'a status check could not be reached')
  }
}

export const sendJob: Job<{ checkId: number; eventId: number }> = {
  kind: 'status_checks.send',
  queue: 'status_checks',
  // They wait for receivers, and a few that hang must not hold up the others.
  slots: 16,
  async run(platform, { checkId, eventId }) {
    const check = await statusCheckById(platform.database.read, checkId)
    const payload = check && (await payloadOfEvent(platform, eventId))
    if (check && payload) await send(platform, check, payload)
  },
}

/** Sends a merge request to the checks that are for it, after the transaction. */
async function sendToChecks(platform: Platform, tx: Tx, saved: SavedRequest): Promise<void> {
  if (!hasStatusChecks(platform)) return
  const row = await mergeRequestById(tx, saved.mergeRequestId)
  const checks = row ? await checksFor(tx, row) : []
  if (checks.length === 0) return
  const eventId = await storeRequestEvent(platform, tx, saved)
  if (eventId === null) return
  const payloads = checks.map(({ id }) => ({ checkId: id, eventId }))
  await enqueueAll(platform, tx, sendJob, payloads)
}

/** Sends a merge request to one check again, after the transaction. */
export async function sendAgain(
  platform: Platform,
  tx: Tx,
  checkId: number,
  request: Pick<SavedRequest, 'mergeRequestId' | 'projectId' | 'userId'>,
): Promise<void> {
  const eventId = await storeRequestEvent(platform, tx, { ...request, action: 'update' })
  if (eventId !== null) await enqueue(platform, tx, sendJob, { checkId, eventId })
}

/** A merge request was created, or its source branch was pushed to. */
export const checkChangedRequests: Reaction<Events['merge_request.changed']> = async (platform, tx, changed) => {
  const { mergeRequestId, projectId, userId, sha, previousSha } = changed
  const oldrev = previousSha === null || previousSha === sha ? {} : { oldrev: previousSha }
  const action = previousSha === null ? 'open' : 'update'
  await sendToChecks(platform, tx, { mergeRequestId, projectId, userId, action, ...oldrev })
}

/** A user has edited or reopened a merge request. */
export const checkSavedRequests: Reaction<Events['merge_request.saved']> = async (platform, tx, saved) => {
  if (saved.action !== 'close') await sendToChecks(platform, tx, saved)
}
