import { type Actor, dayAfter, dayOf, failure, forbidden, notFound } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { type Database, now, type Tx } from '../../infra/database/index.ts'
import type { Jobs } from '../../infra/jobs/index.ts'
import {
  ancestorsOf,
  deletionSuffix,
  holdTree,
  isPathTaken,
  moveNamespace,
  type NamespaceRow,
  namespaceById,
  refreshMarks,
  subtreeOf,
} from '../namespaces/index.ts'
import { type RemovedFiles, rememberRemovedOfGroups } from '../repositories/index.ts'
import type { Settings } from '../settings/index.ts'
import type { Avatars } from '../users/index.ts'
import type { Group } from './access.ts'
import type { GroupPresenting } from './presenting.ts'
import {
  avatarsBelow,
  botsBelow,
  deleteGroup,
  groupsMarkedUntil,
  hideBelow,
  isNameTaken,
  leavingGroups,
  projectIdsBelow,
  updateGroup,
} from './store/groups.ts'

export type DeletionNeeds = {
  database: Database
  clock: Clock
  jobs: Jobs
  settings: Settings
  avatars: Avatars
  presenting: GroupPresenting
  removedFiles: RemovedFiles
  /** Removes a project that nobody sees any more, with all that is its own; may be called again, and for one that is gone. */
  removeProject(projectId: number): Promise<void>
  /** Takes bots of a group out of service, in the transaction that removes it. */
  retireBots(
    tx: Tx,
    place: { kind: 'group'; id: number },
    userIds: readonly number[],
    at: { now: string },
  ): Promise<void>
}

export type DeletionParams = { permanently_remove?: boolean; full_path?: string }

/** What becomes of a group that is to go (contract 21 R6): marked, restored, removed. */
export type GroupDeletion = ReturnType<typeof createGroupDeletion>

const removeJob = 'groups.remove'
const removeDueJob = 'groups.remove_due'
const hourSeconds = 3600
/** Groups taken up by one run for the due ones; the rest waits for the next. */
const dueAtOnce = 1000

const notMarked = () => failure(400, 'Group has not been marked for deletion')

