import { type Actor, dayOf, isAdministrator, type Page, type PageRequest, type UserActor } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { role } from '../../access/index.ts'
import { openVisibilities } from '../../namespaces/index.ts'
import { callerOf, isMemberOf, type Project, visibleProjects } from '../../projects/index.ts'
import { presentSnippets } from '../core/present.ts'
import type { SnippetRow } from '../tables.ts'
import * as store from './store.ts'

async function present(platform: Platform, page: Page<SnippetRow>) {
  return { ...page, items: await presentSnippets(platform, page.items) }
}

/** The projects whose snippets the caller may read, and those of which the caller is a member. */
async function projectsOf({ database, clock }: Platform, actor: Actor): Promise<store.ReadableProjects> {
  const db = database.read
  const caller = await callerOf(db, actor, dayOf(clock.now()))
  return {
    readable: (use) => visibleProjects(db, caller, ['snippets_access_level'], use),
    isMember: (use) => isMemberOf(db, caller.roles, role.guest, use),
  }
}

/** The snippets that the caller has written; those in projects only while the project is readable (contract 3.9). */
export async function listOwn(platform: Platform, actor: UserActor, filter: store.SnippetFilter, page: PageRequest) {
  const { readable } = await projectsOf(platform, actor)
  const db = platform.database.read
  return present(platform, await store.pageOfAuthor(db, actor.userId, readable, filter, page))
}

/** The public personal snippets (contract 3.10). */
export async function listPublic(platform: Platform, filter: store.SnippetFilter, page: PageRequest) {
  return present(platform, await store.pageOfPublic(platform.database.read, filter, page))
}

/** The snippets that the caller may read (contract 09, x.snippets_all). */
export async function listAll(
  platform: Platform,
  actor: UserActor,
  { repository_storage: storage, ...filter }: store.SnippetFilter & { repository_storage?: string },
  page: PageRequest,
) {
  const db = platform.database.read
  if (isAdministrator(actor)) return present(platform, await store.pageOfAll(db, { ...filter, storage }, page))
  const access = { ...(await projectsOf(platform, actor)), authorId: actor.userId, open: openVisibilities(actor) }
  return present(platform, await store.pageOfReadable(db, access, filter, page))
}

/** A page of the snippets with some words that the caller may read (contract 25, x.search). */
export async function searchSnippets(
  platform: Platform,
  actor: UserActor,
  wanted: store.SnippetSearch,
  page: PageRequest,
) {
  const access = isAdministrator(actor)
    ? null
    : { ...(await projectsOf(platform, actor)), authorId: actor.userId, open: openVisibilities(actor) }
  return present(platform, await store.pageOfFound(platform.database.read, access, wanted, page))
}

/** The snippets of a project that the caller may read (contract 09, x.project_snippet_list). */
export async function listOfProject(platform: Platform, project: Project, actor: Actor, page: PageRequest) {
  const seesAll = isAdministrator(actor) || project.role.level >= role.guest
  const reader = seesAll
    ? null
    : { authorId: actor.kind === 'user' ? actor.userId : null, open: openVisibilities(actor) }
  return present(platform, await store.pageOfProject(platform.database.read, project.id, reader, page))
}
