import { now } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { challenge, grants, onRepository } from '../http/challenge.ts'
import { pushing, type RepositoryExchange } from '../http/endpoint.ts'
import { ensureRepository } from '../repositories/create.ts'
import { findPlace } from '../repositories/find.ts'
import { isRepositoryName } from '../repositories/names.ts'
import { type Digest, parseDigest } from './digest.ts'
import { holdLink, upsertLink } from './store.ts'

/** Links a blob of one of the repositories to the target. @returns false when none has it */
async function linkFrom(
  { database, clock }: Platform,
  { place }: RepositoryExchange,
  repositoryIds: readonly number[],
  digest: Digest,
): Promise<boolean> {
  return database.write(async (tx) => {
    for (const id of repositoryIds) {
      const blob = await holdLink(tx, id, digest)
      if (!blob) continue
      const target = await ensureRepository(tx, place, now(clock))
      await upsertLink(tx, target.id, blob.id, now(clock))
      return true
    }
    return false
  })
}

/** The repository from which a request mounts a blob; null when it cannot mount one. */
export function mountSource(query: URLSearchParams): string | null {
  const from = query.get('from') ?? ''
  return parseDigest(query.get('mount') ?? '') && isRepositoryName(from) ? from : null
}

/**
 * Links a blob of another repository to this one, without moving bytes (contract 02, x.v2_upload_start).
 * @returns the digest; null when the client has to upload the blob
 * @throws RegistryProblem 401 when the token was never asked for the other repository
 */
export async function mountBlob(platform: Platform, exchange: RepositoryExchange): Promise<Digest | null> {
  const { query, token, name, place } = exchange
  const digest = parseDigest(query.get('mount') ?? '')
  const from = mountSource(query)
  if (!digest || from === null) return null
  const pullOfSource = onRepository(from, ['pull'])
  if (!grants(token, pullOfSource)) {
    if (token.asked.includes(from)) return null
    throw challenge(platform, { kind: 'valid', token }, [onRepository(name, pushing.asks), pullOfSource])
  }
  const source = await findPlace(platform.database.read, from)
  const ids = [place.repository?.id, source?.repository?.id].filter((id) => id !== undefined)
  return (await linkFrom(platform, exchange, ids, digest)) ? digest : null
}
