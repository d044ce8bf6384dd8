import { type Actor, type ApiError, dayOf, failure, forbidden } from '../../api/index.ts'
import type { Platform } from '../../platform/index.ts'
import { requirePush } from '../commits/index.ts'
import { canSee, type Project, projectById, withRole } from '../projects/index.ts'
import { suggestionsByIds } from './store.ts'
import { suggestionsWithLines, type WithLine } from './suggestions.ts'

/** What is said where one suggestion is applied, and where several are. */
export type Wording = {
  unknown: string
  /** Of a file that is gone; without it, its lines have changed. */
  noFile?: string
}

export const ofOne: Wording = { unknown: 'Suggestion is not applicable as the suggestion was not found.' }
export const ofSeveral: Wording = {
  unknown: 'Suggestions are not applicable as one or more suggestions were not found.',
  noFile: 'A file was not found.',
}

/** Suggestions for one branch, in the order in which they were named. */
export type Found = { suggestions: readonly WithLine[]; branch: string; project: Project; wording: Wording }

export const refused = (text: string): ApiError => failure(400, text)

/** @throws ApiError 404 when one is unknown or named twice; 403 unless the caller may push to the branch; 400 for several branches */
export async function findSuggestions(
  platform: Platform,
  actor: Actor,
  ids: readonly number[],
  wording: Wording,
): Promise<Found> {
  const db = platform.database.read
  const missing = () => failure(404, wording.unknown)
  const stored = await suggestionsByIds(db, ids)
  const notes = [...new Set([...stored.values()].map(({ note_id }) => note_id))]
  const known = new Map((await suggestionsWithLines(db, notes)).map((one) => [one.id, one]))
  const suggestions = [...new Set(ids)].flatMap((id) => known.get(id) ?? [])
  const [first] = suggestions
  if (!first || suggestions.length !== ids.length) throw missing()
  const { project_id: projectId, source_branch: branch } = first.request
  const row = await projectById(db, projectId)
  if (!row) throw missing()
  const project = await withRole(db, row, actor, dayOf(platform.clock.now()))
  if (!canSee(actor, project)) throw forbidden()
  const isOther = ({ request }: WithLine) => request.project_id !== projectId || request.source_branch !== branch
  if (suggestions.some(isOther)) throw refused('Suggestions must all be on the same branch.')
  await requirePush(platform, project, actor, branch, 403)
  return { suggestions, branch, project, wording }
}

/** @throws ApiError 400 unless a suggestion can still be applied to its merge request */
export function requireOpen({ commit_sha: sha, request }: WithLine): void {
  if (sha !== null) throw refused("Can't apply this suggestion.")
  if (request.state !== 'opened') {
    const state = request.state === 'closed' ? 'is closed' : 'was merged'
    throw refused(`This merge request ${state}. To apply this suggestion, edit this file directly.`)
  }
  if (!request.source_exists) throw refused("Can't apply as the source branch was deleted.")
}
