import { now } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { dropReplica, removeContent } from '../copies/copies.ts'
import { transferFile } from '../copies/transfer-file.ts'
import { transferImages } from '../copies/transfer-images.ts'
import { transferRepository } from '../copies/transfer-repository.ts'
import { checksumOfCopy } from '../copies/verify.ts'
import type { ReplicaRow } from '../tables.ts'
import { classOf, type TransferClass, typesOf } from '../types.ts'
import { PrimaryRefusal, PrimaryUnreachable } from './client.ts'
import type { NodeCapacities, Secondary } from './state.ts'
import * as store from './store.ts'

const mismatch = 'Checksum does not match the primary checksum'
const longestFailure = 255
const longestDelayMs = 3_600_000
const dayMs = 86_400_000
const longestTransferMs = 8 * 3_600_000

const transfers = {
  repositories: transferRepository,
  files: transferFile,
  container_repositories: transferImages,
} as const

const after = ({ clock }: Platform, ms: number) => new Date(clock.now().getTime() + ms).toISOString()

/** When a failure is repeated: each time later, with a spread of a tenth (contract 15, "Tracking row of a replicable"). */
function retryAt(platform: Platform, retryCount: number): string {
  const delayMs = Math.min(longestDelayMs, platform.config.geo.retryBaseMs * 2 ** Math.min(retryCount - 1, 30))
  return after(platform, delayMs * (0.9 + 0.2 * platform.random()))
}

const messageOf = (error: unknown) => ((error as Error).message || 'The transfer failed').slice(0, longestFailure)

/** What a refusal of the primary says about an item. */
function meaningOf(error: unknown): 'missing' | 'gone' | 'unreachable' | 'failed' {
  if (error instanceof PrimaryUnreachable) return 'unreachable'
  if (!(error instanceof PrimaryRefusal)) return 'failed'
  if (error.body.geo_code === 'FILE_NOT_FOUND') return 'missing'
  const isOutside = error.status === 403 && error.message.includes('Not selected')
  return error.status === 404 || isOutside ? 'gone' : 'failed'
}

async function recordCopied(platform: Platform, replica: ReplicaRow, location: string): Promise<void> {
  const { database, clock } = platform
  const copied = {
    location,
    synced_at: now(clock),
    ...{ retry_count: 0, retry_at: null, failure: null, missing_on_primary: false },
    ...{ verification_failure: null, checksum_mismatch: false },
  }
  const isThere = await database.write(async (tx) => {
    const finished = { ...copied, state: 'synced', verification: 'pending' } as const
    if (await store.updateReplica(tx, replica, finished)) return true
    // The item has changed meanwhile: what was copied is served no more, and is the base of the next transfer.
    return store.updateAnyVersion(tx, replica.id, { ...copied, state: 'pending', verification: 'none' })
  })
  const isReplaced = replica.location !== null && replica.location !== location
  if (isReplaced) await removeContent(platform, replica, replica.location as string)
  if (!isThere) await removeContent(platform, replica, location)
}

/** Records why a transfer has failed, and when it is repeated. */
async function recordFailure(platform: Platform, replica: ReplicaRow, error: unknown): Promise<void> {
  const { database, clock } = platform
  const meaning = meaningOf(error)
  if (meaning === 'gone') {
    await dropReplica(platform, replica, (id) => database.write((tx) => store.deleteReplica(tx, id)))
    return
  }
  const retryCount = replica.retry_count + 1
  const changes = {
    unreachable: { state: 'pending' as const },
    missing: {
      ...{ state: 'synced' as const, missing_on_primary: true, synced_at: now(clock), verification: 'none' as const },
      ...{ retry_count: 0, failure: null, retry_at: after(platform, dayMs) },
    },
    failed: {
      ...{ state: 'failed' as const, retry_count: retryCount, failure: messageOf(error) },
      retry_at: retryAt(platform, retryCount),
    },
  }[meaning]
  await database.write(async (tx) => {
    const isCurrent = await store.updateReplica(tx, replica, changes)
    if (!isCurrent) await store.updateAnyVersion(tx, replica.id, { state: 'pending' })
  })
}

