import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { type Platform, perPlatform } from '../../../platform/index.ts'
import { confirm, forget, hashed } from '../memory/confirmations.ts'
import type { ReadRequest, Verdict } from '../protocol/authorize.ts'
import { type PrimaryClient, PrimaryRefusal } from '../secondary/client.ts'
import type { Secondary } from '../secondary/state.ts'
import * as store from '../secondary/store.ts'
import { anonymousCaller, callerOf, credentialsOf } from './callers.ts'

/** How long a permission is used again (contract 15, "Requests to a secondary"). */
const reuseMs = 60_000
const mostPermissions = 10_000

type Permission = { verdict: Verdict; untilMs: number }

const permissions = perPlatform(() => new LRUCache<string, Permission>({ max: mostPermissions }))

/** Asks the primary again for everything: what it has may have changed by a request that was passed on. */
export function forgetPermissions(platform: Platform): void {
  permissions(platform).clear()
}

const refusedStatus = 401

/** Whether these are credentials of an administrator, by what the primary lets them do. */
async function asAdministrator(client: PrimaryClient, headers: Record<string, string>, signal: AbortSignal) {
  const { status, body } = await client.askAs(headers, { signal })
  const none = { www_authenticate: null, type: null, id: null, checksum: null }
  if (status === 200) return { ...none, allowed: true, status, body: null } satisfies Verdict
  return { ...none, allowed: false, status: status >= 400 ? status : refusedStatus, body } satisfies Verdict
}

/** Permissions for the two requests of a fetch are one. */
const pathOf = ({ url }: FastifyRequest, action: ReadRequest['action']) =>
  action === 'git_read' ? (url.split('?', 1)[0] ?? '').replace(/\/[^/]+$/, '').replace(/\.git\/info$/, '.git') : url

/** What a request reads, as it is remembered: an administrator reads everything. */
export function readOf(platform: Platform, request: FastifyRequest, action: 'git_read' | 'upload_read' | 'admin') {
  const path = action === 'admin' ? '' : (pathOf(request, action).split('?', 1)[0] ?? '')
  return { caller: callerOf(platform, request), action, resource: hashed(platform, path) }
}

/** Whether a refusal says that the right is not there, rather than that it cannot be told now. */
const isDefinitive = ({ allowed, status }: Verdict) => !allowed && [401, 403, 404].includes(status)

/** Remembers what the primary has confirmed, for the time when it is away, and forgets what it has refused. */
async function remember(platform: Platform, request: FastifyRequest, action: ReadRequest['action'], verdict: Verdict) {
  // What a token of the registry opens is remembered for its holder.
  if (action === 'registry_read') return
  const read = readOf(platform, request, action)
  const { allowed, status, type, id } = verdict
  const isWhole = action === 'admin' || (type !== null && id !== null)
  if (allowed && isWhole) await confirm(platform, read, { type, id })
  // The credentials themselves have ended.
  const hasEnded = status === 401 && read.caller !== anonymousCaller(platform)
  if (isDefinitive(verdict)) await forget(platform, hasEnded ? { caller: read.caller } : read)
  // What one caller may not read, not everybody may.
  if (isDefinitive(verdict) && status !== 401) await forget(platform, { ...read, caller: anonymousCaller(platform) })
}

/** A client need not wait longer than this to learn that the primary does not answer; a shorter time when that is known. */
const patienceMs = { usual: 10_000, whileAway: 2_000 }

type SentRead = ReadRequest & { headers: Record<string, string> }

/** Asks the primary. @throws PrimaryUnreachable, PrimaryRefusal */
async function ask({ client, signal, unreachable }: Secondary, asked: SentRead): Promise<Verdict> {
  const timeoutMs = unreachable === null ? patienceMs.usual : patienceMs.whileAway
  return client.post<Verdict>('/geo/authorize', asked, { signal, timeoutMs }).catch((error) => {
    // A node that is disabled or not registered any more shows its administrators why it is idle.
    const isOwn = asked.action === 'admin' && error instanceof PrimaryRefusal
    if (isOwn) return asAdministrator(client, asked.headers, signal)
    throw error
  })
}

/**
 * Asks the primary whether a client may read. A permission is used again for the same credentials and path, while the copy
 * still has the checksum that it names.
 * @throws PrimaryUnreachable, PrimaryRefusal
 */
export async function authorizeRead(
  platform: Platform,
  secondary: Secondary,
  request: FastifyRequest,
  action: ReadRequest['action'],
): Promise<Verdict> {
  const { clock, database } = platform
  const cache = permissions(platform)
  const headers = credentialsOf(request)
  const key = JSON.stringify([action, pathOf(request, action), headers])
  const nowMs = clock.now().getTime()
  const known = cache.get(key)
  if (known && known.untilMs > nowMs && known.verdict.type !== null && known.verdict.id !== null) {
    const replica = await store.replicaOf(database.read, known.verdict.type, known.verdict.id)
    if (replica?.state === 'synced' && replica.checksum === known.verdict.checksum) return known.verdict
  }
  const path = action === 'git_read' ? `${pathOf(request, action)}/info/refs` : request.url
  const verdict = await ask(secondary, { action, path, headers })
  await remember(platform, request, action, verdict)
  // Tokens of the registry are short-lived, and each use of one is asked for.
  if (verdict.allowed && verdict.checksum !== null && action !== 'registry_read') {
    cache.set(key, { verdict, untilMs: nowMs + reuseMs })
  } else cache.delete(key)
  return verdict
}
