import { type Actor, ApiError, dayOf, failure, type OffsetRequest } from '../../../api/index.ts'
import type { Oid } from '../../../infra/git/index.ts'
import { type OpenedRepository, openRepository } from '../../../platform/repositories/index.ts'
import { resolveRevision } from '../../commits/index.ts'
import { callerOf, inGroup, listProjects, may, type Project, projectsWithRoles } from '../../projects/index.ts'
import { openWiki } from '../../wikis/index.ts'
import type { Search } from '../types.ts'

/** Which repositories of projects are searched. */
export type RepositoryKind = 'code' | 'wiki'

const abilities = { code: 'read_code', wiki: 'read_wiki' } as const

/** A repository with the commit in which a search looks. */
export type SearchedRepository = OpenedRepository & { project: Project; commit: Oid; ref: string }

/** The projects of a group or the instance that the caller sees, by id. @param refusal the text where they are too many @throws ApiError 400 */
async function projectsFor({ platform, actor, place }: Search, refusal: string): Promise<Project[]> {
  const { searchMaxRepositories: most } = platform.config
  const limit = most + 1
  const page: OffsetRequest = { kind: 'offset', page: 1, perPage: limit, offset: 0, limit }
  const today = dayOf(platform.clock.now())
  const scope = place.group && inGroup(today, place.group, { include_subgroups: true, with_shared: false })
  const order = { simple: true, order_by: 'id', sort: 'asc' } as const
  const { items } = await listProjects(platform, actor, order, page, scope)
  if (items.length > most) throw failure(400, refusal)
  const { read } = platform.database
  const ids = items.map(({ id }) => id)
  const projects = await projectsWithRoles(read, await callerOf(read, actor as Actor, today), ids)
  return projects.toSorted((left, right) => left.id - right.id)
}

/** The repository of a project; null when it has none. */
async function opened({ platform }: Search, project: Project, kind: RepositoryKind): Promise<OpenedRepository | null> {
  if (kind === 'wiki') return (await openWiki(platform, { project }))?.opened ?? null
  try {
    return await openRepository(platform, project)
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  }
}

/** Yields the repositories that the caller may read, one after another, with the commit of the ref. @throws ApiError 400 for too many */
export async function* repositoriesFor(
  search: Search,
  kind: RepositoryKind,
  refusal: string,
): AsyncGenerator<SearchedRepository> {
  const { project: own } = search.place
  const projects = own ? [own] : await projectsFor(search, refusal)
  for (const project of projects) {
    if (!may(search.actor, project, abilities[kind])) continue
    const repository = await opened(search, project, kind)
    const given = own ? search.params.ref?.trim() : undefined
    const commit = repository && (await resolveRevision(repository, given || 'HEAD'))
    if (!repository || !commit) continue
    const { branches } = repository.snapshot
    const head = given || (await repository.repository.head()).replace(/^refs\/heads\//, '')
    if (branches.length > 0) yield { ...repository, project, commit, ref: head }
  }
}
