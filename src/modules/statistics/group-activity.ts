import { type Actor, forbidden, instance, isAdministrator, reading, Type, t } from '../../api/index.ts'
import { operation, type Platform } from '../../platform/index.ts'
import { role } from '../access/index.ts'
import { type Group, groupOfPath } from '../groups/index.ts'
import { countNewIssues } from '../issues/index.ts'
import { countNewRequests } from '../merge-requests/index.ts'
import { countNewMembers } from './store.ts'

const countedDays = 90
const dayMs = 86_400_000
/** Larger counts are not told. */
const most = 1000

/** The group of a path, for reporters. @throws ApiError 404, 403 */
async function countedGroup(platform: Platform, path: string, actor: Actor): Promise<Group> {
  const group = await groupOfPath(platform, path, actor)
  if (group.level < role.reporter && !isAdministrator(actor)) throw forbidden()
  return group
}

type Counted = { platform: Platform; actor: Actor; group: Group; since: string }

/** What is counted of a group: the path and the member of the answer (contract 26.18, x.activity_…). */
const counts = [
  {
    name: 'issues',
    member: 'issues_count',
    words: 'issues',
    count: ({ platform, actor, ...wanted }: Counted) => countNewIssues(platform, actor, { ...wanted, most }),
  },
  {
    name: 'merge_requests',
    member: 'merge_requests_count',
    words: 'merge requests',
    count: ({ platform, actor, ...wanted }: Counted) => countNewRequests(platform, actor, { ...wanted, most }),
  },
  {
    name: 'members',
    member: 'new_members_count',
    words: 'members',
    count: ({ platform, group, since }: Counted) => countNewMembers(platform.database.read, group.id, since, most),
  },
] as const

/** How much is new in a group and in the groups below it. */
export const groupActivity = counts.map(({ name, member, words, count }) =>
  operation({
    id: `group_activity.${name}`,
    contract: `x.activity_${name}`,
    method: 'GET',
    path: `/analytics/group_activity/${member}`,
    tag: 'Groups',
    summary: `Count the new ${words} of a group and of the groups below it`,
    description: `Of the last ${countedDays} days, as far as the caller sees them; at most ${most}.`,
    subject: instance,
    allow: 'authenticated',
    scopes: reading,
    params: { group_path: t.required(t.string({ description: 'Full path of the group.' })) },
    result: [200, Type.Object({ [member]: Type.Integer() })],
    async run({ platform, actor, params }) {
      const group = await countedGroup(platform, params.group_path, actor)
      const since = new Date(platform.clock.now().getTime() - countedDays * dayMs).toISOString()
      return { [member]: await count({ platform, actor, group, since }) }
    },
  }),
)
