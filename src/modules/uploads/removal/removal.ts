import { portionsOf } from '../../../infra/database/index.ts'
import type { Events, Job, Reaction } from '../../../platform/index.ts'
import { enqueue, enqueueAll } from '../../../platform/index.ts'
import { groupsWithUploads } from '../core/store.ts'
import { prefixOfOwner, type UploadOwner } from '../owner.ts'

/** Removes the files of a deleted project or group, whose records are gone. */
export const removeUploadsJob: Job<UploadOwner> = {
  kind: 'uploads.remove',
  queue: 'maintenance',
  async run({ objects }, owner, { signal }) {
    for await (const { key } of objects.list(prefixOfOwner(owner))) {
      signal.throwIfAborted()
      await objects.delete(key)
    }
  },
}

/** Removes the uploads of a project that is deleted. */
export const removeUploadsOfProject: Reaction<Events['project.removed']> = async (platform, tx, { projectId }) => {
  await enqueue(platform, tx, removeUploadsJob, { kind: 'project', id: projectId })
}

const jobsAtOnce = 500

/** Removes the uploads of a group that is deleted, and of the groups below it. */
export const removeUploadsOfGroup: Reaction<Events['group.removed']> = async (platform, tx, { groupId }) => {
  const owners = (await groupsWithUploads(tx, groupId)).map((id) => ({ kind: 'group' as const, id }))
  for (const part of portionsOf(owners, jobsAtOnce)) await enqueueAll(platform, tx, removeUploadsJob, part)
}
