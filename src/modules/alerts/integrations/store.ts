import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { type Reader, rows, type Tx } from '../../../infra/database/index.ts'
import { alertIntegrations, type IntegrationRow, type IntegrationType } from '../tables.ts'

export const { byId: integrationById, insert: insertIntegration, update: updateIntegration } = rows(alertIntegrations)

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

/** Deletes an integration; its alerts stay. @returns whether it was there */
export async function deleteIntegration(tx: Tx, id: number): Promise<boolean> {
  const query = tx.deleteFrom('alert_integrations').where('id', '=', id).returning('id')
  return (await query.executeTakeFirst()) !== undefined
}
