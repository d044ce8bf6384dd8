import { badRequest, failure, parseDateTime } from '../../../api/index.ts'
import { isObject, type JsonObject } from '../../../infra/json/index.ts'
import type { Severity } from '../tables.ts'
import { canonicalJson, sha1 } from './fingerprint.ts'
import type { Occurrence } from './occurrence.ts'
import { isBlank, textOf, untitled } from './text.ts'

/** The members that a payload of this format has to have (contract 2.23). */
const requiredKeys = [
  'version',
  'groupKey',
  'status',
  'receiver',
  'groupLabels',
  'commonLabels',
  'commonAnnotations',
  'externalURL',
  'alerts',
]

const synonyms: Readonly<Record<string, Severity>> = Object.fromEntries(
  (
    [
      ['critical', 'critical s1 p1 emergency fatal'],
      ['high', 'high s2 p2 major page'],
      ['medium', 'medium s3 p3 error alert'],
      ['low', 'low s4 p4 warn warning'],
      ['info', 'info s5 p5 debug information notice'],
    ] as const
  ).flatMap(([severity, words]) => words.split(' ').map((word) => [word, severity] as const)),
)

const missingKeys = (payload: JsonObject) => requiredKeys.filter((key) => !Object.hasOwn(payload, key))

/** Whether a payload has the monitoring-tool format. */
export function isMonitoringPayload(payload: JsonObject): boolean {
  return missingKeys(payload).length === 0 && Array.isArray(payload.alerts)
}

/** @throws ApiError 422 unless the payload has the monitoring-tool format */
export function requireMonitoringPayload(payload: JsonObject): void {
  const missing = missingKeys(payload)
  if (missing.length > 0) throw failure(422, `422 Unprocessable Entity - missing: ${missing.join(', ')}`)
  if (!Array.isArray(payload.alerts)) throw failure(422, '422 Unprocessable Entity - alerts must be an array')
}

/** The own members of a member of a payload; none unless it is an object. */
const objectAt = (value: JsonObject, key: string): JsonObject => {
  const member = Object.hasOwn(value, key) ? value[key] : undefined
  return isObject(member) ? member : {}
}

/** The first of these members that is a text; objects and arrays count as blank. */
function firstText(value: JsonObject, keys: readonly string[]): unknown {
  return keys
    .map((key) => (Object.hasOwn(value, key) ? value[key] : undefined))
    .find((member) => typeof member !== 'object' && !isBlank(member))
}

/** A time; tools write year 1 where there is none. */
function timeAt(item: JsonObject, key: string): string | null {
  const text = firstText(item, [key])
  const time = typeof text === 'string' ? parseDateTime(text.trim()) : null
  return time?.startsWith('0001') ? null : time
}

/** The query behind an alert, in the address of its graph. */
function queryOf(item: JsonObject): unknown {
  const address = String(firstText(item, ['generatorURL', 'generatorUrl']) ?? '')
  const mark = address.indexOf('?')
  return mark < 0 ? null : new URLSearchParams(address.slice(mark + 1).split('#', 1)[0]).get('g0.expr')
}

function isResolving(payload: JsonObject, item: JsonObject): boolean {
  const status = firstText(item, ['status'])
  if (status !== undefined) return status === 'resolved'
  return payload.status === 'resolved' || timeAt(item, 'endsAt') !== null
}

function severityOf(labels: JsonObject): Severity {
  const word = String(firstText(labels, ['severity']) ?? '')
    .trim()
    .toLowerCase()
  return (Object.hasOwn(synonyms, word) ? synonyms[word] : undefined) ?? 'critical'
}

/**
 * What names the alert of an item (contract 2.23): its own fingerprint; or else its labels; or, when they have no `alertname`, start,
 * title, query and labels.
 * @returns `fingerprint`, and as `looseFingerprint` what names it by the labels alone; both are the same without an own fingerprint
 */
function fingerprintsOf(item: JsonObject, title: unknown): Pick<Occurrence, 'fingerprint' | 'looseFingerprint'> {
  const labels = objectAt(item, 'labels')
  const written = canonicalJson(labels)
  const byLabels =
    firstText(labels, ['alertname']) === undefined
      ? `title/${firstText(item, ['startsAt']) ?? ''}/${title ?? ''}/${queryOf(item) ?? ''}/${written}`
      : `labels/${written}`
  const own = firstText(item, ['fingerprint'])
  const looseFingerprint = sha1(byLabels)
  return { fingerprint: typeof own === 'string' ? sha1(`fingerprint/${own}`) : looseFingerprint, looseFingerprint }
}

/**
 * The title of an item; null when it has none. An item that resolves needs none when a fingerprint names its alert: tools leave the
 * annotations out there.
 */
function titleOf(item: JsonObject, named: unknown, isResolved: boolean): string | null {
  const isNamed = typeof firstText(item, ['fingerprint']) === 'string'
  return textOf(named, 'title') ?? (isResolved && isNamed ? untitled : null)
}

/** The alert of an item; null when it has no title, or no start. */
function occurrenceOf(payload: JsonObject, item: unknown, now: string): Occurrence | null {
  if (!isObject(item) || !Object.hasOwn(item, 'startsAt')) return null
  const annotations = objectAt(item, 'annotations')
  const labels = objectAt(item, 'labels')
  const named = firstText(annotations, ['title', 'summary']) ?? firstText(labels, ['alertname'])
  const isResolved = isResolving(payload, item)
  const title = titleOf(item, named, isResolved)
  if (title === null) return null
  return {
    title,
    description: textOf(firstText(annotations, ['description']), 'description'),
    severity: severityOf(labels),
    service: null,
    monitoringTool: Object.hasOwn(payload, 'orgId') ? 'Grafana' : 'Prometheus',
    hosts: [],
    startedAt: timeAt(item, 'startsAt') ?? now,
    endedAt: isResolved ? (timeAt(item, 'endsAt') ?? now) : null,
    ...fingerprintsOf(item, named),
    environmentName: textOf(
      firstText(labels, ['gitlab_environment_name', 'service_environment_name']),
      'environmentName',
    ),
    runbook: textOf(firstText(annotations, ['runbook', 'runbook_url']), 'runbook'),
    fullQuery: textOf(queryOf(item), 'fullQuery'),
    yLabel: textOf(firstText(annotations, ['gitlab_y_label', 'service_y_label']) ?? named, 'yLabel'),
    format: 'monitoring',
    payload: JSON.stringify(item),
  }
}

/**
 * The alerts of a payload in the monitoring-tool format, one for each item; items without a title or a start are left out.
 * @throws ApiError 400 when all items are
 */
export function monitoringOccurrences(payload: JsonObject, now: string): Occurrence[] {
  const items = payload.alerts as readonly unknown[]
  const found = items.flatMap((item) => occurrenceOf(payload, item, now) ?? [])
  if (found.length === 0 && items.length > 0) throw badRequest('no alert with a title and startsAt')
  return found
}
