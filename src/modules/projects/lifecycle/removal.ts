import { now, type Tx } from '../../../infra/database/index.ts'
import { enqueue, type Job, type Platform, react } from '../../../platform/index.ts'
import { rememberRemoved, removeFilesLater } from '../../../platform/repositories/index.ts'
import { namespaceOfUser } from '../../namespaces/index.ts'
import { removeAvatars } from '../../users/index.ts'
import { holdProject, projectById, updateProject } from '../core/store.ts'
import { replaceTopics } from '../topics/topics.ts'
import { deleteProject, hiddenProjects, hideProjectsIn } from './store.ts'

/** Removals that one run enqueues again. */
const resumedAtOnce = 1000

/** The rows and the record of the repositories' files are written in one transaction, so that no file is forgotten. */
async function removeRows(platform: Platform, projectId: number): Promise<void> {
  await platform.database.write(async (tx) => {
    const row = await holdProject(tx, projectId)
    if (!row?.pending_delete) return
    await react(platform, tx, 'project.removed', { projectId })
    await rememberRemoved(tx, [projectId], now(platform.clock))
    await replaceTopics(platform, tx, projectId, [])
    await deleteProject(tx, projectId)
    await removeFilesLater(platform, tx)
  })
}

/** Removes a hidden project (`pending_delete`) with its rows and files (contract 21 R6). May be repeated. */
export async function removeProject(platform: Platform, projectId: number): Promise<void> {
  const row = await projectById(platform.database.read, projectId)
  if (!row?.pending_delete) return
  await removeAvatars(platform, 'project', row.id)
  await removeRows(platform, row.id)
}

/** Removes a project that was hidden. */
export const removeProjectJob: Job<{ projectId: number }> = {
  kind: 'projects.remove',
  queue: 'removal',
  run: (platform, { projectId }) => removeProject(platform, projectId),
}

async function enqueueRemoval(platform: Platform, tx: Tx, projectId: number): Promise<void> {
  await enqueue(platform, tx, removeProjectJob, { projectId }, { uniqueKey: String(projectId) })
}

/** Hides a project from all callers; a job removes it. */
export async function removeProjectLater(platform: Platform, tx: Tx, projectId: number): Promise<void> {
  await updateProject(tx, projectId, { pending_delete: true, updated_at: now(platform.clock) })
  await enqueueRemoval(platform, tx, projectId)
}

/** Enqueues the removals that have failed for good. */
export async function resumeRemovals(platform: Platform): Promise<void> {
  const { database } = platform
  const ids = await hiddenProjects(database.read, resumedAtOnce)
  if (ids.length === 0) return
  await database.write(async (tx) => {
    for (const id of ids) await enqueueRemoval(platform, tx, id)
  })
}

/** Removes the projects in the personal namespace of a user, with their repositories. May be repeated. */
export async function removeProjectsOf(platform: Platform, userId: number): Promise<void> {
  const { database } = platform
  const namespace = await namespaceOfUser(database.read, userId)
  if (!namespace) return
  const ids = await database.write((tx) => hideProjectsIn(tx, namespace.id))
  for (const id of ids) await removeProject(platform, id)
}
