import { type Actor, forms, type OffsetRequest, oneOf, reading, type Static, Type, t } from '../../../api/index.ts'
import { operation, type Platform } from '../../../platform/index.ts'
import { eventsOf, type ListParent, pageOfIssuables } from '../../issuables/index.ts'
import { requireMilestone } from '../../milestones/index.ts'
import { atProjectAndGroup, may } from '../../projects/index.ts'
import type { IssueRow } from '../tables.ts'
import { contextOf, selectionOfMilestone } from './lists.ts'

const BurndownEvent = Type.Object(
  {
    created_at: forms.timestamp,
    weight: forms.nullableInteger,
    action: oneOf(['created', 'closed', 'reopened', 'merged']),
  },
  { title: 'BurndownEvent' },
)
type Burndown = Static<typeof BurndownEvent>

/** The oldest issues of a milestone, of as many as a chart can show. */
const oldest: OffsetRequest = { kind: 'offset', page: 1, perPage: 5000, offset: 0, limit: 5000 }

/** The issues of a milestone that the caller can see, oldest first. */
async function issuesOfMilestone(platform: Platform, actor: Actor, parent: ListParent, milestoneId: number) {
  if (parent.project && !may(actor, parent.project, 'read_issues')) return []
  const context = await contextOf(platform, actor, parent)
  const selection = selectionOfMilestone(context, parent, milestoneId)
  const order = { order: 'created_at', sort: 'asc', ignoredLabels: [] } as const
  return (await pageOfIssuables<IssueRow>(context, selection, order, oldest)).items
}

/** What has become of the issues of a milestone, in the order of time (contract 26.18, x.milestone_burndown). */
async function burndown(
  platform: Platform,
  actor: Actor,
  parent: ListParent,
  milestoneId: number,
): Promise<Burndown[]> {
  const issues = await issuesOfMilestone(platform, actor, parent, milestoneId)
  const ids = issues.map(({ id }) => id)
  const states = await eventsOf(platform.database.read, 'resource_state_events', 'Issue', ids)
  const events = issues.flatMap(({ id, weight, created_at }) => [
    { created_at, weight, action: 'created' as const },
    ...(states.get(id) ?? []).map(({ created_at: at, state }) => ({ created_at: at, weight, action: state })),
  ])
  return events.sort((one, other) => Date.parse(one.created_at) - Date.parse(other.created_at))
}

export const milestoneBurndown = atProjectAndGroup(({ kind, path, subject }) => [
  operation({
    id: `${kind}_milestone_burndown.list`,
    contract: kind === 'project' ? 'x.milestone_burndown' : 'x.group_milestone_burndown',
    method: 'GET',
    path: `${path}/milestones/:milestone_id/burndown_events`,
    tag: 'Milestones',
    summary: `List what has become of the issues of a milestone of a ${kind}`,
    description: 'Nothing for a milestone without a start or a due date.',
    tier: 'premium',
    subject,
    allow: 'read_milestones',
    scopes: reading,
    params: { milestone_id: t.id() },
    result: [200, Type.Array(BurndownEvent)],
    async run({ platform, subject: parent, actor, params }) {
      const milestone = await requireMilestone(platform.database.read, parent, params.milestone_id)
      if (milestone.start_date === null || milestone.due_date === null) return []
      return burndown(platform, actor, parent, milestone.id)
    },
  }),
])
