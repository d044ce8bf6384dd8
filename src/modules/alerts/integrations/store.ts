import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import type { Reader, Tx } from '../../../infra/database/index.ts'
import type { IntegrationRow, IntegrationRowChanges, IntegrationType, NewIntegrationRow } from '../tables.ts'

type Filter = { active?: boolean; type?: IntegrationType }

/** A page of the integrations of a project, by id. */
export async function pageOfIntegrations(
  db: Reader,
  projectId: number,
  { active, type }: Filter,
  page: PageRequest,
): Promise<Page<IntegrationRow>> {
  let query = db.selectFrom('alert_integrations').selectAll().where('project_id', '=', projectId)
  if (active !== undefined) query = query.where('active', '=', active)
  if (type !== undefined) query = query.where('type', '=', type)
  return pageOfRows(db, query.orderBy('id'), page)
}

export async function integrationById(db: Reader, id: number): Promise<IntegrationRow | null> {
  return (await db.selectFrom('alert_integrations').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

/** The types of the active integrations of a project, without one of them. */
export async function activeTypes(db: Reader, projectId: number, exceptId: number | null): Promise<IntegrationType[]> {
  const query = db.selectFrom('alert_integrations').select('type').distinct().where('project_id', '=', projectId)
  const active = query.where('active', '=', true).where('id', '<>', exceptId ?? 0)
  return (await active.execute()).map(({ type }) => type)
}

/** Whether a project has an integration of a type, active or not. */
export async function hasType(db: Reader, projectId: number, type: IntegrationType): Promise<boolean> {
  const query = db.selectFrom('alert_integrations').select('id').where('project_id', '=', projectId)
  return (await query.where('type', '=', type).limit(1).executeTakeFirst()) !== undefined
}

/** Whether an integration of a project has this identifier. */
export async function hasIdentifier(db: Reader, projectId: number, identifier: string): Promise<boolean> {
  const query = db.selectFrom('alert_integrations').select('id').where('project_id', '=', projectId)
  return (await query.where('endpoint_identifier', '=', identifier).executeTakeFirst()) !== undefined
}

/** @throws UniqueViolation of `alert_integrations_endpoint_unique` */
export async function insertIntegration(tx: Tx, integration: NewIntegrationRow): Promise<IntegrationRow> {
  return tx.insertInto('alert_integrations').values(integration).returningAll().executeTakeFirstOrThrow()
}

/** Changes an integration. @returns null when it was deleted meanwhile */
export async function updateIntegration(tx: Tx, id: number, changes: IntegrationRowChanges) {
  const query = tx.updateTable('alert_integrations').set(changes).where('id', '=', id)
  return (await query.returningAll().executeTakeFirst()) ?? null
}

/** Deletes an integration; its alerts stay. @returns whether it was there */
export async function deleteIntegration(tx: Tx, id: number): Promise<boolean> {
  const query = tx.deleteFrom('alert_integrations').where('id', '=', id).returning('id')
  return (await query.executeTakeFirst()) !== undefined
}
