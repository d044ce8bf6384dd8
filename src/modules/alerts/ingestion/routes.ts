import type { ServedRoute } from '../../../api/index.ts'

const mediaType = 'application/json'

const answers = {
  200: { description: 'The alerts that were created, counted or resolved: `iid` and `title` of each', mediaType },
  400: { description: 'The body is no JSON object, or is nested too deeply', mediaType },
  401: { description: 'The authorization key is missing or wrong', mediaType },
  403: { description: 'The integration is inactive, or the project takes no alerts', mediaType },
  404: { description: 'There is no such project or integration', mediaType },
  413: { description: 'The body has more than 1 MiB', mediaType },
  429: { description: 'Too many requests', mediaType },
} satisfies ServedRoute['answers']

const unprocessable = { 422: { description: 'The payload does not have the monitoring-tool format', mediaType } }

const shared = { method: 'POST', tag: 'Alert integrations', takes: mediaType, security: 'alertKey' } as const

const carriers = 'The authorization key is sent as a bearer token, or as the password of Basic.'

/** Documentation of the addresses to which monitoring tools send alerts. */
export const ingestionRoutes: readonly ServedRoute[] = [
  {
    ...shared,
    id: 'alerts.notify_integration',
    contract: '2.22',
    path: '/{project_path}/alerts/notify/{slug}/{endpoint_identifier}.json',
    summary: 'Send an alert to an integration',
    description: `Any slug is accepted. ${carriers} A \`prometheus\` integration takes the monitoring-tool format only.`,
    answers: { ...answers, ...unprocessable },
  },
  {
    ...shared,
    id: 'alerts.notify_project',
    contract: '2.22b',
    path: '/{project_path}/alerts/notify.json',
    summary: 'Send an alert to the integration of the project that has the key',
    description: carriers,
    answers: { ...answers, ...unprocessable },
  },
  {
    ...shared,
    id: 'alerts.notify_monitoring',
    contract: '2.23',
    path: '/{project_path}/prometheus/alerts/notify.json',
    summary: 'Send alerts in the monitoring-tool format',
    description: `As Prometheus Alertmanager and Grafana send them. ${carriers}`,
    answers: { ...answers, ...unprocessable },
  },
]
