import { forbidden, notFound } from '../../../api/index.ts'
import { hasTier } from '../../../config.ts'
import { now } from '../../../infra/database/index.ts'
import type { JsonObject } from '../../../infra/json/index.ts'
import { hashToken } from '../../../infra/secrets/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type ProjectRow, refusesWrites, settingOf } from '../../projects/index.ts'
import { readOccurrences } from '../payloads/read.ts'
import { recordDelivery } from '../recording/batches.ts'
import type { Recorded } from '../recording/record.ts'
import type { IntegrationRow } from '../tables.ts'
import type { Address } from './addresses.ts'
import { isKey, presentedKey, wrongKey } from './keys.ts'
import * as store from './store.ts'

/** Where a delivery leads. */
export type Target = {
  project: ProjectRow
  /** Null at the addresses of a whole project, where the key names the integration. */
  integration: IntegrationRow | null
  monitoringOnly: boolean
}

/** Finds where a delivery leads: the first meaning of its address that exists. @throws ApiError 404 */
export async function requireTarget({ database }: Platform, addresses: readonly Address[]): Promise<Target> {
  const db = database.read
  for (const { projectPath, identifier, monitoringOnly } of addresses) {
    const project = await store.projectAtPath(db, projectPath)
    if (!project) continue
    if (identifier === null) return { project, integration: null, monitoringOnly }
    const integration = await store.integrationAt(db, project.id, identifier)
    if (integration) return { project, integration, monitoringOnly }
  }
  throw notFound()
}

/** Whether a project takes alerts: it is not archived, and its feature monitor is not off. */
const takesAlerts = (project: ProjectRow) =>
  !refusesWrites(project) && settingOf(project, 'monitor_access_level') !== 'disabled'

/**
 * The integration of a delivery that may be processed.
 * @throws ApiError 403 when nothing is taken there; 401 when the key is wrong
 */
export async function requireIntegrationOf(
  { database }: Platform,
  { project, integration, monitoringOnly }: Target,
  authorization: string | undefined,
): Promise<IntegrationRow> {
  const db = database.read
  const isOpen = integration ? integration.active : await store.hasActiveKey(db, project.id)
  if (!isOpen || !takesAlerts(project)) throw forbidden()
  const key = presentedKey(authorization)
  const preferred = monitoringOnly ? 'prometheus' : 'http'
  const found = integration ?? (key && (await store.integrationWithKey(db, project.id, hashToken(key), preferred)))
  if (!found || !isKey(key, found.token_digest)) throw wrongKey()
  return found
}

/** Processes a payload as a delivery to an integration (contract 2.22, 2.23). @throws ApiError 400, 404, 422 */
export function processPayload(
  platform: Platform,
  integration: IntegrationRow,
  payload: JsonObject,
  monitoringOnly: boolean,
): Promise<Recorded[]> {
  const namesByPayload = hasTier(platform.config.edition, 'premium')
  const receiving = { integration, monitoringOnly, now: now(platform.clock), namesByPayload }
  const occurrences = readOccurrences(payload, receiving)
  return recordDelivery(platform, integration, occurrences)
}
