import { isAdministrator } from '../../../api/index.ts'
import { groupsGet, groupsList } from '../../groups/index.ts'
import { listMembershipsOf } from '../../members/index.ts'
import { projectsGet } from '../../projects/index.ts'
import { userGet } from '../../users/index.ts'
import { named } from '../reading/operations.ts'
import type { Listing, Reading } from '../reading/types.ts'
import type { UserDetail } from '../reading/users.ts'
import { connection, field, type ObjectType } from './declare.ts'
import { startOf, typedId } from './ids.ts'

/** A user as other objects show it (contract 20, level B), or as a whole. */
export type UserSource = {
  id: number
  username: string
  public_email: string | null
  name: string
  state: string
  avatar_url: string | null
  web_url: string
} & UserDetail

/** A membership, with the user or the place that it is shown without. */
export type MemberSource = {
  parent: { kind: 'group' | 'project'; id: number }
  user: UserSource
  access_level: number
  created_at: string
  expires_at: string | null
}

const isCaller = ({ actor }: Reading, id: number) => actor.kind === 'user' && actor.userId === id

/** A member of a user that other objects do not show; `user.get` shows callers more of themselves. */
async function detail<K extends keyof UserDetail>(user: UserSource, name: K, reading: Reading) {
  if (user[name] !== undefined) return user[name]
  const found = isCaller(reading, user.id) ? await reading.find(userGet, {}) : await reading.userDetail(user.id)
  return (found as UserDetail | null | undefined)?.[name] ?? null
}

/** How many groups the caller is in; null for others. */
async function groupCount({ id }: UserSource, reading: Reading): Promise<number | null> {
  if (!isCaller(reading, id)) return null
  const found = await reading.read(groupsList, { all_available: false, per_page: 1 })
  return (found as { total?: number }).total ?? null
}

/** The direct memberships of a user, which only the user and administrators see (contract 20, x.users_memberships). */
function membershipsOf(user: UserSource, reading: Reading, type: 'Project' | 'Namespace'): Listing | null {
  const { actor, platform } = reading
  if (!isCaller(reading, user.id) && !isAdministrator(actor)) return null
  const kind = type === 'Project' ? 'project' : 'group'
  return {
    async pages(page, perPage) {
      const request = { kind: 'offset', page, perPage, offset: (page - 1) * perPage, limit: perPage } as const
      const found = await reading.inTurn(() => listMembershipsOf(platform, { id: user.id, type }, request))
      const items = found.items.map(
        ({ source_id: id, ...one }): MemberSource => ({ ...one, user, parent: { kind, id } }),
      )
      return { ...found, items }
    },
  }
}

const userFields: ObjectType['fields'] = {
  id: field<UserSource>('ID!', ({ id }) => typedId('User', id)),
  username: field<UserSource>('String!', ({ username }) => username),
  name: field<UserSource>('String!', ({ name }) => name),
  state: field<UserSource>('UserState!', ({ state }) => state),
  active: field<UserSource>('Boolean', ({ state }) => state === 'active'),
  bot: field<UserSource>('Boolean', (user, _, reading) => detail(user, 'bot', reading)),
  publicEmail: field<UserSource>('String', ({ public_email }) => public_email),
  email: field<UserSource>('String', ({ public_email }) => public_email),
  avatarUrl: field<UserSource>('String', ({ avatar_url }) => avatar_url),
  webUrl: field<UserSource>('String!', ({ web_url }) => web_url),
  webPath: field<UserSource>('String!', ({ username }) => `/${username}`),
  location: field<UserSource>('String', (user, _, reading) => detail(user, 'location', reading)),
  createdAt: field<UserSource>('Time', (user, _, reading) => detail(user, 'created_at', reading)),
  lastActivityOn: field<UserSource>('Date', (user, _, reading) => detail(user, 'last_activity_on', reading)),
  groupCount: field<UserSource>('Int', (user, _, reading) => groupCount(user, reading)),
  namespace: field<UserSource>('Namespace', ({ username }, _, reading) =>
    reading.find(named('namespaces.get'), { id: username }),
  ),
  groupMemberships: connection<UserSource>('GroupMember', (user, _, reading) =>
    membershipsOf(user, reading, 'Namespace'),
  ),
  projectMemberships: connection<UserSource>('ProjectMember', (user, _, reading) =>
    membershipsOf(user, reading, 'Project'),
  ),
}

const levelNames: Readonly<Record<number, string>> = {
  0: 'NO_ACCESS',
  5: 'MINIMAL_ACCESS',
  10: 'GUEST',
  15: 'PLANNER',
  20: 'REPORTER',
  30: 'DEVELOPER',
  40: 'MAINTAINER',
  50: 'OWNER',
}

const memberFields: ObjectType['fields'] = {
  accessLevel: field<MemberSource>('AccessLevel', ({ access_level }) => ({ access_level })),
  user: field<MemberSource>('UserCore', ({ user }) => user),
  createdAt: field<MemberSource>('Time', ({ created_at }) => created_at),
  expiresAt: field<MemberSource>('Time', ({ expires_at }) => startOf(expires_at)),
}

/** An object has one membership of a user, whether direct or inherited. */
const memberId = (type: string) =>
  field<MemberSource>('ID!', ({ parent, user }) => typedId(type, `${parent.id}-${user.id}`))

/** Users and memberships (contract 25, "GraphQL"). */
export const userTypes: readonly ObjectType[] = [
  { name: 'CurrentUser', description: 'The caller.', fields: userFields },
  { name: 'UserCore', description: 'A user.', fields: userFields },
  {
    name: 'GroupMember',
    description: 'A membership in a group.',
    fields: {
      id: memberId('GroupMember'),
      ...memberFields,
      group: field<MemberSource>('Group', ({ parent }, _, reading) =>
        reading.find(groupsGet, { id: parent.id, with_projects: false }),
      ),
    },
  },
  {
    name: 'ProjectMember',
    description: 'A membership in a project.',
    fields: {
      id: memberId('ProjectMember'),
      ...memberFields,
      project: field<MemberSource>('Project', ({ parent }, _, reading) => reading.find(projectsGet, { id: parent.id })),
    },
  },
  {
    name: 'AccessLevel',
    description: 'A role.',
    fields: {
      integerValue: field<{ access_level: number }>('Int', ({ access_level }) => access_level),
      stringValue: field<{ access_level: number }>('AccessLevelEnum', ({ access_level }) => levelNames[access_level]),
    },
  },
]
