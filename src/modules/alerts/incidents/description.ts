import { isObject } from '../../../infra/json/index.ts'
import { detailsOf } from '../payloads/details.ts'
import { asText, cutText, isBlank } from '../payloads/text.ts'
import type { AlertRow } from '../tables.ts'

/** Rows of the table of details. */
const mostDetails = 200
/** Characters of a value in the table of details. */
const longestDetail = 1_000

/** Text in Markdown as it is, on one line: what monitoring tools send must not become markup, mentions or quick actions. */
const literal = (text: string) => text.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]<>()#+\-!|~@$%&/^:]/g, '\\$&')

/** Text as code, between more backticks than it has in a row. */
function code(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  return `${fence} ${text.replace(/\s+/g, ' ')} ${fence}`
}

function summaryOf(row: AlertRow, alertUrl: string): string {
  const { hosts } = row
  const lines: [label: string, text: string | null][] = [
    ['Start time', row.started_at],
    ['Severity', row.severity],
    ['Query', row.full_query === null ? null : code(row.full_query)],
    ['Service', row.service && literal(row.service)],
    ['Monitoring tool', row.monitoring_tool && literal(row.monitoring_tool)],
    ['Hosts', hosts.length > 0 ? hosts.map(literal).join(', ') : null],
    ['Runbook', row.runbook && literal(row.runbook)],
    ['Description', row.description && literal(row.description)],
    ['Alert', alertUrl],
  ]
  const shown = lines.filter(([, text]) => text).map(([label, text]) => `**${label}:** ${text}`)
  return `#### Summary\n\n${shown.join('  \n')}`
}

const cell = (text: string) => literal(cutText(text, longestDetail))

function detailsTable(row: AlertRow): string | null {
  const members = Object.entries(detailsOf(row).details).filter(([, value]) => !isBlank(value))
  if (members.length === 0) return null
  const rows = members.slice(0, mostDetails).map(([name, value]) => `| ${cell(name)} | ${cell(asText(value))} |`)
  return `#### Alert details\n\n| Name | Value |\n|---|---|\n${rows.join('\n')}`
}

/** The Markdown that an alert of the monitoring-tool format adds itself. */
function ownMarkdown({ format, payload }: AlertRow): string | null {
  if (format === 'generic') return null
  const { annotations } = JSON.parse(payload) as { annotations?: unknown }
  if (!isObject(annotations)) return null
  const found = ['gitlab_incident_markdown', 'service_incident_markdown'].map((name) => annotations[name])
  return found.find((text): text is string => typeof text === 'string' && !isBlank(text)) ?? null
}

/** The description of the incident of an alert (contract 07, Incident job). @param template of the project, if any */
export function incidentDescription(row: AlertRow, alertUrl: string, template: string | null): string {
  const parts = [summaryOf(row, alertUrl), detailsTable(row), ownMarkdown(row), template]
  return parts.filter((part) => part !== null).join('\n\n---\n\n')
}
