import { randomUUID } from 'node:crypto'
import {
  type Answer,
  type People,
  type ProjectWithMembers,
  projectWithMembers,
  type TestServer,
} from '../../testing/index.ts'

/** A project of these people with the addresses of its alerts. */
export async function projectWithAlerts(server: TestServer, people: People) {
  const path = `p-${randomUUID()}`
  const made: ProjectWithMembers = await projectWithMembers(server, { people, path })
  const base = `/projects/${made.project.id}`
  const integrations = `${base}/alert_management_integrations`
  return {
    ...made,
    base,
    integrations,
    alerts: `${base}/alert_management_alerts`,
    settings: `${base}/alert_management_settings`,
    /** Creates an integration, as the maintainer. */
    async integration(given: Record<string, unknown> = {}): Promise<Integration> {
      const { status, body } = await made.maintainer.post(integrations, { name: 'Pager Hook', ...given })
      if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`)
      return body
    },
  }
}

export type ProjectWithAlerts = Awaited<ReturnType<typeof projectWithAlerts>>

/** An integration as the API presents it. */
export type Integration = {
  id: number
  url: string
  token: string
  endpoint_identifier: string
  [member: string]: unknown
}

/** Sends a payload to an address with a key, as JSON unless it is text. */
export async function deliver(url: string, token: string, payload: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers },
    body: typeof payload === 'string' ? payload : JSON.stringify(payload),
  })
  const text = await response.text()
  const answer: Answer = {
    status: response.status,
    headers: response.headers,
    body: text === '' ? '' : JSON.parse(text),
  }
  return answer
}

/** A payload in the monitoring-tool format, as Alertmanager sends it. */
export function monitoringPayload(alerts: readonly unknown[], more: object = {}): object {
  return {
    version: '4',
    groupKey: '{}:{alertname="Down"}',
    status: 'firing',
    receiver: 'fennec',
    groupLabels: {},
    commonLabels: {},
    commonAnnotations: {},
    externalURL: 'http://alertmanager:9093',
    alerts,
    ...more,
  }
}
