import type { Project } from '../world-types.ts'
import { makeCommon, planActs, planClosings } from './acts.ts'
import { planAlerts } from './alerts.ts'
import { planPushes } from './code/pushes.ts'
import { planRepository } from './code/repository.ts'
import { planImages, planSchedules } from './delivery.ts'
import { planIssue } from './issues.ts'
import { planMergeRequest } from './merge-requests.ts'
import type { Place } from './place.ts'
import { idOf, type StepContext } from './step-context.ts'

/** Full path of a project. */
export const pathOfProject = ({ namespace, path }: Project) => `${namespace}/${path}`

/** Plans a project: itself, its repository, and the work in it. @param audience the names of those who may react in it */
export function planProject(context: StepContext, project: Project, audience: readonly string[]): void {
  const { ask, ids } = context
  const { name, by, namespace, path, text, visibility, topics, at, acts = [], starredBy = [] } = project
  const full = pathOfProject(project)
  const id = () => idOf(context, `project ${full}`)
  const base = () => `/projects/${id()}`
  const place: Place = {
    ...{ name, path: full, id, base, by, audience, branches: new Map([['main', new Map()]]) },
    ...{ hasPipelines: project.jobs !== undefined, head: undefined, pushed: new Set() },
  }
  context.plan(at, 'projects', async () => {
    const namespace_id = ids.get(`group ${namespace}`)
    const described = { name, path, namespace_id, description: text, visibility, topics }
    ids.set(`project ${full}`, (await ask(by, 'POST', '/projects', described)).id)
    await makeCommon(context, base(), full, { ...project, path: full })
    const main = { name: 'main', push_access_level: 30, merge_access_level: 30 }
    await ask(by, 'POST', `${base()}/protected_branches`, main)
  })
  planClosings(context, full, base, project)
  planRepository(context, place, project)
  planPushes(context, place, project.pushed ?? [])
  for (const [index, request] of (project.mergeRequests ?? []).entries()) {
    planMergeRequest(context, place, request, index + 1)
  }
  planIssues(context, place, project)
  planSchedules(context, place, project.schedules ?? [])
  planImages(context, place, project.images ?? [])
  planActs(context, acts, name, base)
  for (const username of starredBy) {
    context.plan(context.endMs, 'stars', async () => void (await ask(username, 'POST', `${base()}/star`)))
  }
}

/** Incidents of alerts have numbers of issues as well: what is older has the smaller one. */
function planIssues(context: StepContext, place: Place, { issues = [], alerts = [] }: Project): void {
  const begun = [
    ...issues.map((issue) => ({ at: issue.at, issue, alert: undefined })),
    ...alerts.flatMap((alert) => (alert.incident ? [{ at: alert.incident.at, issue: undefined, alert }] : [])),
  ].sort((a, b) => context.moments.ms(a.at) - context.moments.ms(b.at))
  const numbers = new Map(begun.map(({ alert }, index) => [alert, index + 1]))
  for (const [index, { issue }] of begun.entries()) if (issue) planIssue(context, place, issue, index + 1)
  planAlerts(context, place, alerts, (alert) => numbers.get(alert) ?? 0)
}
