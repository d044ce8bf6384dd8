import { now, type Tx } from '../../../infra/database/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import type { Digest } from '../blobs/digest.ts'
import { registryProblem, registryProblems } from '../http/problems.ts'
import { ensureRepository } from '../repositories/create.ts'
import type { RegistryPlace } from '../repositories/find.ts'
import { setTag } from '../tags/store.ts'
import { readConfig } from './config.ts'
import { annotatedDate, configDate, layersSize } from './derive.ts'
import { isIndexType } from './media-types.ts'
import { digestOf, isTagName, parseReference, type Reference } from './reference.ts'
import { storeManifest } from './store/manifests.ts'
import {
  childrenSummary,
  holdLinkedBlobs,
  holdManifests,
  insertReferences,
  type LinkedBlob,
  type References,
} from './store/references.ts'
import { lockManifests } from './store/removal.ts'
import { type ParsedManifest, parseManifest, textOf } from './validate.ts'

/** A manifest that was received, before it is stored. */
type Received = {
  manifest: ParsedManifest
  text: string
  digest: Digest
  sizeBytes: number
  /** Null when the manifest is pushed by its digest. */
  tag: string | null
  /** `created` of the config. */
  configCreatedAt: string | null
  now: string
}

/**
 * Reads the reference of a push.
 * @throws RegistryProblem 400 TAG_INVALID, DIGEST_INVALID
 */
export function pushReference(text: string): Reference {
  const reference = parseReference(text)
  if (reference.kind === 'tag' && !isTagName(reference.name)) {
    throw registryProblem('TAG_INVALID', { detail: { tag: text } })
  }
  return reference
}

function digestFor(reference: Reference, bytes: Uint8Array): Digest {
  if (reference.kind === 'tag') return digestOf(bytes, 'sha256')
  const { digest } = reference
  const found = digestOf(bytes, digest.startsWith('sha512:') ? 'sha512' : 'sha256')
  if (found !== digest) throw registryProblem('DIGEST_INVALID', { detail: { digest } })
  return digest
}

/** The date in the config of an image. Read before the transaction: the content of a digest never changes. */
async function configDateOf(
  platform: Platform,
  { repository }: RegistryPlace,
  { config }: ParsedManifest,
): Promise<string | null> {
  const bytes = config && repository && (await readConfig(platform, repository.id, config.digest))
  return bytes ? configDate(bytes) : null
}

const digestsOf = (descriptors: readonly { digest: string }[]) => [...new Set(descriptors.map(({ digest }) => digest))]

/** One MANIFEST_BLOB_UNKNOWN for each digest that is needed and not there. */
function requireAll(needed: readonly { digest: string }[], found: readonly { digest: string }[]): void {
  const known = new Set(found.map(({ digest }) => digest))
  const missing = digestsOf(needed).filter((digest) => !known.has(digest))
  if (missing.length === 0) return
  throw registryProblems(
    'MANIFEST_BLOB_UNKNOWN',
    missing.map((digest) => ({ digest })),
  )
}

type Resolved = References & { sizeBytes: number; createdAt: string | null }

async function resolveIndex(tx: Tx, repositoryId: number, { children }: ParsedManifest): Promise<Resolved> {
  const digests = digestsOf(children)
  const manifests = await holdManifests(tx, repositoryId, digests)
  const known = new Set(manifests.map(({ digest }) => digest))
  const others = digests.filter((digest) => !known.has(digest))
  const blobs = others.length === 0 ? [] : await holdLinkedBlobs(tx, repositoryId, others)
  requireAll(children, [...manifests, ...blobs])
  const childIds = manifests.map(({ id }) => id)
  const blobIds = blobs.map(({ blob_id: id }) => id)
  const { sizeBytes, newest } = await childrenSummary(tx, childIds, blobIds)
  return { childIds, blobIds, layerIds: blobIds, sizeBytes, createdAt: newest }
}

async function resolveImage(tx: Tx, repositoryId: number, manifest: ParsedManifest): Promise<Resolved> {
  const { config, layers } = manifest
  const needed = [...(config ? [config] : []), ...layers.filter(({ isForeign }) => !isForeign)]
  const blobs = await holdLinkedBlobs(tx, repositoryId, digestsOf([...needed, ...layers]))
  requireAll(needed, blobs)
  const layerDigests = new Set<string>(layers.map(({ digest }) => digest))
  const idsOf = (found: readonly LinkedBlob[]) => found.map(({ blob_id: id }) => id)
  return {
    childIds: [],
    blobIds: idsOf(blobs),
    layerIds: idsOf(blobs.filter(({ digest }) => layerDigests.has(digest))),
    sizeBytes: layersSize(manifest, new Map(blobs.map(({ digest, size_bytes: size }) => [digest, size]))),
    createdAt: null,
  }
}

/** Stores a manifest, what it needs, and its tag. What it needs cannot be removed by others until the transaction ends. */
async function store(platform: Platform, tx: Tx, place: RegistryPlace, received: Received): Promise<void> {
  const { manifest, text, digest, sizeBytes, tag, configCreatedAt, now: moment } = received
  const { id: repositoryId } = await ensureRepository(tx, place, moment)
  await lockManifests(tx, repositoryId)
  const resolve = isIndexType(manifest.mediaType) ? resolveIndex : resolveImage
  const resolved = await resolve(tx, repositoryId, manifest)
  const { config, subject, annotations, artifactType, mediaType } = manifest
  const row = {
    repository_id: repositoryId,
    digest,
    media_type: mediaType,
    size_bytes: sizeBytes,
    config_digest: config?.digest ?? null,
    artifact_type: artifactType,
    subject_digest: subject?.digest ?? null,
    annotations: annotations && JSON.stringify(annotations),
    layers_size_bytes: resolved.sizeBytes,
    image_created_at: configCreatedAt ?? annotatedDate(manifest) ?? resolved.createdAt,
    used_at: moment,
    created_at: moment,
  }
  const manifestId = await storeManifest(tx, row, text)
  await insertReferences(tx, { id: manifestId, repositoryId }, resolved)
  if (tag !== null) await setTag(tx, { repositoryId, name: tag, manifestId, now: moment })
  await react(platform, tx, 'container_repository.changed', { repositoryId })
}

/** A request to store a manifest. */
export type Push = { reference: Reference; bytes: Uint8Array; contentType: string | undefined }

/** What the answer of a push says. */
export type Pushed = { digest: Digest; subject: Digest | null }

/**
 * Stores a manifest and moves its tag, in one transaction with all checks (contract 02, x.v2_manifest_put). Of two pushes to
 * one tag the last commit wins.
 * @throws RegistryProblem 400 MANIFEST_INVALID, MANIFEST_BLOB_UNKNOWN, DIGEST_INVALID; 403; 404 NAME_UNKNOWN
 */
export async function pushManifest(
  platform: Platform,
  place: RegistryPlace,
  { reference, bytes, contentType }: Push,
): Promise<Pushed> {
  const text = textOf(bytes)
  const manifest = parseManifest(text, contentType)
  const digest = digestFor(reference, bytes)
  const received: Received = {
    manifest,
    text,
    digest,
    sizeBytes: bytes.length,
    tag: reference.kind === 'tag' ? reference.name : null,
    configCreatedAt: await configDateOf(platform, place, manifest),
    now: now(platform.clock),
  }
  await platform.database.write((tx) => store(platform, tx, place, received))
  return { digest, subject: manifest.subject?.digest ?? null }
}
