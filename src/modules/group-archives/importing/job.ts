import { ApiError, dayOf } from '../../../api/index.ts'
import type { Importing, Job, Platform } from '../../../platform/index.ts'
import { mayInGroup, withLevel } from '../../groups/index.ts'
import { type NamespaceRow, namespaceById } from '../../namespaces/index.ts'
import {
  beginImport,
  endImport,
  ImportProblem,
  isOutage,
  mostRuns,
  readUsers,
  type TransferImportRow,
  unpackImport,
} from '../../transfer-archives/index.ts'
import { actingUser, userById } from '../../users/index.ts'
import { importGroupContents, makeSubgroup, userLines } from './contents.ts'
import { groupsOf } from './tree.ts'

const attempts = 4
const failureText = 'The import failed'

/** Who imports, as long as they own the group. @throws ImportProblem */
async function importerOf(platform: Platform, { user_id }: TransferImportRow, group: NamespaceRow) {
  const { database, clock } = platform
  const user = user_id === null ? null : await userById(database.read, user_id)
  if (user?.state !== 'active') throw new ImportProblem('The user who imports does not exist any more')
  const importer = actingUser(platform, user)
  const found = await withLevel(database.read, group, importer, dayOf(clock.now()))
  if (!mayInGroup(importer, found, 'admin_group')) {
    throw new ImportProblem('The user may not import into the group any more')
  }
  return importer
}

/** Imports the groups of an archive, each after its parent. What was imported before a restart is left out. @throws ImportProblem */
async function carryOut(platform: Platform, row: TransferImportRow, root: NamespaceRow, signal: AbortSignal) {
  const importer = await importerOf(platform, row, root)
  await using archive = await unpackImport(platform, row, signal)
  const groups = await groupsOf(archive)
  const users = await readUsers(platform, importer, userLines(archive, groups))
  const shared = { kind: 'group' as const, importer, source: row.source, users, signal, placeOf: async () => null }
  const made = new Map<number, number>()
  for (const group of groups) {
    signal.throwIfAborted()
    const intoRoot: Importing = { ...shared, id: root.id, namespaceId: root.id }
    const part = String(group.id)
    const parentId = group.parentId === null ? null : made.get(group.parentId)
    // The parent could not be made.
    if (group !== groups[0] && (parentId === undefined || parentId === null)) continue
    const id =
      parentId === null || parentId === undefined
        ? root.id
        : await makeSubgroup({ platform, run: { importId: row.id, part, into: intoRoot }, group }, parentId)
    if (id === null) continue
    made.set(group.id, id)
    const into: Importing = { ...shared, id, namespaceId: id }
    await importGroupContents({ platform, run: { importId: row.id, part, into }, archive, group })
  }
  await platform.database.write((tx) => endImport(platform, tx, row.id, null))
}

/** Why an import has failed for good, as users see it; null when it goes on later. */
function problemOf(error: unknown, attempt: number): string | null {
  if (error instanceof ImportProblem) return error.message
  if (error instanceof ApiError && error.status === 404) return failureText
  return attempt >= attempts && !isOutage(error) ? failureText : null
}

/** Imports a group from an archive. When its process ends, another one goes on where it was. */
export const importGroupJob: Job<{ importId: number }> = {
  kind: 'group_archives.import',
  queue: 'imports',
  maxAttempts: mostRuns + 1,
  async run(platform, { importId }, { attempt, signal }) {
    const { database, log } = platform
    const row = await beginImport(platform, importId)
    const root = row?.namespace_id ? await namespaceById(database.read, row.namespace_id) : null
    if (!row || !root || root.pending_delete) return
    const fail = (problem: string) => database.write((tx) => endImport(platform, tx, row.id, problem))
    if (attempt > mostRuns) return fail(failureText)
    try {
      await carryOut(platform, row, root, signal)
    } catch (error) {
      if (signal.aborted) throw error
      const problem = problemOf(error, attempt)
      if (problem === null) throw error
      if (!(error instanceof ImportProblem))
        log.error({ err: error, group: root.id }, 'an archive could not be imported')
      await fail(problem)
    }
  },
}
