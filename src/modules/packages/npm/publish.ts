import { parameterErrors } from '../../../api/index.ts'
import type { Tx } from '../../../infra/database/index.ts'
import { now } from '../../../infra/database/index.ts'
import { limited } from '../../../infra/streams/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { ancestorsOf } from '../../namespaces/index.ts'
import { planLimits } from '../../plan-limits/index.ts'
import { actorOf } from '../access/callers.ts'
import type { ServedProject } from '../access/subjects.ts'
import { packageOf } from '../core/store.ts'
import { discardContent, type Received, receiveContent } from '../files/received.ts'
import { isProtected } from '../protection/rules.ts'
import { type Published, publishReceived, requireAtRest } from '../publishing/publish.ts'
import { isNpmName, isNpmVersion, isTag, scopeOf, tarballName } from './names.ts'
import { npmInvalid, npmRefusal } from './problems.ts'
import { largestManifest, type Manifest, type Publication, readNpmBody, readPublication } from './publication.ts'
import { hasTwin, insertManifest, moveTag } from './store.ts'

/** What a body may have besides the tarball, in bytes. */
const besidesBytes = 10 * 1024 * 1024

/** The largest body of a publication, whose tarball is written in base64. @param fileBytes 0: no limit */
export const largestBody = (fileBytes: number) => (fileBytes === 0 ? 0 : Math.ceil((fileBytes * 4) / 3) + besidesBytes)

const fileTooLarge = () => npmRefusal(400, 'File is too large.')
const alreadyExists = () => npmRefusal(403, 'Package already exists.')

/** @throws ApiError 403 */
async function requireNew(platform: Platform, { project }: ServedProject, name: string, version: string) {
  const identity = { type: 'npm', nameKey: name, version } as const
  if (await packageOf(platform.database.read, project.id, identity)) throw alreadyExists()
}

/** @throws ApiError 403 */
async function requireUnprotected(platform: Platform, { project, caller }: ServedProject, name: string) {
  const act = { type: 'npm', name, action: 'push' } as const
  if (await isProtected(platform, project, actorOf(caller), act)) throw npmRefusal(403, 'Package protected.')
}

/** A publication that can be stored. */
type Accepted = { version: string; tag: string | undefined; manifest: string; received: Received }

/** The text of a manifest as it is stored. @throws ApiError 400 */
function storedManifest(manifest: Manifest | null | undefined): string {
  const scripts = (manifest?.scripts ?? {}) as Record<string, unknown>
  const hasInstallScript = ['preinstall', 'install', 'postinstall'].some((name) => scripts[name] !== undefined)
  const text = JSON.stringify({ ...manifest, ...(hasInstallScript && { hasInstallScript }) })
  if (!manifest || text.length >= largestManifest) {
    throw npmInvalid(`Package json structure is too large. Maximum size is ${largestManifest} characters`)
  }
  return text
}

/** @throws ApiError 400 */
function requireSameBytes({ manifest, attachment }: Publication, received: Received): void {
  const { announcedBytes = received.sizeBytes } = attachment ?? {}
  if (announcedBytes !== received.sizeBytes) throw npmInvalid('Attachment has another length')
  const { shasum, integrity } = (manifest?.dist ?? {}) as Record<string, unknown>
  const sha512 = `sha512-${Buffer.from(received.sha512, 'hex').toString('base64')}`
  const sha1 = `sha1-${Buffer.from(received.sha1, 'hex').toString('base64')}`
  const isIntact =
    integrity === undefined ||
    (typeof integrity === 'string' && integrity.split(/\s+/).some((one) => one === sha512 || one === sha1))
  if (shasum !== received.sha1 || !isIntact) throw npmInvalid('Checksum does not match')
}

/** What can be stored of a publication. @throws ApiError 400, 403 in the order of contract 23 */
async function accept(platform: Platform, served: ServedProject, name: string, found: Publication): Promise<Accepted> {
  if (!found.hasVersions) throw parameterErrors([{ name: 'versions', missing: true, text: 'is missing' }])
  const { version, attachment, manifest, tag } = found
  if (!version) throw npmRefusal(400, 'Version is empty.')
  const received = attachment?.name === tarballName(name, version) ? attachment.received : undefined
  if (!received || received.sizeBytes === 0) throw npmRefusal(400, 'Attachment data is empty.')
  await requireNew(platform, served, name, version)
  if (found.name !== name || !isNpmName(name)) throw npmInvalid('Name is invalid')
  if (!isNpmVersion(version)) throw npmInvalid('Version is invalid')
  if (tag !== undefined && !isTag(tag)) throw npmInvalid('Tag is invalid')
  const stored = storedManifest(manifest)
  requireSameBytes(found, received)
  return { version, tag, manifest: stored, received }
}

/** The root of the namespace of a project, if names of this scope are unique below it. */
async function rootOfScope({ database }: Platform, { project }: ServedProject, name: string): Promise<number | null> {
  const root = (await ancestorsOf(database.read, project.namespace_id)).at(-1)
  return root && scopeOf(name)?.toLowerCase() === root.full_path.toLowerCase() ? root.id : null
}

async function store(platform: Platform, served: ServedProject, name: string, accepted: Accepted): Promise<Published> {
  const { version, tag, manifest, received } = accepted
  const target = { type: 'npm', name, version, fileName: tarballName(name, version) } as const
  const rootId = await rootOfScope(platform, served, name)
  return publishReceived(platform, served, target, received, {
    async admit(tx: Tx, { found, isNew }) {
      if (!isNew) throw alreadyExists()
      if (rootId !== null && (await hasTwin(tx, rootId, found))) throw npmInvalid('Package already exists')
    },
    async record(tx: Tx, { found }) {
      await insertManifest(tx, found.id, manifest)
      if (tag !== undefined) await moveTag(tx, found, tag, now(platform.clock))
    },
  })
}

/**
 * Publishes a version, whose tarball is stored while the body arrives (contract 23, x.npm_publish).
 * @throws ApiError 400, 403, 413, 507
 */
export async function publishNpm(
  platform: Platform,
  served: ServedProject,
  name: string,
  content: AsyncIterable<Uint8Array>,
): Promise<Published> {
  await requireAtRest(platform, served.project.id)
  const { npm_max_file_size: maximumBytes } = await planLimits(platform.database.read)
  // What needs no body is checked before it is read.
  await requireUnprotected(platform, served, name)
  let received: Received | undefined
  try {
    const found = await readNpmBody(content, largestBody(maximumBytes), (reader) =>
      readPublication(reader, async (_attachment, { version }, bytes) => {
        if (version !== undefined) await requireNew(platform, served, name, version)
        received = await receiveContent(platform, limited(bytes, maximumBytes, fileTooLarge))
        return received
      }),
    )
    const accepted = await accept(platform, served, name, found)
    const published = store(platform, served, name, accepted)
    // From now on the publication deletes what it does not need.
    received = undefined
    return await published
  } catch (error) {
    if (received) await discardContent(platform, received)
    throw error
  }
}
