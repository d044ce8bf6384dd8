import { type Actor, dayOf } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { callerOf, canSee, canUseFeature, projectsWithRoles } from '../../projects/index.ts'
import { answersOf } from '../answers.ts'
import { targetsOfNotes } from './store.ts'

/** Which of these projects have code that the caller may read. */
export async function projectsWithCode(platform: Platform, actor: Actor, ids: readonly number[]): Promise<Set<number>> {
  const db = platform.database.read
  const projects = await projectsWithRoles(db, await callerOf(db, actor, dayOf(platform.clock.now())), ids)
  const readable = projects.filter(
    (project) => !project.pending_delete && canSee(actor, project) && canUseFeature(actor, project, 'repository'),
  )
  return new Set(readable.map(({ id }) => id))
}

/** The ids of those of these system notes that name an issuable or a commit that the caller may not read. */
export async function unreadableNotes(
  platform: Platform,
  actor: Actor,
  noteIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const targets = await targetsOfNotes(platform.database.read, noteIds)
  const hidden = new Set<number>()
  for (const [type, ofType] of Map.groupBy(targets, ({ target_type }) => target_type)) {
    const isCommit = type === 'Commit'
    const idOf = (target: (typeof ofType)[number]) => (isCommit ? target.target_project_id : target.target_id) ?? 0
    const ids = [...new Set(ofType.map(idOf))]
    const readable = isCommit
      ? await projectsWithCode(platform, actor, ids)
      : await answersOf(platform, type)?.readable(platform, actor, ids)
    for (const target of ofType) if (!readable?.has(idOf(target))) hidden.add(target.note_id)
  }
  return hidden
}
