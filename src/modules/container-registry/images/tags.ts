import { type Actor, forbidden, notFound, type Page, type PageRequest } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import { type Platform, registryHost } from '../../../platform/index.ts'
import type { Project } from '../../projects/index.ts'
import { isProtectedFromDeletion } from '../protection/rules.ts'
import { removeTagNow } from '../tags/removal.ts'
import { pageOfTags, tagDetail, tagNamesAfter } from '../tags/store.ts'
import { type PresentedTag, pathOf, presentTag, presentTagDetail } from './present.ts'
import { requireRepository } from './repositories.ts'

/** A page of the names of tags, by its number or after a name. */
async function pageOfNames(platform: Platform, repositoryId: number, page: PageRequest): Promise<Page<string>> {
  const db = platform.database.read
  if (page.kind === 'offset') {
    const found = await pageOfTags(db, repositoryId, page)
    return { ...found, items: found.items.map(({ name }) => name) }
  }
  const { limit, sort, after } = page
  const last = after === undefined ? undefined : String(after[0])
  const names = await tagNamesAfter(db, repositoryId, { last, limit: limit + 1, sort })
  const items = names.slice(0, limit)
  const end = names.length > limit ? items.at(-1) : undefined
  // In the order in which the contract writes the parameters of the link.
  const next = end === undefined ? undefined : { pagination: 'keyset', per_page: String(limit), sort, last: end }
  return { items, ...(next && { next }) }
}

/** A page of the tags of a repository, in byte order (contract 1.5). @throws ApiError 404 */
export async function listTags(
  platform: Platform,
  project: Project,
  repositoryId: number,
  page: PageRequest,
): Promise<Page<PresentedTag>> {
  const repository = await requireRepository(platform.database.read, project, repositoryId)
  const [host, path] = [registryHost(platform), pathOf(repository)]
  const found = await pageOfNames(platform, repository.id, page)
  return { ...found, items: found.items.map((name) => presentTag(host, path, name)) }
}

/** The name of a tag in a repository of the project. */
type TagPlace = { repository_id: number; tag_name: string }

/** A tag with its details (contract 1.6). @throws ApiError 404 */
export async function getTag(platform: Platform, project: Project, { repository_id: id, tag_name: name }: TagPlace) {
  const { read } = platform.database
  const repository = await requireRepository(read, project, id)
  const tag = await tagDetail(read, repository.id, name)
  if (!tag) throw notFound('Tag')
  return presentTagDetail(registryHost(platform), pathOf(repository), tag)
}

/** @throws ApiError 403 when a rule forbids the caller to delete the repository or its tags */
export async function requireUnprotected(
  platform: Platform,
  project: Project,
  actor: Actor,
  repositoryName: string,
): Promise<void> {
  if (!(await isProtectedFromDeletion(platform, project, actor, repositoryName))) return
  throw forbidden('Deleting protected container repository forbidden.')
}

/** Removes a tag; the manifest and other tags on it stay (contract 1.7). @throws ApiError 403, 404 */
export async function deleteTag(
  platform: Platform,
  project: Project,
  actor: Actor,
  { repository_id: id, tag_name: name }: TagPlace,
): Promise<void> {
  const { database, clock } = platform
  const repository = await requireRepository(database.read, project, id)
  await requireUnprotected(platform, project, actor, repository.name)
  const tag = { repositoryId: repository.id, name, now: now(clock) }
  if (!(await removeTagNow(platform, tag))) throw notFound('Tag')
}
