import { type Actor, failure, type PageRequest } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { Project } from '../../projects/index.ts'
import { requireRepository } from '../images/repositories.ts'
import { detailedTags } from '../images/tags.ts'
import { levelOfActor, tagsProtectedFromDeletion } from '../tag-protection/rules.ts'
import { countTags } from '../tags/store.ts'
import { rulesOf } from './bulk.ts'
import { chosenTags } from './cleanup.ts'
import type { BulkDeletion } from './params.ts'

/** A repository with more tags has no preview: the request would wait too long. */
const mostTags = 50_000

/**
 * A page of the tags that a bulk deletion would delete now, oldest first: chosen as its job chooses them (contract 02,
 * x.registry_deletion_preview).
 * @throws ApiError 404, 422
 */
export async function previewDeletion(
  platform: Platform,
  project: Project,
  actor: Actor,
  given: BulkDeletion,
  { page, signal }: { page: PageRequest; signal: AbortSignal },
) {
  const { read } = platform.database
  const repository = await requireRepository(read, project, given.repository_id)
  const count = (await countTags(read, [repository.id])).get(repository.id) ?? 0
  if (count > mostTags) throw failure(422, `The repository has more than ${mostTags} tags`)
  const isProtected = await tagsProtectedFromDeletion(read, project.id, levelOfActor(actor, project))
  const chosen = await chosenTags(platform, { repositoryId: repository.id, isProtected }, rulesOf(given), signal)
  const { page: number, perPage } = page.kind === 'offset' ? page : { page: 1, perPage: page.limit }
  const names = chosen.slice((number - 1) * perPage, number * perPage).map(({ name }) => name)
  return { items: await detailedTags(platform, repository, names), total: chosen.length }
}
