import type { JsonObject } from '../../../infra/json/index.ts'
import type { IntegrationRow } from '../tables.ts'
import { genericOccurrence } from './generic.ts'
import { isMonitoringPayload, monitoringOccurrences, requireMonitoringPayload } from './monitoring.ts'
import type { Occurrence } from './occurrence.ts'

/** What decides about the format of a delivery. */
export type Receiving = {
  integration: Pick<IntegrationRow, 'type' | 'payload_attribute_mappings'>
  /** Whether the address accepts the monitoring-tool format only (contract 2.23). */
  monitoringOnly: boolean
  now: string
  /** Whether alerts without a fingerprint are named by their payload. */
  namesByPayload: boolean
}

/**
 * The alerts of a payload. Generic integrations without mappings take both formats (contract 2.22).
 * @throws ApiError 400, 422
 */
export function readOccurrences(
  payload: JsonObject,
  { integration, monitoringOnly, now, namesByPayload }: Receiving,
): Occurrence[] {
  const { type, payload_attribute_mappings: mappings } = integration
  if (monitoringOnly || type === 'prometheus') {
    requireMonitoringPayload(payload)
    return monitoringOccurrences(payload, now)
  }
  if (mappings.length === 0 && isMonitoringPayload(payload)) return monitoringOccurrences(payload, now)
  return [genericOccurrence(payload, mappings, now, namesByPayload)]
}
