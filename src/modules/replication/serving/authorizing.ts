import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { type Platform, perPlatform } from '../../../platform/index.ts'
import type { ReadRequest, Verdict } from '../protocol/authorize.ts'
import { type PrimaryClient, PrimaryRefusal } from '../secondary/client.ts'
import type { Secondary } from '../secondary/state.ts'
import * as store from '../secondary/store.ts'

/** How long a permission is used again (contract 15, "Requests to a secondary"). */
const reuseMs = 60_000
const mostPermissions = 10_000

type Permission = { verdict: Verdict; untilMs: number }

const permissions = perPlatform(() => new LRUCache<string, Permission>({ max: mostPermissions }))

/** Asks the primary again for everything: what it has may have changed by a request that was passed on. */
export function forgetPermissions(platform: Platform): void {
  permissions(platform).clear()
}

const credentialNames = ['authorization', 'private-token', 'deploy-token', 'job-token'] as const

function credentialsOf({ headers }: FastifyRequest): Record<string, string> {
  const sent = credentialNames.map((name) => [name, headers[name]] as const)
  return Object.fromEntries(sent.filter(([, value]) => typeof value === 'string')) as Record<string, string>
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

/**
 * Asks the primary whether a client may read. A permission is used again for the same credentials and path, while the copy
 * still has the checksum that it names.
 * @throws PrimaryUnreachable, PrimaryRefusal
 */
export async function authorizeRead(
  platform: Platform,
  { client, signal }: Secondary,
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
  const asked: ReadRequest = { action, path, headers }
  const verdict = await client.post<Verdict>('/geo/authorize', asked, { signal }).catch((error) => {
    // A node that is disabled or not registered any more shows its administrators why it is idle.
    if (action === 'admin' && error instanceof PrimaryRefusal) return asAdministrator(client, headers, signal)
    throw error
  })
  // Tokens of the registry are short-lived, and each use of one is asked for.
  if (verdict.allowed && verdict.checksum !== null && action !== 'registry_read')
    cache.set(key, { verdict, untilMs: nowMs + reuseMs })
  else cache.delete(key)
  return verdict
}
