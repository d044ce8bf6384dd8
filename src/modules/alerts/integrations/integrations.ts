import { badRequest, failure, invalid, notFound, type PageRequest, type Unmodified } from '../../../api/index.ts'
import { hasTier } from '../../../config.ts'
import { acquireLock, claim, jsonText, now, type Reader, type Tx } from '../../../infra/database/index.ts'
import { randomHex } from '../../../infra/secrets/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { Project } from '../../projects/index.ts'
import type { IntegrationRow, IntegrationRowChanges, IntegrationType } from '../tables.ts'
import { firstPrometheus } from './addresses.ts'
import type { IntegrationChanges, NewIntegration } from './params.ts'
import { AlertIntegration } from './present.ts'
import { newKey } from './sealing.ts'
import * as store from './store.ts'
import { checkedIntegration } from './validation.ts'

/** An integration of a project. @throws ApiError 404 */
export async function requireIntegration(db: Reader, project: Project, id: number): Promise<IntegrationRow> {
  const row = await store.integrationById(db, id)
  if (row?.project_id !== project.id) throw notFound('Integration')
  return row
}

/**
 * An active external link excludes every other active integration (contract 07). Which integrations are active is read under
 * the lock of the project.
 * @throws ApiError 400
 */
async function requireExclusive(tx: Tx, project: Project, type: IntegrationType, exceptId: number | null) {
  const others = await store.activeTypes(tx, project.id, exceptId)
  if (type === 'external_link' ? others.length === 0 : !others.includes('external_link')) return
  throw invalid({
    base: ['An external link integration cannot be active together with other alert integrations'],
  })
}

/** Below the tier with several integrations a project has one of each type (contract 07). @throws ApiError 403 */
async function requireFirst(tx: Tx, { config }: Platform, project: Project, type: IntegrationType): Promise<void> {
  if (hasTier(config.edition, 'premium') || !(await store.hasType(tx, project.id, type))) return
  throw failure(403, 'Multiple HTTP integrations are not supported for this project')
}

/** Under the lock of the project: the first Prometheus integration has a fixed identifier. */
async function newIdentifier(tx: Tx, project: Project, type: IntegrationType): Promise<string> {
  const isFirst = type === 'prometheus' && !(await store.hasIdentifier(tx, project.id, firstPrometheus))
  return isFirst ? firstPrometheus : randomHex(8)
}

const lockOf = (tx: Tx, { id }: Project) => acquireLock(tx, `alert_integrations:${id}`)

/** A page of the integrations of a project (contract 07, x.alert_integration_list). */
export async function listIntegrations(
  platform: Platform,
  project: Project,
  filter: { active?: boolean; type?: IntegrationType },
  page: PageRequest,
) {
  const found = await store.pageOfIntegrations(platform.database.read, project.id, filter, page)
  return { ...found, items: await AlertIntegration.presentAll(found.items, { platform, project }) }
}

/** One integration (contract 07, x.alert_integration_get). @throws ApiError 404 */
export async function getIntegration(platform: Platform, project: Project, id: number) {
  return AlertIntegration.presentOne(await requireIntegration(platform.database.read, project, id), {
    platform,
    project,
  })
}

/** Creates an integration with a new key (contract 07, x.alert_integration_create). @throws ApiError 400, 403 */
export async function createIntegration(platform: Platform, project: Project, given: NewIntegration) {
  const { type = 'http', active = true } = given
  const { mappings, ...columns } = checkedIntegration({
    name: given.name,
    type,
    externalUrl: given.external_url ?? null,
    example: { given: given.payload_example ?? null },
    mappings: given.payload_attribute_mappings ?? [],
  })
  const moment = now(platform.clock)
  const row = await platform.database.write(async (tx) => {
    await lockOf(tx, project)
    await requireFirst(tx, platform, project, type)
    if (active) await requireExclusive(tx, project, type, null)
    const identifier = type === 'external_link' ? null : await newIdentifier(tx, project, type)
    const none = { sealed_token: null, token_digest: null }
    const key = identifier === null ? none : await newKey(platform, project.id, identifier)
    return store.insertIntegration(tx, {
      ...{ ...columns, ...key, project_id: project.id, type, active, endpoint_identifier: identifier },
      ...{ payload_attribute_mappings: jsonText(mappings), created_at: moment, updated_at: moment },
    })
  })
  return AlertIntegration.presentOne(row, { platform, project })
}

/** The row with the changes. A new example without mappings clears them. @throws ApiError 400 */
function changed(row: IntegrationRow, given: IntegrationChanges): IntegrationRowChanges {
  const { payload_example: example, payload_attribute_mappings: mappings } = given
  const kept = example === undefined ? row.payload_attribute_mappings : []
  const checked = checkedIntegration({
    name: given.name ?? row.name,
    type: row.type,
    externalUrl: given.external_url ?? row.external_url,
    example: example === undefined ? { stored: row.payload_example } : { given: example },
    mappings: mappings ?? kept,
  })
  const { mappings: read, ...columns } = checked
  return { ...columns, payload_attribute_mappings: jsonText(read), active: given.active ?? row.active }
}

/** Changes an integration (contract 07, x.alert_integration_update). @throws ApiError 400, 404 */
export async function updateIntegration(platform: Platform, project: Project, id: number, given: IntegrationChanges) {
  const row = await platform.database.write(async (tx) => {
    await lockOf(tx, project)
    const current = await requireIntegration(tx, project, id)
    const changes = changed(current, given)
    if (changes.active && !current.active) await requireExclusive(tx, project, current.type, id)
    return store.updateIntegration(tx, id, { ...changes, updated_at: now(platform.clock) })
  })
  if (!row) throw notFound('Integration')
  return AlertIntegration.presentOne(row, { platform, project })
}

/** Replaces the key; the old one is refused at once (contract 07, x.alert_integration_reset_token). @throws ApiError 400, 404 */
export async function resetKey(platform: Platform, project: Project, id: number) {
  const { endpoint_identifier: identifier } = await requireIntegration(platform.database.read, project, id)
  if (identifier === null) throw badRequest('integration has no token')
  const key = await newKey(platform, project.id, identifier)
  const changes = { ...key, updated_at: now(platform.clock) }
  const row = await platform.database.write((tx) => store.updateIntegration(tx, id, changes))
  if (!row) throw notFound('Integration')
  return AlertIntegration.presentOne(row, { platform, project })
}

/** Deletes an integration; its alerts stay (contract 07, x.alert_integration_delete). @throws ApiError 404; 412 by `unmodified` */
export async function deleteIntegration(
  { database }: Platform,
  project: Project,
  id: number,
  unmodified: Unmodified,
): Promise<void> {
  await database.write(async (tx) => {
    const row = await claim(tx, 'alert_integrations', () => requireIntegration(tx, project, id))
    unmodified(row.updated_at)
    await store.deleteIntegration(tx, id)
  })
}
