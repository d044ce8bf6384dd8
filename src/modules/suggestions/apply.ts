import { type Actor, failure, requireSignedIn } from '../../api/index.ts'
import { now, type Tx } from '../../infra/database/index.ts'
import type { Platform } from '../../platform/index.ts'
import { changesOf, writeCommit, writeInTurn } from '../commits/index.ts'
import { addSystemNote, type PresentedSuggestion, resolveThreads } from '../notes/index.ts'
import { contentsWith } from './contents.ts'
import { findSuggestions, ofOne, ofSeveral, requireOpen, type Wording } from './find.ts'
import { filesOf, messageOf } from './message.ts'
import { markApplied } from './store.ts'
import { suggestionsOfNotes, type WithLine } from './suggestions.ts'

/** @throws ApiError 403 for callers who may not push to the source branch, 404, 400 */
export async function requireApplier(platform: Platform, actor: Actor, ids: readonly number[]): Promise<void> {
  await findSuggestions(platform, actor, ids, ofSeveral)
}

type Commit = { sha: string; userId: number; at: string }

/** Marks suggestions as applied, and resolves their threads; a system note says so on each merge request. */
async function recordApplied(tx: Tx, suggestions: readonly WithLine[], commit: Commit): Promise<void> {
  const applied: WithLine[] = []
  for (const one of suggestions) if (await markApplied(tx, one.id, commit.sha)) applied.push(one)
  const threads = applied.map(({ note }) => note.discussion_id)
  await resolveThreads(tx, [...new Set(threads)], commit)
  for (const own of Map.groupBy(applied, ({ request }) => request.id).values()) {
    const [first] = own
    if (!first) continue
    const { project_id: projectId, id, iid } = first.request
    const files = filesOf({ suggestions: own })
    const what = own.length === 1 ? '1 suggestion' : `${own.length} suggestions`
    const where = files.length === 1 ? files[0] : `${files.length} files`
    const noteable = { type: 'MergeRequest', projectId, id, iid, commitId: null } as const
    await addSystemNote(tx, noteable, `applied ${what} to ${where} with ${commit.sha.slice(0, 8)}`, commit)
  }
}

async function apply(
  platform: Platform,
  actor: Actor,
  ids: readonly number[],
  { wording, message }: { wording: Wording; message: string | undefined },
): Promise<PresentedSuggestion[]> {
  const found = await findSuggestions(platform, actor, ids, wording)
  const { suggestions, branch, project } = found
  for (const one of suggestions) requireOpen(one)
  const text = await messageOf(platform, found, actor, message)
  const sha = await writeInTurn(platform, project, async (opened) => {
    const contents = await contentsWith(platform, found, opened)
    const actions = contents.map((one) => ({ action: 'update' as const, ...one }))
    return writeCommit(platform, {
      ...{ opened, actor, branch, message: text },
      build: (source) =>
        changesOf(source, actions, { stale: () => 'A file has been changed.', contentName: () => 'content' }),
    })
  })
  const commit = { sha, userId: requireSignedIn(actor).userId, at: now(platform.clock) }
  await platform.database.write((tx) => recordApplied(tx, suggestions, commit))
  const shown = [...(await suggestionsOfNotes(platform, [...new Set(suggestions.map((one) => one.note_id))])).values()]
  const byId = new Map(shown.flat().map((one) => [one.id, one]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** Applies a suggestion in a commit on the source branch, and resolves its thread (contract 25, x.suggestion_apply). @throws ApiError 400, 403, 404 */
export async function applySuggestion(platform: Platform, actor: Actor, id: number, message: string | undefined) {
  const [one] = await apply(platform, actor, [id], { wording: ofOne, message })
  if (!one) throw failure(404, ofOne.unknown)
  return one
}

/** Applies suggestions for one branch in one commit (contract 25, x.suggestion_batch_apply). @throws ApiError 400, 403, 404 */
export function applySuggestions(
  platform: Platform,
  actor: Actor,
  ids: readonly number[],
  message: string | undefined,
): Promise<PresentedSuggestion[]> {
  return apply(platform, actor, ids, { wording: ofSeveral, message })
}
