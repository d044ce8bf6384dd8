import { parseDateTime } from '../../../api/index.ts'
import { isObject, type JsonObject } from '../../../infra/json/index.ts'
import { type Mapping, type Severity, severities } from '../tables.ts'
import { automaticFingerprint, ownFingerprint } from './fingerprint.ts'
import type { Occurrence } from './occurrence.ts'
import { hostsOf, isBlank, textOf, untitled } from './text.ts'

function valueAt(payload: JsonObject, path: readonly (string | number)[]): unknown {
  let value: unknown = payload
  for (const key of path) {
    const isInside = (isObject(value) || Array.isArray(value)) && Object.hasOwn(value, key)
    if (!isInside) return undefined
    value = (value as JsonObject)[key]
  }
  return value
}

/** Reads the fields of a payload: where a mapping leads, or else under these names. */
function reader(payload: JsonObject, mappings: readonly Mapping[]) {
  return (field: string, ...names: readonly string[]): unknown => {
    const mapping = mappings.find(({ field_name: name }) => name === field)
    const mapped = mapping && valueAt(payload, mapping.path)
    if (!isBlank(mapped)) return mapped
    return [field, ...names].map((name) => valueAt(payload, [name])).find((value) => !isBlank(value))
  }
}

const timeOf = (value: unknown) => (typeof value === 'string' ? parseDateTime(value.trim()) : null)

function severityOf(value: unknown): Severity {
  const wanted = typeof value === 'string' ? value.trim().toLowerCase() : ''
  return severities.find((severity) => severity === wanted) ?? 'critical'
}

/**
 * The alert of a generic payload (contract 2.22).
 * @param namesByPayload whether it is named by its payload when it has no fingerprint
 */
export function genericOccurrence(
  payload: JsonObject,
  mappings: readonly Mapping[],
  now: string,
  namesByPayload = true,
): Occurrence {
  const read = reader(payload, mappings)
  return {
    title: textOf(read('title'), 'title') ?? untitled,
    description: textOf(read('description'), 'description'),
    severity: severityOf(read('severity')),
    service: textOf(read('service'), 'service'),
    monitoringTool: textOf(read('monitoring_tool'), 'monitoringTool'),
    hosts: hostsOf(read('hosts')),
    startedAt: timeOf(read('start_time')) ?? now,
    endedAt: timeOf(read('end_time')),
    fingerprint:
      ownFingerprint(read('fingerprint')) ?? (namesByPayload ? automaticFingerprint(payload, mappings) : null),
    looseFingerprint: null,
    environmentName: textOf(read('gitlab_environment_name', 'service_environment_name'), 'environmentName'),
    runbook: textOf(read('runbook'), 'runbook'),
    fullQuery: null,
    yLabel: null,
    format: 'generic',
    payload: JSON.stringify(payload),
  }
}