/** Copies one item. */
async function transfer(platform: Platform, secondary: Secondary, replica: ReplicaRow): Promise<void> {
  const signal = AbortSignal.any([secondary.signal, AbortSignal.timeout(longestTransferMs)])
  try {
    const location = await transfers[classOf(replica.type)](platform, replica, { client: secondary.client, signal })
    await recordCopied(platform, replica, location)
  } catch (error) {
    if (secondary.signal.aborted) return
    if (meaningOf(error) === 'failed')
      platform.log.warn({ err: error, type: replica.type, id: replica.replicable_id }, 'a transfer failed')
    await recordFailure(platform, replica, error)
  }
}

/** Compares one copy with the checksum of the primary (contract 15, "Tracking row of a replicable"). */
async function verify(platform: Platform, secondary: Secondary, replica: ReplicaRow): Promise<void> {
  const { database, clock } = platform
  const moment = now(clock)
  const retries = replica.verification_retry_count + 1
  const outcome = await checksumOfCopy(platform, replica, secondary.signal).then(
    (checksum) => {
      if (checksum === replica.primary_checksum) {
        const verified = { verification: 'succeeded' as const, verified_at: moment, verification_retry_count: 0 }
        return {
          ...verified,
          checksum,
          verification_failure: null,
          verification_retry_at: null,
          checksum_mismatch: false,
        }
      }
      const copyAgain = { state: 'failed' as const, failure: mismatch, retry_count: replica.retry_count + 1 }
      const failed = { verification: 'failed' as const, verification_failure: mismatch, checksum_mismatch: true }
      const again = { retry_at: retryAt(platform, replica.retry_count + 1), verification_retry_count: retries }
      return { ...copyAgain, ...failed, ...again, checksum: checksum.length === 64 ? checksum : null }
    },
    (error) => ({
      ...{ verification: 'failed' as const, verification_failure: messageOf(error), verification_retry_count: retries },
      verification_retry_at: retryAt(platform, retries),
    }),
  )
  if (secondary.signal.aborted) return
  await database.write(async (tx) => {
    if (!(await store.finishVerification(tx, replica, outcome))) await store.verifyAgain(tx, replica.id)
  })
}

type Kind = TransferClass | 'verification'

const capacityOf = (kind: Kind, capacities: NodeCapacities) =>
  ({
    repositories: capacities.repos_max_capacity,
    files: capacities.files_max_capacity,
    container_repositories: capacities.container_repositories_max_capacity,
    verification: capacities.verification_max_capacity,
  })[kind]

const kinds: readonly Kind[] = ['repositories', 'files', 'container_repositories', 'verification']

/** Reads at most so many waiting copies at once. */
const mostAtOnce = 100

/** Starts what the capacities allow. @returns how much was started */
async function fill(platform: Platform, secondary: Secondary, kind: Kind): Promise<number> {
  const { database, clock } = platform
  const { read } = database
  const running = secondary.running[kind]
  const free = Math.min(mostAtOnce, capacityOf(kind, secondary.capacities()) - running.size)
  if (free <= 0) return 0
  const isVerification = kind === 'verification'
  const found = isVerification
    ? await store.waitingForVerification(read, free)
    : await store.waitingForTransfer(read, typesOf(kind), free)
  let started = 0
  for (const replica of found) {
    const what = isVerification ? 'verification' : 'state'
    if (!(await database.write((tx) => store.claim(tx, replica, what, now(clock))))) continue
    started += 1
    const work = (isVerification ? verify : transfer)(platform, secondary, replica)
      .catch((error) => platform.log.error({ err: error }, 'a copy could not be recorded'))
      .finally(() => {
        running.delete(work)
        secondary.wakeWork()
      })
    running.add(work)
  }
  return started
}

/** Starts transfers and verifications as the capacities allow (contract 15, "Loop of the secondary", step 4). */
export async function startWork(platform: Platform, secondary: Secondary): Promise<void> {
  const { database, clock } = platform
  const verifiedBefore = after(platform, -secondary.reverificationDays() * dayMs)
  await database.write((tx) => store.resumeDue(tx, { now: now(clock), verifiedBefore }))
  for (const kind of kinds) await fill(platform, secondary, kind)
}
