import { type Platform, react } from '../../../platform/index.ts'
import { type RemovedTag, removeTag } from './store.ts'

/** Removes a tag in a transaction of its own. @returns false when there is no such tag, or it was moved meanwhile */
export function removeTagNow(platform: Platform, tag: RemovedTag): Promise<boolean> {
  return platform.database.write(async (tx) => {
    const isRemoved = await removeTag(tx, tag)
    if (isRemoved) await react(platform, tx, 'container_repository.changed', { repositoryId: tag.repositoryId })
    return isRemoved
  })
}
