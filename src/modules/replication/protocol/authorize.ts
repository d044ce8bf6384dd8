import { type Actor, ApiError, authenticate, forbidden, isAdministrator, unauthorized } from '../../../api/index.ts'
import { authenticatorOf, type Platform } from '../../../platform/index.ts'
import { authorizeRegistryRead } from '../../container-registry/index.ts'
import { authorizeGitRead } from '../../git-transport/index.ts'
import { authorizeUploadRead } from '../../uploads/index.ts'
import { currentChecksum } from '../feed/store.ts'
import type { ReplicableType } from '../types.ts'

/** What a client wants to read of a secondary, with its credentials as it sent them (x.geo_int.authorize). */
export type ReadRequest = {
  action: 'git_read' | 'upload_read' | 'registry_read' | 'admin'
  path: string
  headers: Record<string, string | undefined>
}

/** What a secondary is to do: serve the item if its copy has the checksum, or answer like this. */
export type Verdict = {
  allowed: boolean
  status: number
  body: string | null
  www_authenticate: string | null
  type: ReplicableType | null
  id: number | null
  checksum: string | null
}

const none = { status: 200, body: null, www_authenticate: null, type: null, id: null, checksum: null }

function refusal(error: unknown): Verdict {
  if (!(error instanceof ApiError)) throw error
  const { status, body, headers } = error
  return {
    ...none,
    allowed: false,
    status,
    body: JSON.stringify(body),
    www_authenticate: headers['WWW-Authenticate'] ?? null,
  }
}

const typesOfKinds = { project: 'project_repositories', snippet: 'snippet_repositories' } as const

async function gitRead(platform: Platform, { path, headers }: ReadRequest): Promise<Verdict> {
  const found = await authorizeGitRead(platform, path, headers.authorization)
  if ('refusal' in found) {
    const { status, text, headers: answered } = found.refusal
    return { ...none, allowed: false, status, body: text, www_authenticate: answered['WWW-Authenticate'] ?? null }
  }
  const { row, showsMore } = found
  const ofWiki = row.project_id === null ? 'group_wiki_repositories' : 'project_wiki_repositories'
  const type = row.kind === 'wiki' ? ofWiki : typesOfKinds[row.kind]
  // A job fetches refs that a secondary does not show.
  if (showsMore) return { ...none, allowed: true }
  const checksum = await currentChecksum(platform.database.read, type, row.id)
  return { ...none, allowed: true, type, id: row.id, checksum }
}

async function actorOf(platform: Platform, { path, headers }: ReadRequest): Promise<Actor> {
  const query = Object.fromEntries(new URLSearchParams(path.split('?')[1] ?? ''))
  return authenticate({ headers, ip: '', raw: query, query }, authenticatorOf(platform), {})
}

async function uploadRead(platform: Platform, asked: ReadRequest): Promise<Verdict> {
  const actor = await actorOf(platform, asked)
  const { id } = await authorizeUploadRead(platform, actor, asked.path)
  return {
    ...none,
    allowed: true,
    type: 'uploads',
    id,
    checksum: await currentChecksum(platform.database.read, 'uploads', id),
  }
}

const registryPath = /^\/v2\/(.+)\/(?:blobs|manifests)\/[^/]+$/

/** The checksum is that of the tags; parts that are named by their digests need none. */
async function registryRead(platform: Platform, { path, headers }: ReadRequest): Promise<Verdict> {
  const name = registryPath.exec(path.split('?')[0] ?? '')?.[1]
  const id = name === undefined ? null : await authorizeRegistryRead(platform, name, headers.authorization)
  if (id === null) throw unauthorized()
  const type = 'container_repositories'
  return { ...none, allowed: true, type, id, checksum: await currentChecksum(platform.database.read, type, id) }
}

async function administration(platform: Platform, asked: ReadRequest): Promise<Verdict> {
  const actor = await actorOf(platform, asked)
  if (actor.kind === 'anonymous') throw unauthorized()
  if (!isAdministrator(actor)) throw forbidden()
  return { ...none, allowed: true }
}

const deciders = { git_read: gitRead, upload_read: uploadRead, registry_read: registryRead, admin: administration }

/** Decides a client's read for a secondary (x.geo_int.authorize). */
export async function decide(platform: Platform, asked: ReadRequest): Promise<Verdict> {
  try {
    return await deciders[asked.action](platform, asked)
  } catch (error) {
    return refusal(error)
  }
}