export function createGroupDeletion(needs: DeletionNeeds) {
  const { database, clock, jobs, settings, avatars, presenting } = needs

  /** The group as it is under the lock of its tree. @throws ApiError 404 Group */
  async function held(tx: Tx, id: number): Promise<NamespaceRow> {
    const row = await holdTree(tx, id)
    if (!row || row.pending_delete) throw notFound('Group')
    return row
  }

  async function parentOf(tx: Tx, row: NamespaceRow): Promise<NamespaceRow | null> {
    return row.parent_id === null ? null : namespaceById(tx, row.parent_id)
  }

  /** Puts a suffix behind path and name, and marks everything below. */
  async function mark(tx: Tx, row: NamespaceRow): Promise<void> {
    const moment = now(clock)
    const parent = await parentOf(tx, row)
    const suffix = await freeSuffix(tx, row, parent)
    await moveNamespace(tx, row, { name: `${row.name}${suffix}`, path: `${row.path}${suffix}`, parent }, moment)
    const marks = { original_path: row.path, marked_for_deletion_on: dayOf(clock.now()) }
    await updateGroup(tx, row.id, marks, moment)
    await refreshMarks(tx, row.id)
  }

  /** From here on nobody sees the group any more; the job does the rest. */
  async function removeSoon(tx: Tx, id: number): Promise<void> {
    await hideBelow(tx, id)
    await jobs.enqueue(tx, removeJob, { groupId: id }, { uniqueKey: String(id) })
  }

  async function removeAllSoon(tx: Tx, ids: readonly number[]): Promise<void> {
    for (const id of ids) await removeSoon(tx, id)
  }

  /** Gives a group the name and path of before, where they are free. */
  async function unmark(tx: Tx, row: NamespaceRow): Promise<NamespaceRow> {
    const parent = await parentOf(tx, row)
    const path = row.original_path ?? row.path
    const name = row.name.replace(new RegExp(`${deletionSuffix(row.id)}(?:-\\d+)?$`), '')
    const isTaken = await isPathTaken(tx, parent ? `${parent.full_path}/${path}` : path)
    const nameTaken = await isNameTaken(tx, row.parent_id, name, row.id)
    const restored = { path: isTaken ? row.path : path, name: nameTaken ? row.name : name, parent }
    const moment = now(clock)
    await moveNamespace(tx, row, restored, moment)
    await updateGroup(tx, row.id, { original_path: null, marked_for_deletion_on: null }, moment)
    await refreshMarks(tx, row.id)
    return (await namespaceById(tx, row.id)) as NamespaceRow
  }

  /** Removes the rows of a group with nothing but groups below; false when there are projects (again). */
  async function removeRows(groupId: number): Promise<boolean> {
    return database.write(async (tx) => {
      const row = await holdTree(tx, groupId)
      if (!row?.pending_delete) return true
      if ((await projectIdsBelow(tx, groupId)).length > 0) {
        await hideBelow(tx, groupId)
        return false
      }
      const at = { now: now(clock) }
      for (const [id, bots] of await botsBelow(tx, groupId)) await needs.retireBots(tx, { kind: 'group', id }, bots, at)
      await rememberRemovedOfGroups(tx, subtreeOf(groupId), at.now)
      await deleteGroup(tx, groupId)
      await needs.removedFiles.removeLater(tx)
      return true
    })
  }

  jobs.define<{ groupId: number }>({
    kind: removeJob,
    queue: 'removal',
    async run({ groupId }) {
      const row = await namespaceById(database.read, groupId)
      if (!row?.pending_delete) return
      do {
        for (const id of await projectIdsBelow(database.read, groupId)) await needs.removeProject(id)
        for (const id of await avatarsBelow(database.read, groupId)) await avatars.removeOthers('group', id, null)
      } while (!(await removeRows(groupId)))
    },
  })

  /** Stores the job anew for groups whose removal was given up. */
  async function resume(): Promise<void> {
    const ids = await leavingGroups(database.read, dueAtOnce)
    if (ids.length > 0) await database.write((tx) => removeAllSoon(tx, ids))
  }

  jobs.define<null>({
    kind: removeDueJob,
    async run() {
      const { deletion_adjourned_period: days } = await settings.current()
      const day = dayAfter(clock.now(), -days)
      for (const id of await groupsMarkedUntil(database.read, day, dueAtOnce)) {
        await database.write(async (tx) => {
          const row = await holdTree(tx, id)
          // It may have been restored, or restored and marked again, since it was listed.
          if (row?.original_path && !row.pending_delete && (row.marked_for_deletion_on ?? '') <= day) {
            await removeSoon(tx, id)
          }
        })
      }
      await resume()
    },
  })
  jobs.every(removeDueJob, hourSeconds, removeDueJob)

  return {
    /** Marks a group, or removes one that was marked (x.groups_delete). @throws ApiError 400 */
    async remove(group: Group, params: DeletionParams): Promise<void> {
      const { deletion_adjourned_period: days } = await settings.current()
      await database.write(async (tx) => {
        const row = await held(tx, group.id)
        if (params.permanently_remove) {
          await requireRemovable(tx, row, params.full_path)
          await removeSoon(tx, row.id)
          return
        }
        if (row.original_path !== null) throw failure(400, 'Group has been already marked for deletion')
        await mark(tx, row)
        if (days === 0) await removeSoon(tx, row.id)
      })
    },

    /** Removes a group at once, whatever its state: nobody sees it any more. Nothing happens when it has gone. */
    async removeAtOnce(groupId: number): Promise<void> {
      await database.write(async (tx) => {
        const row = await holdTree(tx, groupId)
        if (row?.kind !== 'group' || row.pending_delete) return
        if (row.original_path === null) await mark(tx, row)
        await removeSoon(tx, groupId)
      })
    },

    /** Undoes the marking of a group (x.groups_restore). @throws ApiError 400 when it was not marked itself */
    async restore(actor: Actor, group: Group) {
      if (actor.kind !== 'user') throw forbidden()
      const row = await database.write(async (tx) => {
        const current = await held(tx, group.id)
        if (current.original_path === null) throw notMarked()
        return unmark(tx, current)
      })
      return presenting.detailOf(actor, row)
    },
  }
}

/** The suffix of a marked group; with a number where somebody has given something else just that path or name. */
async function freeSuffix(tx: Tx, row: NamespaceRow, parent: NamespaceRow | null): Promise<string> {
  for (let number = 0; ; number += 1) {
    const suffix = number === 0 ? deletionSuffix(row.id) : `${deletionSuffix(row.id)}-${number}`
    const path = `${row.full_path}${suffix}`
    const isTaken = (await isPathTaken(tx, path)) || (await isNameTaken(tx, parent?.id ?? null, `${row.name}${suffix}`))
    if (!isTaken) return suffix
  }
}

/**
 * What must be so before a group can be removed at once. It is named by its whole path: the current one, or the one of
 * before it was marked.
 * @throws ApiError 400
 */
async function requireRemovable(tx: Tx, row: NamespaceRow, fullPath: string | undefined): Promise<void> {
  if (row.parent_id === null) throw failure(400, '`permanently_remove` option is only available for subgroups.')
  if (row.original_path === null) throw failure(400, 'Subgroup must be marked for deletion first.')
  const above = (await ancestorsOf(tx, row.parent_id)).reverse()
  const current = `${above.at(-1)?.full_path}/${row.original_path}`
  const original = [...above, row].map((group) => group.original_path ?? group.path).join('/')
  if (fullPath === undefined || ![row.full_path, current, original].includes(fullPath)) {
    throw failure(400, '`full_path` is incorrect. You must enter the complete path for the subgroup.')
  }
}
