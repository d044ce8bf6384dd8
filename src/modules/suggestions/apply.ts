import { type Actor, type ApiError, dayOf, failure, forbidden, requireSignedIn } from '../../api/index.ts'
import { now } from '../../infra/database/index.ts'
import type { Platform } from '../../platform/index.ts'
import type { OpenedRepository } from '../../platform/repositories/index.ts'
import { changesOf, requirePush, writeCommit, writeInTurn } from '../commits/index.ts'
import type { MergeRequestRow } from '../merge-requests/index.ts'
import { addSystemNote, resolveThreads } from '../notes/index.ts'
import { canSee, type Project, projectById, settingOf, withRole } from '../projects/index.ts'
import { commitIdentity, presentingUsers, usersByIds } from '../users/index.ts'
import { markApplied, suggestionById } from './store.ts'
import { fileLines, linesOf, suggestionsOfNotes, suggestionsWithLines, type WithLine } from './suggestions.ts'

const refused = (text: string): ApiError => failure(400, text)

/** A suggestion with its merge request. */
type Found = { suggestion: WithLine; row: MergeRequestRow; project: Project }

/** @throws ApiError 404 for an unknown one, 403 for one of a project that the caller does not see */
async function find(platform: Platform, actor: Actor, id: number): Promise<Found> {
  const db = platform.database.read
  const missing = () => failure(404, 'Suggestion is not applicable as the suggestion was not found.')
  const stored = await suggestionById(db, id)
  const suggestion = stored && (await suggestionsWithLines(db, [stored.note_id])).find((one) => one.id === id)
  const projectRow = suggestion && (await projectById(db, suggestion.request.project_id))
  if (!projectRow) throw missing()
  const project = await withRole(db, projectRow, actor, dayOf(platform.clock.now()))
  if (!canSee(actor, project)) throw forbidden()
  return { suggestion, row: suggestion.request, project }
}

/** @throws ApiError 400 unless the suggestion can still be applied to its merge request */
function requireOpen({ suggestion, row }: Found): void {
  if (suggestion.commit_sha !== null) throw refused("Can't apply this suggestion.")
  if (row.state !== 'opened') {
    const state = row.state === 'closed' ? 'is closed' : 'was merged'
    throw refused(`This merge request ${state}. To apply this suggestion, edit this file directly.`)
  }
  if (!row.source_exists) throw refused("Can't apply as the source branch was deleted.")
}

const defaultMessage = 'Apply %{suggestions_count} suggestion(s) to %{files_count} file(s)\n\n%{co_authored_by}'

/** The message of the commit, by the template of the project (contract 25, "Suggestions"). */
async function messageOf(platform: Platform, { suggestion, row, project }: Found, actor: Actor, given = '') {
  if (given.trim() !== '') return given
  const { userId } = requireSignedIn(actor)
  const { author_id: authorId, position } = suggestion.note
  const users = await usersByIds(platform.database.read, [userId, authorId])
  const [user, author] = [users.get(userId), users.get(authorId)]
  const by = author && author !== user ? commitIdentity(author, await presentingUsers(platform)) : null
  const values: Readonly<Record<string, string>> = {
    branch_name: row.source_branch,
    co_authored_by: by ? `Co-authored-by: ${by.name} <${by.email}>` : '',
    files_count: '1',
    file_paths: position.new_path,
    project_name: project.name,
    project_path: project.full_path,
    suggestions_count: '1',
    user_full_name: user?.name ?? '',
    username: user?.username ?? '',
  }
  const template = settingOf(project, 'suggestion_commit_message') || defaultMessage
  return template.replace(/%\{(\w+)\}/g, (written, name: string) => values[name] ?? written).trim()
}

/** The content of the file with the suggested lines. @throws ApiError 400 when these lines have changed, or are so already */
async function contentWith(platform: Platform, { suggestion, row }: Found, { snapshot }: OpenedRepository) {
  const { to_content: wanted } = suggestion
  const { head_sha: sha, new_path: path } = suggestion.note.position
  const { from, to } = linesOf(suggestion)
  const head = snapshot.branch(row.source_branch)?.oid
  if (!head) throw refused("Can't apply as the source branch was deleted.")
  const [then, current] = await Promise.all([
    fileLines(platform, row.project_id, sha, path),
    fileLines(platform, row.project_id, head, path),
  ])
  const before = (then ?? []).slice(from - 1, to).join('')
  const lines = from === to ? 'this line was' : 'these lines were'
  if (!current || before === '' || current.slice(from - 1, to).join('') !== before) {
    throw refused(`Can't apply as ${lines} changed in a more recent version.`)
  }
  if (before === wanted) throw refused('This suggestion already matches its content.')
  return [...current.slice(0, from - 1), wanted, ...current.slice(to)].join('')
}

/** @throws ApiError 403 for callers who may not push to the source branch, 404 */
export async function requireApplier(platform: Platform, actor: Actor, id: number): Promise<void> {
  const { project, row } = await find(platform, actor, id)
  await requirePush(platform, project, actor, row.source_branch, 403)
}

/** Applies a suggestion in a commit on the source branch, and resolves its thread (contract 25, x.suggestion_apply). @throws ApiError 400, 403, 404 */
export async function applySuggestion(platform: Platform, actor: Actor, id: number, message: string | undefined) {
  const found = await find(platform, actor, id)
  const { project, row, suggestion } = found
  await requirePush(platform, project, actor, row.source_branch, 403)
  requireOpen(found)
  const file_path = suggestion.note.position.new_path
  const text = await messageOf(platform, found, actor, message)
  const sha = await writeInTurn(platform, project, async (opened) => {
    const content = await contentWith(platform, found, opened)
    return writeCommit(platform, {
      ...{ opened, actor, branch: row.source_branch, message: text },
      build: (source) =>
        changesOf(source, [{ action: 'update', file_path, content }], {
          stale: () => 'A file has been changed.',
          contentName: () => 'content',
        }),
    })
  })
  const origin = { userId: requireSignedIn(actor).userId, at: now(platform.clock) }
  await platform.database.write(async (tx) => {
    if (!(await markApplied(tx, id, sha))) return
    await resolveThreads(tx, [suggestion.note.discussion_id], origin)
    const noteable = { type: 'MergeRequest', projectId: project.id, id: row.id, iid: row.iid, commitId: null } as const
    await addSystemNote(tx, noteable, `applied 1 suggestion to ${file_path} with ${sha.slice(0, 8)}`, origin)
  })
  const shown = (await suggestionsOfNotes(platform, [suggestion.note_id])).get(suggestion.note_id) ?? []
  const one = shown.find((each) => each.id === id)
  if (!one) throw failure(404, 'Suggestion is not applicable as the suggestion was not found.')
  return one
}
