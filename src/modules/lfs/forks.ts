import { type Actor, dayOf } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import type { Database } from '../../infra/database/index.ts'
import { canSee, may, type Project, projectById, withRole } from '../projects/index.ts'

/** A fork of a fork of a fork is as far as anybody goes; more is looked at by no one. */
const mostSources = 20

/** The projects that one was forked from, the nearest first, as far as the actor may read their code. */
export function createReadableSources({ database, clock }: { database: Database; clock: Clock }) {
  const db = database.read
  return async function readableSources(project: Project, actor: Actor): Promise<number[]> {
    const found: number[] = []
    const today = dayOf(clock.now())
    let next = project.forked_from_id
    for (let step = 0; next !== null && step < mostSources; step += 1) {
      const row = await projectById(db, next)
      if (!row) break
      const source = row.pending_delete ? null : await withRole(db, row, actor, today)
      if (source && canSee(actor, source) && may(actor, source, 'read_code')) found.push(row.id)
      next = row.forked_from_id
    }
    return found
  }
}
