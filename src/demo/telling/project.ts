import type { Project } from '../story.ts'
import { planActs, planClosings, tellCommon } from './acts.ts'
import { planAlerts } from './alerts.ts'
import { planImages, planSchedules } from './delivery.ts'
import { planIssue } from './issues.ts'
import { planMergeRequest } from './merge-requests.ts'
import type { Place } from './place.ts'
import { planRepository } from './repository.ts'
import { idOf, type Telling } from './telling.ts'

/** Full path of a project. */
export const pathOfProject = ({ namespace, path }: Project) => `${namespace}/${path}`

/** Plans a project: itself, its repository, and the work in it. @param audience the names of those who may react in it */
export function planProject(telling: Telling, project: Project, audience: readonly string[]): void {
  const { ask, ids } = telling
  const { name, by, namespace, path, text, visibility, topics, at, acts = [], starredBy = [] } = project
  const full = pathOfProject(project)
  const id = () => idOf(telling, `project ${full}`)
  const base = () => `/projects/${id()}`
  const place: Place = { name, path: full, id, base, by, audience, branches: new Map([['main', new Map()]]) }
  telling.plan(at, 'projects', async () => {
    const namespace_id = ids.get(`group ${namespace}`)
    const described = { name, path, namespace_id, description: text, visibility, topics }
    ids.set(`project ${full}`, (await ask(by, 'POST', '/projects', described)).id)
    await tellCommon(telling, base(), full, { ...project, path: full })
    const main = { name: 'main', push_access_level: 30, merge_access_level: 30 }
    await ask(by, 'POST', `${base()}/protected_branches`, main)
  })
  planClosings(telling, full, base, project)
  planRepository(telling, place, project)
  for (const [index, request] of (project.mergeRequests ?? []).entries()) {
    planMergeRequest(telling, place, request, index + 1)
  }
  planIssues(telling, place, project)
  planSchedules(telling, place, project.schedules ?? [])
  planImages(telling, place, project.images ?? [])
  planActs(telling, acts, name, base)
  for (const username of starredBy) {
    telling.plan(telling.endMs, 'stars', async () => void (await ask(username, 'POST', `${base()}/star`)))
  }
}

/** Incidents of alerts have numbers of issues as well: what is older has the smaller one. */
function planIssues(telling: Telling, place: Place, { issues = [], alerts = [] }: Project): void {
  const begun = [
    ...issues.map((issue) => ({ at: issue.at, issue, alert: undefined })),
    ...alerts.flatMap((alert) => (alert.incident ? [{ at: alert.incident.at, issue: undefined, alert }] : [])),
  ].sort((a, b) => telling.moments.ms(a.at) - telling.moments.ms(b.at))
  const numbers = new Map(begun.map(({ alert }, index) => [alert, index + 1]))
  for (const [index, { issue }] of begun.entries()) if (issue) planIssue(telling, place, issue, index + 1)
  planAlerts(telling, place, alerts, (alert) => numbers.get(alert) ?? 0)
}
