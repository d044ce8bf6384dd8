import type { Issue } from '../world-types.ts'
import { planComments, reactionsOf } from './comments.ts'
import { minuteMs } from './moments.ts'
import type { Place } from './place.ts'
import { idOf, later, type StepContext } from './step-context.ts'

/** The number of the milestone, of the project or of a group above it. */
function milestoneId({ ids }: StepContext, path: string, title: string): number {
  for (let above = path; above !== ''; above = above.slice(0, Math.max(0, above.lastIndexOf('/')))) {
    const id = ids.get(`milestone ${above} ${title}`)
    if (id !== undefined) return id
  }
  throw new Error(`there is no milestone ${title} above ${path}`)
}

/** The decisions of planners about issues and merge requests of others. */
export function classified(
  context: StepContext,
  path: string,
  planned: Partial<Issue> & { reviewers?: readonly string[] },
) {
  const userIds = (names?: readonly string[]) => names?.map((name) => idOf(context, `user ${name}`))
  const { labels, assignees, reviewers, milestone } = planned
  return {
    labels: labels?.join(','),
    assignee_ids: userIds(assignees),
    reviewer_ids: userIds(reviewers),
    milestone_id: milestone === undefined ? undefined : milestoneId(context, path, milestone),
  }
}

/** Decides what the author of an issue has not: who plans the project does it. @param path of the API of the issue */
async function classifyIssue(context: StepContext, place: Place, path: string, issue: Issue): Promise<void> {
  const { ask, moments } = context
  const { weight, due, locked, epic, iteration, estimate, links = [] } = issue
  const decided = {
    ...classified(context, place.path, issue),
    ...{ weight, due_date: due === undefined ? undefined : moments.dated(due), discussion_locked: locked },
    epic_id: epic === undefined ? undefined : idOf(context, `epic ${epic}`),
    iteration_id: iteration === undefined ? undefined : idOf(context, `iteration ${iteration}`),
  }
  if (Object.values(decided).some((value) => value !== undefined)) await ask(place.by, 'PUT', path, decided)
  if (estimate) await ask(place.by, 'POST', `${path}/time_estimate`, { duration: estimate })
  for (const [other, link_type] of links) {
    const link = { target_project_id: String(place.id()), target_issue_iid: other, link_type }
    await ask(place.by, 'POST', `${path}/links`, link)
  }
}

/** Plans an issue from its first word to its end. @param iid its number in the project */
export function planIssue(context: StepContext, place: Place, issue: Issue, iid: number): void {
  const { ask, moments, ids } = context
  const { by, title, text, type, confidential, spent = [], comments = [], closed, reopened } = issue
  const base = () => `${place.base()}/issues/${iid}`
  const what = `${place.name}: issues`
  const createdMs = moments.ms(issue.at)
  const plan = (at: number, run: () => Promise<unknown>) => context.plan(at, what, async () => void (await run()))
  plan(createdMs, async () => {
    const given = { title, description: moments.dated(text), issue_type: type, confidential }
    const made = await ask(by, 'POST', `${place.base()}/issues`, given)
    if (made.iid !== iid) throw new Error(`${place.path}: ${title} is #${made.iid} and not #${iid}`)
    ids.set(`issue ${place.path} ${iid}`, made.id)
    for (const { by: reader, name } of reactionsOf(context, place.audience)) {
      await ask(reader, 'POST', `${base()}/award_emoji`, { name })
    }
  })
  plan(createdMs + context.random.between(20, 90) * minuteMs, () => classifyIssue(context, place, base(), issue))
  const closedMs = closed ? moments.ms(closed.at) : context.endMs
  const untilMs = closedMs - 10 * minuteMs
  let workedMs = createdMs
  for (const [worker, duration, summary] of spent) {
    workedMs = Math.min(later(context, workedMs, context.random.between(3, 20)), untilMs)
    plan(workedMs, () => ask(worker, 'POST', `${base()}/add_spent_time`, { duration, summary }))
  }
  planComments(context, { base, what, fromMs: createdMs, untilMs, audience: place.audience }, comments)
  for (const [change, state_event] of [
    [closed, 'close'],
    [reopened, 'reopen'],
  ] as const) {
    if (change) plan(moments.ms(change.at), () => ask(change.by, 'PUT', base(), { state_event }))
  }
}
