import { portionsOf, type Tx } from '../../infra/database/index.ts'
import { type Events, enqueueAll, type Job, type Platform, type Reaction } from '../../platform/index.ts'
import { keyOfArchive } from './owner.ts'
import { secretsOfGroups, secretsOfProject } from './store.ts'

/** Removes an archive that no row has any more. */
export const removeArchiveJob: Job<{ secret: string }> = {
  kind: 'transfer_archives.remove',
  queue: 'maintenance',
  async run({ objects }, { secret }) {
    await objects.delete(keyOfArchive(secret))
  },
}

const jobsAtOnce = 500

/** Has archives removed whose rows name them no more. */
export async function removeArchivesLater(platform: Platform, tx: Tx, secrets: readonly string[]): Promise<void> {
  for (const part of portionsOf(secrets, jobsAtOnce)) {
    const payloads = part.map((secret) => ({ secret }))
    await enqueueAll(platform, tx, removeArchiveJob, payloads)
  }
}

/** Removes the archives of a project that is deleted. */
export const removeArchivesOfProject: Reaction<Events['project.removed']> = async (platform, tx, { projectId }) => {
  await removeArchivesLater(platform, tx, await secretsOfProject(tx, projectId))
}

/** Removes the archives of a group that is deleted, and of the groups below it. */
export const removeArchivesOfGroup: Reaction<Events['group.removed']> = async (platform, tx, { groupId }) => {
  await removeArchivesLater(platform, tx, await secretsOfGroups(tx, groupId))
}
