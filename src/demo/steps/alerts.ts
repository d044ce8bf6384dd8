import type { Alert } from '../world-types.ts'
import { planComments } from './comments.ts'
import { minuteMs } from './moments.ts'
import type { Place } from './place.ts'
import { later, type StepContext } from './step-context.ts'

/** Plans alerts of a monitoring tool, what becomes of them, and their incidents. @param numberOf number of the incident of an alert */
export function planAlerts(
  context: StepContext,
  place: Place,
  alerts: readonly Alert[],
  numberOf: (alert: Alert) => number,
): void {
  const { ask, moments } = context
  const what = `${place.name}: alerts`
  const [first] = alerts
  if (!first) return
  let integration = 0
  context.plan(moments.ms(first.at) - 60 * minuteMs, what, async () => {
    const made = await ask(place.by, 'POST', `${place.base()}/alert_management_integrations`, { name: 'Watchkeeper' })
    integration = made.id
  })
  for (const [index, alert] of alerts.entries()) {
    const base = () => `${place.base()}/alert_management_alerts/${index + 1}`
    const { title, severity, text: description, service, status, incident } = alert
    context.plan(alert.at, what, async () => {
      const payload = { title, severity, description, service, monitoring_tool: 'Watchkeeper', hosts: ['quay-2'] }
      const path = `${place.base()}/alert_management_integrations/${integration}/test`
      await ask(place.by, 'POST', path, { payload })
      await context.settle()
    })
    if (status) {
      context.plan(status.at, what, async () => {
        await ask(status.by, 'PUT', base(), { status: status.to, assignee_usernames: [status.by] })
      })
    }
    if (incident) planIncident(context, place, base, incident, numberOf(alert))
  }
}

function planIncident(
  context: StepContext,
  place: Place,
  alert: () => string,
  { by, at, comments, closed }: NonNullable<Alert['incident']>,
  iid: number,
): void {
  const { ask, moments } = context
  const what = `${place.name}: issues`
  const base = () => `${place.base()}/issues/${iid}`
  context.plan(at, what, async () => {
    const made = await ask(by, 'POST', `${alert()}/incident`, {})
    const opened = made.iid ?? made.issue_iid
    if (opened !== undefined && opened !== iid) throw new Error(`${place.path}: an incident is #${opened}, not #${iid}`)
    await context.settle()
  })
  const closedMs = closed ? moments.ms(closed.at) : context.endMs
  const untilMs = closedMs - minuteMs
  planComments(
    context,
    { base, what, fromMs: later(context, moments.ms(at), 0), untilMs, audience: place.audience },
    comments,
  )
  if (closed)
    context.plan(closedMs, what, async () => void (await ask(closed.by, 'PUT', base(), { state_event: 'close' })))
}
