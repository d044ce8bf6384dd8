import { type Actor, failure, notFound, type Page, type PageRequest, pageOfList } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import type { Database } from '../../infra/database/index.ts'
import { RefConflict, refName, type TagRef, zeroOid } from '../../infra/git/index.ts'
import type { Project } from '../projects/index.ts'
import {
  moverOf,
  type OpenedRepository,
  openRepository,
  openRepositoryForWriting,
  RefRefused,
  type Repositories,
} from '../repositories/index.ts'
import { createTagListing, type TagFilter } from './listing.ts'
import type { NewTag, TagMaker } from './making.ts'
import { type PresentedTag, presentTag, type ReleaseOfTag } from './present.ts'
import { type PresentedTagSignature, signatureOf } from './signature.ts'

export type TagsNeeds = {
  database: Database
  repositories: Repositories
  clock: Clock
  protectedTagTest(project: Project, names: readonly string[]): Promise<(tag: string) => boolean>
  mayCreateTag(project: Project, actor: Actor, name: string): Promise<boolean>
  makeTag: TagMaker
  /** The releases on these tags that the actor may see, by the name of the tag. */
  releasesOf(project: Project, actor: Actor, names: readonly string[]): Promise<ReadonlyMap<string, ReleaseOfTag>>
  externalUrl: string
}

/** The rules of tags (contract 22, x.tags_*). */
export type Tags = ReturnType<typeof createTags>

const noDeletion = "You don't have access to delete the tag"

/** What the caller is told when a tag did not go. */
function removalFailure(error: unknown): unknown {
  if (error instanceof RefRefused) return failure(400, error.message)
  if (!(error instanceof RefConflict)) return error
  return error.reason === 'missing' ? notFound('Tag') : failure(400, 'Failed to remove tag')
}

export function createTags(needs: TagsNeeds) {
  const { repositories, protectedTagTest, mayCreateTag, makeTag, releasesOf, externalUrl } = needs
  const listing = createTagListing()

  /** What the API shows of these tags, each part of it loaded for the whole page at once. */
  async function present(
    project: Project,
    actor: Actor,
    { repository }: OpenedRepository,
    page: readonly TagRef[],
  ): Promise<PresentedTag[]> {
    const names = page.map(({ name }) => name)
    const [commits, objects, isProtected, releases] = await Promise.all([
      repository.commits(page.filter(({ peeledType }) => peeledType === 'commit').map(({ peeled }) => peeled)),
      repository.tagObjects(page.filter(({ type }) => type === 'tag').map(({ oid }) => oid)),
      protectedTagTest(project, names),
      releasesOf(project, actor, names),
    ])
    const url = `${externalUrl}/${project.full_path}`
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

  async function get(project: Project, actor: Actor, name: string): Promise<PresentedTag> {
    const opened = await openRepository(needs, project)
    const tag = opened.snapshot.tag(name)
    const [presented] = tag ? await present(project, actor, opened, [tag]) : []
    if (!presented) throw notFound('Tag')
    return presented
  }

  return {
    async list(project: Project, actor: Actor, filter: TagFilter, page: PageRequest): Promise<Page<PresentedTag>> {
      const opened = await openRepository(needs, project)
      const token = page.kind === 'keyset' ? (page.after?.[0] as string | undefined) : undefined
      const { items, total, hasNext } = pageOfList(await listing(opened, filter, token), page)
      const last = items.at(-1)
      const next = page.kind === 'keyset' && hasNext && last ? { page_token: last.name } : undefined
      return { items: await present(project, actor, opened, items), total, hasNext, next }
    },

    /** @throws ApiError 404 Tag */
    get,

    /** @throws ApiError 400 with the sentences of x.tags_create, and those of the gate */
    async create(project: Project, actor: Actor, tag: NewTag): Promise<PresentedTag> {
      const refusal = await makeTag(project, actor, tag)
      if (refusal) throw failure(400, refusal.message)
      return get(project, actor, tag.name)
    },

    /**
     * Deletes a tag; what hangs on it goes in the transaction that records it.
     * @param requireUnmodifiedSince throws when what is tagged is newer than the caller allows
     * @throws ApiError 404 Tag; 403 when it is protected and the actor could not make it; 400 by other rules
     */
    async remove(
      project: Project,
      actor: Actor,
      name: string,
      requireUnmodifiedSince: (authoredAt: string) => void,
    ): Promise<void> {
      const { row, repository, snapshot } = await openRepositoryForWriting(needs, project)
      const tag = snapshot.tag(name)
      const ref = refName(`refs/tags/${name}`)
      if (!tag || !ref) throw notFound('Tag')
      if (!(await mayCreateTag(project, actor, name))) throw failure(403, noDeletion)
      const commit = (await repository.commits([tag.peeled])).get(tag.peeled)
      if (commit) requireUnmodifiedSince(commit.author.date)
      const change = { ref, old: tag.oid, new: zeroOid(row.object_format) }
      await repositories.changeRefs(row, [change], moverOf(actor)).catch((error) => {
        throw removalFailure(error)
      })
    },

    /** @throws ApiError 404 Tag, 404 Signature */
    signature: (project: Project, name: string): Promise<PresentedTagSignature> => signatureOf(needs, project, name),
  }
}
