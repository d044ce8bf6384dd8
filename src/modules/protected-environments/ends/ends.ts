import { dayOf } from '../../../api/index.ts'
import { type Events, enqueue, type Job, type Reaction } from '../../../platform/index.ts'
import { removeUncounted } from './removal.ts'
import { type Ended, protectionsAfter } from './store.ts'

const batchSize = 100

/**
 * Removes entries of users and groups that have lost access, so that they do not come back with it. They count no more from the
 * moment on at which the access ended, also before this runs (contract 24, Protection).
 */
export const endedEntriesJob: Job<Ended> = {
  kind: 'protected_environments.ended_entries',
  async run(platform, ended, { signal }) {
    const { database, clock } = platform
    for (let afterId = 0; ; ) {
      signal.throwIfAborted()
      const found = await protectionsAfter(database.read, ended, afterId, batchSize)
      for (const { id, kind, ownerId, namespaceId } of found) {
        const owner = { kind, id: ownerId, namespaceId }
        await database.write((tx) => removeUncounted(tx, owner, [id], dayOf(clock.now())))
      }
      const last = found.at(-1)
      if (!last || found.length < batchSize) return
      afterId = last.id
    }
  },
}

/** Removes the entries of a user who leaves a project or group. */
export const endEntriesOfMember: Reaction<Events['members.ending']> = async (platform, tx, { userId }) => {
  await enqueue(platform, tx, endedEntriesJob, { userId })
}

/** Removes the entries of a group that a project is no longer shared with, and of its members. */
export const endEntriesOfUnshared: Reaction<Events['project.unshared']> = async (platform, tx, { projectId }) => {
  await enqueue(platform, tx, endedEntriesJob, { projectId })
}

/** The same, of a group that is no longer invited to a group. */
export const endEntriesOfInvited: Reaction<Events['group.unshared']> = async (platform, tx, { groupId }) => {
  await enqueue(platform, tx, endedEntriesJob, { namespaceId: groupId })
}

/** Removes the entries of those who had access by the former groups of a project. */
export const endEntriesOfMoved: Reaction<Events['project.moved']> = async (platform, tx, { projectId }) => {
  await enqueue(platform, tx, endedEntriesJob, { projectId })
}

/** The same, of everything below a group that was moved. */
export const endEntriesBelowMoved: Reaction<Events['group.moved']> = async (platform, tx, { groupId }) => {
  await enqueue(platform, tx, endedEntriesJob, { namespaceId: groupId })
}
