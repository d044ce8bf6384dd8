import type { Tx } from '../../../infra/database/index.ts'
import type { Platform, Reaction } from '../../../platform/index.ts'
import { countProjects, topicIds } from '../../topics/index.ts'
import { deleteTopicsOf, insertTopicsOf, moveAssignments } from './store.ts'

/** Replaces the topics of a project by those with these names, in this order. */
export async function replaceTopics(
  platform: Pick<Platform, 'clock'>,
  tx: Tx,
  projectId: number,
  names: readonly string[],
): Promise<void> {
  const before = await deleteTopicsOf(tx, projectId)
  const after = await topicIds(platform, tx, names)
  await insertTopicsOf(tx, projectId, after)
  const lost = before.filter((id) => !after.includes(id))
  const got = after.filter((id) => !before.includes(id))
  await countProjects(tx, lost, -1)
  await countProjects(tx, got, 1)
}

/** Gives the projects of a topic the one that it is merged into. */
export const moveTopic: Reaction<{ sourceId: number; targetId: number }> = async (_platform, tx, topics) => {
  const { sourceId, targetId } = topics
  await countProjects(tx, [targetId], await moveAssignments(tx, sourceId, targetId))
}
