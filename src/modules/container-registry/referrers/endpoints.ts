import { parseDateTime } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { parseDigest } from '../blobs/digest.ts'
import { sendJson } from '../http/answers.ts'
import { repositoryRefusals } from '../http/documentation.ts'
import { pulling, type RepositoryEndpoint, type RepositoryExchange } from '../http/endpoint.ts'
import { maximumPage, nextLink } from '../http/pages.ts'
import { registryProblem } from '../http/problems.ts'
import { isMediaType } from '../manifests/descriptors.ts'
import { ociIndex } from '../manifests/media-types.ts'
import { annotationsOf, type ReferrerPlace, referrersOf, storedAt } from '../manifests/store/manifests.ts'

type Referrer = Awaited<ReturnType<typeof referrersOf>>[number]

/** Manifests whose annotations are in one answer have this size together at most, in bytes, unless it is one. */
const maximumBytes = 8 * 1024 * 1024

const descriptorOf = (row: Referrer, annotations: string | undefined) => ({
  mediaType: row.media_type,
  size: row.size_bytes,
  digest: row.digest,
  artifactType: row.artifact_type ?? undefined,
  annotations: annotations === undefined ? undefined : JSON.parse(annotations),
})

/**
 * Where a page begins. The link has the time of the last entry beside its digest, so that the walk goes on when that
 * manifest was removed meanwhile.
 */
async function placeAfter(
  db: Reader,
  repositoryId: number,
  query: URLSearchParams,
): Promise<ReferrerPlace | undefined> {
  const digest = parseDigest(query.get('last') ?? '')
  if (!digest) return undefined
  const created = parseDateTime(query.get('stored') ?? '') ?? (await storedAt(db, repositoryId, digest))
  return created === null ? undefined : { created_at: created, digest }
}

/** The first of the manifests, as many as fit into one answer. */
function pageOf(found: readonly Referrer[]): readonly Referrer[] {
  let sizeBytes = 0
  const end = found.findIndex(({ size_bytes: bytes }, index) => {
    sizeBytes += bytes
    return index === maximumPage || (index > 0 && sizeBytes > maximumBytes)
  })
  return end < 0 ? found : found.slice(0, end)
}

/** A type that no manifest can have finds none. */
const isFindable = (artifactType: string | undefined) => artifactType === undefined || isMediaType(artifactType)

async function list({ database }: Platform, exchange: RepositoryExchange): Promise<void> {
  const { query, reply, name, place, reference } = exchange
  const subject = parseDigest(reference)
  if (!subject) throw registryProblem('DIGEST_INVALID', { detail: { digest: reference } })
  const artifactType = query.get('artifactType') || undefined
  const id = place.repository?.id
  const found =
    id === undefined || !isFindable(artifactType)
      ? []
      : await referrersOf(database.read, id, {
          subject,
          artifactType,
          after: await placeAfter(database.read, id, query),
          limit: maximumPage + 1,
        })
  const shown = pageOf(found)
  const last = found.length > shown.length ? shown.at(-1) : undefined
  const ids = shown.map((row) => row.id)
  const annotations = shown.length === 0 ? new Map<number, string>() : await annotationsOf(database.read, ids)
  const filter: Record<string, string> = artifactType === undefined ? {} : { artifactType }
  const next = last && { ...filter, last: last.digest, stored: last.created_at }
  const body = {
    schemaVersion: 2,
    mediaType: ociIndex,
    manifests: shown.map((row) => descriptorOf(row, annotations.get(row.id))),
  }
  sendJson(reply, 200, body, {
    'Content-Type': ociIndex,
    ...(artifactType === undefined ? {} : { 'OCI-Filters-Applied': 'artifactType' }),
    ...(next && nextLink(`/v2/${name}/referrers/${subject}`, next)),
  })
}

/** The endpoint of manifests with a subject (contract 02). */
export const referrerEndpoints: readonly RepositoryEndpoint[] = [
  {
    id: 'registry.list_referrers',
    contract: 'x.v2_referrers',
    method: 'GET',
    path: '/v2/{name}/referrers/{digest}',
    summary: 'List the manifests that refer to a subject',
    description: 'An OCI index, in the order in which the manifests were stored; empty for an unknown subject.',
    query: {
      artifactType: { required: false, description: 'Only manifests of this type.' },
      last: { required: false, description: 'The list begins after the manifest with this digest.' },
    },
    answers: { 200: { description: 'The manifests', mediaType: ociIndex }, ...repositoryRefusals },
    access: pulling,
    run: list,
  },
]
