import { bytesOf } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { sendEmpty } from '../http/answers.ts'
import { grants, onRepository } from '../http/challenge.ts'
import { changeRefusals, refusal, repositoryRefusals } from '../http/documentation.ts'
import { deleting, pulling, pushing, type RepositoryEndpoint, type RepositoryExchange } from '../http/endpoint.ts'
import { registryProblem } from '../http/problems.ts'
import { refuseProtected, tagsProtectedFrom } from './protected-tags.ts'
import { pushManifest, pushReference } from './push.ts'
import { isTagName, manifestUnknown, parseReference } from './reference.ts'
import { removeReference, removeTagOf } from './remove.ts'
import { type ManifestHead, manifestByDigest, manifestByTag, payloadOf } from './store/manifests.ts'
import { renewManifest } from './store/removal.ts'

/** A grace period is begun again when it began longer ago than this, or than a part of itself. */
const renewalMs = 60_000
/** The largest manifest, in bytes. */
const maximumBytes = 4 * 1024 * 1024

const tooLarge = () =>
  registryProblem('MANIFEST_INVALID', { status: 413, detail: { reason: `larger than ${maximumBytes} bytes` } })

/** Reads the body of a push; nothing beyond the limit. @throws RegistryProblem 413 */
async function readBody({ clock }: Platform, { raw }: RepositoryExchange['request']): Promise<Buffer> {
  if (Number(raw.headers['content-length']) > maximumBytes) throw tooLarge()
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of bytesOf(raw, clock)) {
    sizeBytes += chunk.length
    if (sizeBytes > maximumBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** @throws RegistryProblem 400 DIGEST_INVALID; 404 MANIFEST_UNKNOWN */
async function findManifest({ database }: Platform, exchange: RepositoryExchange): Promise<ManifestHead> {
  const reference = parseReference(exchange.reference)
  const { repository } = exchange.place
  if (!repository) throw manifestUnknown(exchange.reference)
  const isTag = reference.kind === 'tag'
  if (isTag && !isTagName(reference.name)) throw manifestUnknown(exchange.reference)
  const found = isTag
    ? await manifestByTag(database.read, repository.id, reference.name)
    : await manifestByDigest(database.read, repository.id, reference.digest)
  if (!found) throw manifestUnknown(exchange.reference)
  return found
}

/** Whether the client has the manifest; digests may be quoted or not. */
function isKnown(exchange: RepositoryExchange, { digest }: ManifestHead): boolean {
  const known = exchange.request.headers['if-none-match'] ?? ''
  return known.split(',').some((tag) => ['*', digest].includes(tag.trim().replace(/^W\//, '').replaceAll('"', '')))
}

/**
 * Begins the grace period again of a manifest on which a client that pushes relies (contract 02 R10), unless it has just begun.
 * @throws RegistryProblem 404 when it was collected meanwhile
 */
async function renew({ database, clock, config }: Platform, { id, digest, used_at: usedAt }: ManifestHead) {
  const ageMs = clock.now().getTime() - Date.parse(usedAt)
  if (ageMs < Math.min(renewalMs, config.registryGcGraceMs / 100)) return
  if (!(await database.write((tx) => renewManifest(tx, id, now(clock))))) throw manifestUnknown(digest)
}

/** Answers GET and HEAD. The stored media type is sent whatever the client accepts. */
async function pull(platform: Platform, exchange: RepositoryExchange): Promise<void> {
  const { reply, request } = exchange
  const found = await findManifest(platform, exchange)
  const { digest, media_type: mediaType, size_bytes: sizeBytes } = found
  const names = { 'Docker-Content-Digest': digest, ETag: `"${digest}"` }
  const isHead = request.method === 'HEAD'
  if (isHead && grants(exchange.token, onRepository(exchange.name, ['push']))) await renew(platform, found)
  if (isKnown(exchange, found)) return sendEmpty(reply, 304, names)
  const headers = { ...names, 'Content-Type': mediaType, 'Content-Length': sizeBytes }
  if (isHead) return sendEmpty(reply, 200, headers)
  const payload = await payloadOf(platform.database.read, found.id)
  if (payload === null) throw manifestUnknown(exchange.reference)
  reply.code(200).headers(headers).send(Buffer.from(payload))
}

async function push(platform: Platform, exchange: RepositoryExchange): Promise<void> {
  const { request, reply, name, place } = exchange
  const reference = pushReference(exchange.reference)
  if (reference.kind === 'tag') {
    await refuseProtected(await tagsProtectedFrom(platform, exchange, 'push'), 'push', [reference.name])
  }
  const bytes = await readBody(platform, request)
  const contentType = request.headers['content-type']
  const { digest, subject } = await pushManifest(platform, place, { reference, bytes, contentType })
  sendEmpty(reply, 201, {
    Location: `/v2/${name}/manifests/${digest}`,
    'Docker-Content-Digest': digest,
    'Content-Length': 0,
    ...(subject === null ? {} : { 'OCI-Subject': subject }),
  })
}

async function remove(platform: Platform, exchange: RepositoryExchange): Promise<void> {
  const { reply, place } = exchange
  const reference = parseReference(exchange.reference)
  await removeReference(platform, place, reference, await tagsProtectedFrom(platform, exchange, 'delete'))
  sendEmpty(reply, 202)
}

async function removeLegacy(platform: Platform, exchange: RepositoryExchange): Promise<void> {
  const { reply, place, reference } = exchange
  if (!platform.config.registryLegacyTagDelete) return sendEmpty(reply, 404)
  await removeTagOf(platform, place, reference, await tagsProtectedFrom(platform, exchange, 'delete'))
  sendEmpty(reply, 202, {
    Deprecation: 'true',
    Warning: '299 - "tags/reference is deprecated, use manifests/<tag>"',
  })
}

const path = '/v2/{name}/manifests/{reference}'
const mediaType = 'application/vnd.oci.image.manifest.v1+json'
const found = { description: 'The manifest, as it was pushed', mediaType }
const listed = refusal('The manifest is listed by an index')

/** The endpoints of manifests (contract 02). */
export const manifestEndpoints: readonly RepositoryEndpoint[] = [
  {
    id: 'registry.get_manifest',
    contract: 'x.v2_manifest_get',
    method: 'GET',
    path,
    summary: 'Pull a manifest by tag or digest',
    description: 'The stored media type is sent; `Accept` is not negotiated.',
    answers: { 200: found, 304: { description: 'The client has it already' }, ...repositoryRefusals },
    access: pulling,
    run: pull,
  },
  {
    id: 'registry.head_manifest',
    contract: 'x.v2_manifest_head',
    method: 'HEAD',
    path,
    summary: 'Check that a manifest exists',
    description: 'Status and headers are those of GET.',
    answers: { 200: { description: 'The manifest exists' }, ...repositoryRefusals },
    access: pulling,
    run: pull,
  },
  {
    id: 'registry.put_manifest',
    contract: 'x.v2_manifest_put',
    method: 'PUT',
    path,
    summary: 'Push a manifest by tag or digest',
    description:
      'Takes an OCI or Docker (schema 2) manifest or index of at most 4 MiB. What it refers to must be in the repository.',
    takes: mediaType,
    answers: {
      201: { description: 'Stored; `Docker-Content-Digest` has its digest' },
      413: refusal('The manifest is larger than 4 MiB'),
      ...changeRefusals,
    },
    access: pushing,
    run: push,
  },
  {
    id: 'registry.delete_manifest',
    contract: '1.10',
    method: 'DELETE',
    path,
    summary: 'Delete a tag or a manifest by reference',
    description: 'By tag, only the tag is deleted. By digest, the manifest is deleted with every tag on it.',
    answers: { 202: { description: 'Deleted' }, 405: listed, ...changeRefusals },
    access: deleting,
    run: remove,
  },
  {
    id: 'registry.delete_tag_reference',
    contract: '1.10b',
    method: 'DELETE',
    path: '/v2/{name}/tags/reference/{tag}',
    summary: 'Delete a tag by reference (deprecated)',
    description: 'Like deleting a manifest by tag, which replaces it.',
    answers: { 202: { description: 'Deleted' }, ...changeRefusals },
    access: deleting,
    run: removeLegacy,
  },
]
