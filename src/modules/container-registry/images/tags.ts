import { type Actor, forbidden, notFound, type Page, type PageRequest, type Static } from '../../../api/index.ts'
import { now, type Reader } from '../../../infra/database/index.ts'
import { type Platform, registryHost } from '../../../platform/index.ts'
import type { Project } from '../../projects/index.ts'
import { removeTagNow } from '../manifests/remove.ts'
import { isProtectedFromDeletion } from '../protection/rules.ts'
import { levelOfActor, type TagTest, tagsProtectedFromDeletion } from '../tag-protection/rules.ts'
import { pageOfTags, tagDetail, tagDetailsByName, tagNamesAfter } from '../tags/store.ts'
import { contentsOf } from './contents.ts'
import { type ListedTag, pathOf, presentTag, presentTagDetail, presentWholeTag } from './present.ts'
import { requireRepository } from './repositories.ts'
import type { PlacedRepository } from './store.ts'

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
  { repository_id: repositoryId, details }: { repository_id: number; details?: boolean | undefined },
  page: PageRequest,
): Promise<Page<Static<typeof ListedTag>>> {
  const repository = await requireRepository(platform.database.read, project, repositoryId)
  const found = await pageOfNames(platform, repository.id, page)
  if (details) return { ...found, items: await detailedTags(platform, repository, found.items) }
  const [host, path] = [registryHost(platform), pathOf(repository)]
  return { ...found, items: found.items.map((name) => presentTag(host, path, name)) }
}

/** Tags with details, in the order of the names, in one query; those that were deleted meanwhile are left out. */
export async function detailedTags(platform: Platform, repository: PlacedRepository, names: readonly string[]) {
  const [host, path] = [registryHost(platform), pathOf(repository)]
  const tags = await tagDetailsByName(platform.database.read, repository.id, names)
  return names.flatMap((name) => {
    const tag = tags.get(name)
    return tag ? [presentWholeTag(host, path, tag)] : []
  })
}

/** The name of a tag in a repository of the project. */
type TagPlace = { repository_id: number; tag_name: string }

/** A tag with its details (contract 1.6). @throws ApiError 404 */
export async function getTag(
  platform: Platform,
  project: Project,
  { repository_id: id, tag_name: name, details }: TagPlace & { details?: boolean | undefined },
) {
  const { read } = platform.database
  const repository = await requireRepository(read, project, id)
  const tag = await tagDetail(read, repository.id, name)
  if (!tag) throw notFound('Tag')
  const [host, path] = [registryHost(platform), pathOf(repository)]
  if (!details) return presentTagDetail(host, path, tag)
  return presentWholeTag(host, path, tag, await contentsOf(platform, repository.id, tag))
}

/** Names of tags that are read at once. */
const namesAtOnce = 1000

/** Whether a repository has a tag that passes a test. */
async function hasTag(db: Reader, repositoryId: number, test: TagTest): Promise<boolean> {
  for (let last: string | undefined; ; ) {
    const names = await tagNamesAfter(db, repositoryId, { last, limit: namesAtOnce })
    for (const name of names) if (await test(name)) return true
    if (names.length < namesAtOnce) return false
    last = names.at(-1)
  }
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

/**
 * Requires that no rule for tags forbids the caller to delete one, or the repository with its tags.
 * @param name null: all tags of the repository
 * @throws ApiError 403
 */
export async function requireUnprotectedTags(
  { database: { read } }: Platform,
  project: Project,
  actor: Actor,
  { repositoryId, name }: { repositoryId: number; name: string | null },
): Promise<void> {
  const isProtected = await tagsProtectedFromDeletion(read, project.id, levelOfActor(actor, project))
  if (!isProtected) return
  const finds = name === null ? await hasTag(read, repositoryId, isProtected) : await isProtected(name)
  if (finds) throw forbidden('Deleting protected tag forbidden.')
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
  await requireUnprotectedTags(platform, project, actor, { repositoryId: repository.id, name })
  const tag = { repositoryId: repository.id, name, now: now(clock) }
  if (!(await removeTagNow(platform, tag))) throw notFound('Tag')
}
