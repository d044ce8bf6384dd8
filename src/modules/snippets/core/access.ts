import { type Actor, dayOf, forbidden, isAdministrator, notFound, type UserActor } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { role } from '../../access/index.ts'
import { isOpenTo } from '../../namespaces/index.ts'
import { may, type Project, visibleProject } from '../../projects/index.ts'
import type { SnippetRow } from '../tables.ts'
import { snippetById, snippetsByIds } from './store.ts'

/** A snippet with its project, and the caller's role in it; null for a personal one. */
export type Snippet = SnippetRow & { project: Project | null }

const isAuthor = (actor: Actor, { author_id: author }: SnippetRow) => actor.kind === 'user' && actor.userId === author

/** Whether the actor may read a snippet (contract 09, "Who can read a snippet"). */
export function mayRead(actor: Actor, snippet: Snippet): boolean {
  const { project } = snippet
  if (project && !may(actor, project, 'read_snippets')) return false
  const isMember = project !== null && project.role.level >= role.guest
  return isOpenTo(actor, snippet) || isMember || isAuthor(actor, snippet) || isAdministrator(actor)
}

/** Whether the actor may change a snippet of a project: its author from Reporter on, and maintainers. */
function mayChangeIn(actor: Actor, project: Project, snippet: Snippet): boolean {
  const isTrusted = isAuthor(actor, snippet) || isAdministrator(actor) || project.role.level >= role.maintainer
  return isTrusted && may(actor, project, 'update_snippets')
}

/** Whether the actor may push to a snippet (contract 09, x.snippet_git_refs). */
export function mayPushTo(actor: Actor, snippet: Snippet): boolean {
  if (snippet.project) return mayChangeIn(actor, snippet.project, snippet)
  return isAuthor(actor, snippet) || isAdministrator(actor)
}

/** Where an operation looks for a snippet: in a project, or, with null, among all of them. */
export type Place = { project: Project | null }

/** Finds a snippet that the actor may read; null when there is none. */
export async function readableSnippet(
  { database, clock }: Platform,
  { project: place }: Place,
  actor: Actor,
  id: number,
): Promise<Snippet | null> {
  const row = await snippetById(database.read, id)
  if (!row || (place && row.project_id !== place.id)) return null
  const { project_id: projectId } = row
  const today = dayOf(clock.now())
  const found =
    place ?? (projectId === null ? null : await visibleProject(database.read, String(projectId), actor, today))
  if (projectId !== null && !found) return null
  const snippet = { ...row, project: found }
  return mayRead(actor, snippet) ? snippet : null
}

/** Which of these snippets of a project the actor may read, in one query. */
export async function readableSnippetsIn(db: Reader, project: Project, actor: Actor, ids: readonly number[]) {
  const rows = (await snippetsByIds(db, ids)).filter(({ project_id }) => project_id === project.id)
  return new Set(rows.filter((row) => mayRead(actor, { ...row, project })).map(({ id }) => id))
}

/** @throws ApiError 404 `Snippet` for one that does not exist or that the actor may not read */
export async function requireSnippet(platform: Platform, place: Place, actor: Actor, id: number): Promise<Snippet> {
  const snippet = await readableSnippet(platform, place, actor, id)
  if (!snippet) throw notFound('Snippet')
  return snippet
}

/**
 * Finds a snippet to be changed or deleted. Among all snippets, only the author finds it (contract 3.13).
 * @throws ApiError 404 `Snippet`; 403 for a reader in the project who may not change it
 */
export async function requireOwnSnippet(
  platform: Platform,
  place: Place,
  actor: UserActor,
  id: number,
): Promise<Snippet> {
  const snippet = await requireSnippet(platform, place, actor, id)
  if (!place.project && !isAuthor(actor, snippet)) throw notFound('Snippet')
  if (!mayPushTo(actor, snippet)) throw forbidden()
  return snippet
}
