import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { prepareQuery, type Reader, rows, type Tx } from '../../../infra/database/index.ts'
import { type CiTriggerRow, ciTriggers } from '../tables.ts'

export const { insert: insertTrigger } = rows(ciTriggers)

/** A page of the triggers of a project, by id. */
export function pageOfTriggers(db: Reader, projectId: number, page: PageRequest): Promise<Page<CiTriggerRow>> {
  return pageOfRows(
    db,
    db.selectFrom('ci_triggers').selectAll().where('project_id', '=', projectId).orderBy('id'),
    page,
  )
}

export async function triggerOfProject(db: Reader, projectId: number, id: number): Promise<CiTriggerRow | null> {
  const query = db.selectFrom('ci_triggers').selectAll().where('id', '=', id).where('project_id', '=', projectId)
  return (await query.executeTakeFirst()) ?? null
}

const byDigest = prepareQuery((db, { digest }: { digest: string }) =>
  db.selectFrom('ci_triggers').selectAll().where('token_digest', '=', digest),
)

export async function triggerByDigest(db: Reader, digest: string): Promise<CiTriggerRow | null> {
  return (await byDigest(db, { digest }))[0] ?? null
}

/** @returns null when it was deleted meanwhile */
export async function describeTrigger(
  tx: Tx,
  id: number,
  description: string,
  moment: string,
): Promise<CiTriggerRow | null> {
  const changes = { description, updated_at: moment }
  return (
    (await tx.updateTable('ci_triggers').set(changes).where('id', '=', id).returningAll().executeTakeFirst()) ?? null
  )
}

export async function noteUse(tx: Tx, id: number, moment: string): Promise<void> {
  await tx.updateTable('ci_triggers').set({ last_used_at: moment }).where('id', '=', id).execute()
}

/** @returns whether it existed */
export async function deleteTrigger(tx: Tx, id: number): Promise<boolean> {
  return (await tx.deleteFrom('ci_triggers').where('id', '=', id).returning('id').executeTakeFirst()) !== undefined
}
