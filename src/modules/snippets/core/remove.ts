import { notFound, type Unmodified, type UserActor } from '../../../api/index.ts'
import { claim, now, type Tx } from '../../../infra/database/index.ts'
import { type Events, type Job, type Platform, type Reaction, react } from '../../../platform/index.ts'
import { rememberRemovedOfSnippets, removeFilesLater } from '../../../platform/repositories/index.ts'
import { deleteNoteables } from '../../notes/index.ts'
import { deleteUserAgents } from '../../spam/index.ts'
import { ghostUserId } from '../../users/index.ts'
import { type Place, requireOwnSnippet } from './access.ts'
import {
  changeAuthor,
  deleteSnippets,
  hasSnippets,
  idsAsQuery,
  idsInProject,
  idsOfAuthor,
  snippetById,
  unfinishedSnippets,
} from './store.ts'

declare module '../../../platform/platform.ts' {
  interface Events {
    /** Snippets are about to be deleted, other than with their project. */
    'snippets.removed': { snippetIds: readonly number[] }
  }
}

/** Deletes the rows of snippets; a job deletes the files of their repositories. */
async function removeRows(platform: Platform, tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await react(platform, tx, 'snippets.removed', { snippetIds: ids })
  await rememberRemovedOfSnippets(tx, idsAsQuery(tx, ids), now(platform.clock))
  await deleteNoteables(tx, 'Snippet', ids)
  await deleteUserAgents(tx, 'Snippet', ids)
  await deleteSnippets(tx, ids)
  await removeFilesLater(platform, tx)
}

/** Removes snippets with all that belongs to them. */
export async function removeSnippets(platform: Platform, ids: readonly number[]): Promise<void> {
  await platform.database.write((tx) => removeRows(platform, tx, ids))
}

/** Deletes a snippet (contract 3.14). @throws ApiError 403, 404, 412 */
export async function deleteSnippet(
  platform: Platform,
  place: Place,
  actor: UserActor,
  id: number,
  unmodified: Unmodified,
): Promise<void> {
  await requireOwnSnippet(platform, place, actor, id)
  await platform.database.write(async (tx) => {
    const row = await claim(tx, 'snippets', () => snippetById(tx, id))
    if (!row) throw notFound('Snippet')
    unmodified(row.updated_at)
    await removeRows(platform, tx, [id])
  })
}

/** The snippets of a removed project are deleted with it; their files are noted before the rows are gone. */
export const removeSnippetsOfProject: Reaction<Events['project.removed']> = async (platform, tx, { projectId }) => {
  await rememberRemovedOfSnippets(tx, idsInProject(projectId), now(platform.clock))
}

/**
 * The personal snippets of a removed user are deleted, and those in projects move to the ghost user (contract 09, "Rules and
 * state machines"); with `hard` all are deleted.
 */
export const removeSnippetsOfUser: Reaction<Events['user.removed']> = async (platform, tx, { userId, hard }) => {
  await removeRows(platform, tx, await idsOfAuthor(tx, userId, { personal: !hard }))
  if (await hasSnippets(tx, userId)) await changeAuthor(tx, userId, await ghostUserId(platform, tx))
}

const daySeconds = 86_400
const portion = 100

/** Deletes snippets whose creation was interrupted by the end of the process; nothing has ever served them. */
export const removeUnfinished: Job<null> = {
  kind: 'snippets.remove_unfinished',
  queue: 'removal',
  every: { seconds: daySeconds },
  async run(platform, _, { signal }) {
    const { database, clock } = platform
    const before = new Date(clock.now().getTime() - daySeconds * 1000).toISOString()
    for (let ids = await unfinishedSnippets(database.read, before, portion); ids.length > 0; ) {
      signal.throwIfAborted()
      await removeSnippets(platform, ids)
      ids = await unfinishedSnippets(database.read, before, portion)
    }
  },
}
