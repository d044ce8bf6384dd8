import { now, type Tx } from '../../../infra/database/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import type { Digest } from '../blobs/digest.ts'
import { registryProblem } from '../http/problems.ts'
import type { RegistryPlace } from '../repositories/find.ts'
import type { TagTest } from '../tag-protection/rules.ts'
import { type RemovedTag, removeTag, tagsOn } from '../tags/store.ts'
import { refuseProtected } from './protected-tags.ts'
import { isTagName, manifestUnknown, type Reference } from './reference.ts'
import { isListed, manifestByDigest } from './store/manifests.ts'
import { deleteManifests, lockManifests } from './store/removal.ts'

/**
 * Removes a tag; its manifest can still be pulled by digest until garbage collection.
 * @throws RegistryProblem 403 DENIED; 404 MANIFEST_UNKNOWN, also for a text that cannot be a tag
 */
export async function removeTagOf(
  platform: Platform,
  { repository }: RegistryPlace,
  name: string,
  isProtected: TagTest | null,
): Promise<void> {
  const tag = { repositoryId: repository?.id ?? 0, name, now: now(platform.clock) }
  if (isTagName(name)) await refuseProtected(isProtected, 'delete', [name])
  const isRemoved = repository && isTagName(name) && (await removeTagNow(platform, tag))
  if (!isRemoved) throw manifestUnknown(name)
}

type RemovedManifest = { repositoryId: number; digest: Digest; isProtected: TagTest | null; now: string }

async function removeManifest(
  tx: Tx,
  { repositoryId, digest, isProtected, now: moment }: RemovedManifest,
): Promise<void> {
  await lockManifests(tx, repositoryId)
  const found = await manifestByDigest(tx, repositoryId, digest)
  if (!found) throw manifestUnknown(digest)
  if (await isListed(tx, found.id)) {
    throw registryProblem('UNSUPPORTED', { message: 'manifest is referenced by an index' })
  }
  if (isProtected) await refuseProtected(isProtected, 'delete', await tagsOn(tx, found.id))
  await deleteManifests(tx, [found.id], moment)
}

/**
 * Removes a tag, or a manifest with every tag on it (contract 1.10). Manifests whose subject it is stay.
 * @param isProtected the tags that the caller may not delete
 * @throws RegistryProblem 403 DENIED; 404 MANIFEST_UNKNOWN; 405 for a manifest that an index lists
 */
export async function removeReference(
  platform: Platform,
  place: RegistryPlace,
  reference: Reference,
  isProtected: TagTest | null,
): Promise<void> {
  if (reference.kind === 'tag') return removeTagOf(platform, place, reference.name, isProtected)
  const { repository } = place
  if (!repository) throw manifestUnknown(reference.digest)
  const moment = now(platform.clock)
  await platform.database.write(async (tx) => {
    await removeManifest(tx, { repositoryId: repository.id, digest: reference.digest, isProtected, now: moment })
    await react(platform, tx, 'container_repository.changed', { repositoryId: repository.id })
  })
}

/** Removes a tag in a transaction of its own. @returns false when there is no such tag, or it was moved meanwhile */
export function removeTagNow(platform: Platform, tag: RemovedTag): Promise<boolean> {
  return platform.database.write(async (tx) => {
    const isRemoved = await removeTag(tx, tag)
    if (isRemoved) await react(platform, tx, 'container_repository.changed', { repositoryId: tag.repositoryId })
    return isRemoved
  })
}
