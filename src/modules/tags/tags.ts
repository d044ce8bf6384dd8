import {
  type Actor,
  failure,
  notFound,
  type Page,
  type PageRequest,
  pageOfList,
  type Unmodified,
} from '../../api/index.ts'
import { RefConflict, refName, type TagRef, zeroOid } from '../../infra/git/index.ts'
import type { Platform } from '../../platform/index.ts'
import {
  changeRefs,
  type OpenedRepository,
  openRepository,
  openRepositoryForWriting,
  RefRefused,
  writerOf,
} from '../../platform/repositories/index.ts'
import type { Project } from '../projects/index.ts'
import { mayCreateTag, protectedTagTest } from '../protected-tags/index.ts'
import { makeTag } from './make-tag.ts'
import { filterTags } from './order.ts'
import type { NewTag, TagFilter } from './params.ts'
import { type PresentedTag, presentTag, type ReleaseOfTag } from './present.ts'

declare module '../../platform/platform.ts' {
  interface Questions {
    /** The releases of tags that the caller may see, by tag name. */
    'tags.releases'(
      project: Project,
      actor: Actor,
      names: readonly string[],
    ): Promise<ReadonlyMap<string, ReleaseOfTag>>
  }
}

/** Presents a page of tags; each fact is loaded once for the whole page. */
async function present(
  platform: Platform,
  project: Project,
  actor: Actor,
  { repository }: OpenedRepository,
  page: readonly TagRef[],
): Promise<PresentedTag[]> {
  const names = page.map(({ name }) => name)
  const [commits, objects, isProtected, releases] = await Promise.all([
    repository.commits(page.filter(({ peeledType }) => peeledType === 'commit').map(({ peeled }) => peeled)),
    repository.tagObjects(page.filter(({ type }) => type === 'tag').map(({ oid }) => oid)),
    protectedTagTest(platform, project, names),
    platform.ports['tags.releases'](platform, project, actor, names),
  ])
  const url = `${platform.externalUrl}/${project.full_path}`
  return page.map((tag) => {
    const facts = {
      object: objects.get(tag.oid),
      commit: commits.get(tag.peeled),
      release: releases.get(tag.name),
      isProtected: isProtected(tag.name),
    }
    return presentTag(tag, facts, url)
  })
}

/** A page of tags (contract 22, x.tags_list). */
export async function listTags(
  platform: Platform,
  project: Project,
  actor: Actor,
  filter: TagFilter,
  page: PageRequest,
): Promise<Page<PresentedTag>> {
  const opened = await openRepository(platform, project)
  const token = page.kind === 'keyset' ? (page.after?.[0] as string | undefined) : undefined
  const { items, total, hasNext } = pageOfList(await filterTags(opened, filter, token), page)
  const last = items.at(-1)
  const next = page.kind === 'keyset' && hasNext && last ? { page_token: last.name } : undefined
  return { items: await present(platform, project, actor, opened, items), total, hasNext, next }
}

/** Gets a tag by its exact name (contract 22, x.tags_get). @throws ApiError 404 Tag */
export async function getTag(platform: Platform, project: Project, actor: Actor, name: string): Promise<PresentedTag> {
  const opened = await openRepository(platform, project)
  const tag = opened.snapshot.tag(name)
  const [presented] = tag ? await present(platform, project, actor, opened, [tag]) : []
  if (!presented) throw notFound('Tag')
  return presented
}

/** Creates a tag (contract 22, x.tags_create). @throws ApiError 400 with the refusal of the contract or of the gate */
export async function createTag(platform: Platform, project: Project, actor: Actor, tag: NewTag) {
  const refusal = await makeTag(platform, project, actor, tag)
  if (refusal) throw failure(400, refusal.message)
  return getTag(platform, project, actor, tag.tag_name)
}

function deletionFailure(error: unknown): unknown {
  if (error instanceof RefRefused) return failure(400, error.message)
  if (!(error instanceof RefConflict)) return error
  return error.reason === 'missing' ? notFound('Tag') : failure(400, 'Failed to remove tag')
}

/** Deletes a tag, and with it its release (contract 22, x.tags_delete). @throws ApiError 400, 403, 404, 412 */
export async function deleteTag(
  platform: Platform,
  project: Project,
  actor: Actor,
  name: string,
  unmodified: Unmodified,
): Promise<void> {
  const { row, repository, snapshot } = await openRepositoryForWriting(platform, project)
  const tag = snapshot.tag(name)
  const ref = refName(`refs/tags/${name}`)
  if (!tag || !ref) throw notFound('Tag')
  if (!(await mayCreateTag(platform, project, actor, name))) {
    throw failure(403, "You don't have access to delete the tag")
  }
  const commit = (await repository.commits([tag.peeled])).get(tag.peeled)
  if (commit) unmodified(commit.author.date)
  const change = { ref, old: tag.oid, new: zeroOid(row.object_format) }
  await changeRefs(platform, row, [change], writerOf(actor)).catch((error) => {
    throw deletionFailure(error)
  })
}
