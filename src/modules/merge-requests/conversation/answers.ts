import { type Actor, dayOf } from '../../../api/index.ts'
import type { Reader, Tx } from '../../../infra/database/index.ts'
import type { Events, Platform, Reaction } from '../../../platform/index.ts'
import type { KindAnswers } from '../../issuables/index.ts'
import { callerOf, may, projectById, projectsWithRoles } from '../../projects/index.ts'
import { presentBasics } from '../core/present.ts'
import { readersAmong } from '../core/readers.ts'
import { mergeRequestsByIds, mergeRequestsByPlaces, touchMergeRequest } from '../core/store.ts'
import { issuableOf } from '../subject.ts'
import type { MergeRequestRow } from '../tables.ts'

/** Those of these merge requests that the caller can read, in a constant number of queries. */
export async function readableAmong(
  { database: { read: db }, clock }: Platform,
  actor: Actor,
  rows: readonly MergeRequestRow[],
): Promise<MergeRequestRow[]> {
  if (rows.length === 0) return []
  const ids = [...new Set(rows.map(({ project_id }) => project_id))]
  const projects = await projectsWithRoles(db, await callerOf(db, actor, dayOf(clock.now())), ids)
  const readable = new Set(
    projects
      .filter((one) => !one.pending_delete && may(actor, one, 'read_project') && may(actor, one, 'read_merge_requests'))
      .map(({ id }) => id),
  )
  return rows.filter(({ project_id }) => readable.has(project_id))
}

async function readableOf(platform: Platform, actor: Actor, ids: readonly number[]) {
  return readableAmong(platform, actor, await mergeRequestsByIds(platform.database.read, ids))
}

/** What other modules ask about merge requests (contract 16, To-do, "Rules"). */
export const answers: KindAnswers = {
  byIds: async (db: Reader, ids) => (await mergeRequestsByIds(db, ids)).map(issuableOf),
  byPlaces: async (db: Reader, places) => (await mergeRequestsByPlaces(db, places)).map(issuableOf),
  async readersOf(platform, db, { projectId }, userIds) {
    const project = projectId === null ? null : await projectById(db, projectId)
    return new Set(project ? await readersAmong(platform, db, project, userIds) : [])
  },
  readable: async (platform, actor, ids) => new Set((await readableOf(platform, actor, ids)).map(({ id }) => id)),
  async todoTargets(platform, actor, ids) {
    const rows = await readableOf(platform, actor, ids)
    const presented = await presentBasics(platform, rows, { kind: 'instance' })
    return new Map(presented.map((target) => [target.id, { target, web_url: target.web_url, title: target.title }]))
  },
}

async function touch(tx: Tx, { type, id, at }: { type: string; id: number | null; at: string }): Promise<void> {
  if (type === 'MergeRequest' && id !== null) await touchMergeRequest(tx, id, at)
}

/** Something that hangs on a merge request has changed (contract 16, "Rules": `updated_at`). */
export const touchChangedRequest: Reaction<Events['issuable.changed']> = (_platform, tx, event) => touch(tx, event)

/** As `touchChangedRequest`, for a new note. */
export const touchDiscussedRequest: Reaction<Events['note.created']> = (_platform, tx, { type, noteableId, at }) =>
  touch(tx, { type, id: noteableId, at })
