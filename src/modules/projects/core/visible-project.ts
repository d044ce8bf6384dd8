import type { Actor } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import { findRoute } from '../../namespaces/index.ts'
import { canSee, type Project, withRole } from './access.ts'
import { projectById } from './store.ts'

/**
 * A second project that a request names besides its subject, by id or full path (also one of before), as the actor sees
 * it; null when the actor does not.
 */
export async function visibleProject(db: Reader, text: string, actor: Actor, today: string): Promise<Project | null> {
  const id = /^\d+$/.test(text) ? Number(text) : ((await findRoute(db, text))?.projectId ?? null)
  const row = id !== null && Number.isSafeInteger(id) ? await projectById(db, id) : null
  if (!row || row.pending_delete) return null
  const project = await withRole(db, row, actor, today)
  return canSee(actor, project) ? project : null
}
