import {
  nothing,
  type Operation,
  operation,
  type Param,
  pageOf,
  reading,
  requireUnmodified,
  type Subject,
  Type,
  t,
  writing,
} from '../../api/index.ts'
import type { GroupAbility, ProjectAbility, ProjectRole } from '../access/index.ts'
import type { MemberLists, VisitedPlace } from './lists.ts'
import type { Members } from './members.ts'
import { AddedMembers, Member } from './present.ts'

/**
 * What members belong to, for the operations: they are the same for groups and projects but for these things.
 * `read`, `administer` and `leave` are the abilities of the subject under which one may.
 */
type MemberSubject<S, A extends string> = {
  kind: 'group' | 'project'
  subject: Subject<S, A>
  read: A
  administer: A
  leave: A
  placeOf(subject: S): VisitedPlace
}

type Services = { members: Members; lists: MemberLists }

/** One value, or several between commas (or as a JSON list); none of them may be wrong, and there is at least one. */
function oneOrMore<T>(item: Param<T, false>, description: string): Param<T[], false> {
  const list = t.array(item, { commaSeparated: true, maximum: 1_000 })
  return {
    ...list,
    schema: { type: ['string', item.schema.type], description },
    emptyIsAbsent: true,
    read(value, name, problems) {
      const found: typeof problems = []
      const values = list.read(value, name, found)
      if (found.length === 0 && values && values.length > 0) return values
      problems.push({ name, missing: false, text: 'is invalid' })
      return undefined
    },
  }
}

const listParams = {
  query: t.string({ description: 'Part of the name or user name.' }),
  user_ids: t.array(t.integer(), { commaSeparated: true, description: 'Only these users.' }),
  skip_users: t.array(t.integer(), { commaSeparated: true, description: 'All but these users.' }),
  show_seat_info: t.boolean({ description: 'Tell of each member whether they take a seat.' }),
  with_saml_identity: t.boolean({ description: 'Only users with a SAML identity of the group.' }),
}

const levelParams = {
  access_level: t.required(
    t.integer({
      description:
        'The role: 10 guest, 15 planner, 20 reporter, 30 developer, 40 maintainer, 50 owner; in groups also 5, minimal access.',
    }),
  ),
}

/** Ids of rows are whole numbers that the code can hold; anything beyond is no row's. */
const rowIds = (ids: readonly number[] | undefined) => ids?.filter(Number.isSafeInteger)

function userIdOf(path: Record<string, string>): number {
  const id = Number(path.user_id)
  return Number.isSafeInteger(id) ? id : 0
}

function operationsOf<S, A extends string>({ members, lists }: Services, of: MemberSubject<S, A>): Operation[] {
  const { kind, subject, read, administer, leave, placeOf } = of
  const tag = 'Members'
  const numericPath = { user_id: 'route' } as const
  const named = (name: string) => ({ id: `${kind}_members.${name}`, contract: `x.${kind}_members_${name}` })

  const list = (which: 'direct' | 'effective') =>
    operation({
      ...named(which === 'direct' ? 'list' : 'all'),
      method: 'GET',
      path: `/${kind}s/:id/members${which === 'direct' ? '' : '/all'}`,
      tag,
      summary:
        which === 'direct'
          ? `List the direct members of a ${kind}`
          : `List everybody who has a role in a ${kind}, each with the highest`,
      subject,
      allow: read,
      scopes: reading,
      params:
        which === 'direct'
          ? listParams
          : {
              ...listParams,
              state: t.oneOf(['awaiting', 'active'], { description: 'Only memberships of this state.' }),
            },
      result: [200, pageOf(Member)],
      run({ subject: found, actor, params, page }) {
        const { state } = params as { state?: 'awaiting' | 'active' }
        const options = {
          query: params.query,
          userIds: rowIds(params.user_ids),
          skipUserIds: rowIds(params.skip_users),
          withSamlIdentity: params.with_saml_identity,
          showsSeats: params.show_seat_info,
          state,
        }
        return lists.list(which, placeOf(found), actor, options, page)
      },
    })

  const get = (which: 'direct' | 'effective') =>
    operation({
      ...named(which === 'direct' ? 'get' : 'get_all'),
      method: 'GET',
      path: `/${kind}s/:id/members/${which === 'direct' ? '' : 'all/'}:user_id`,
      tag,
      summary: which === 'direct' ? `Get a direct member of a ${kind}` : `Get somebody who has a role in a ${kind}`,
      subject,
      allow: read,
      scopes: reading,
      numericPath,
      result: [200, Member],
      run: ({ subject: found, actor, request }) => lists.get(which, placeOf(found), actor, userIdOf(request.path)),
    })

  return [
    list('direct'),
    list('effective'),
    get('direct'),
    get('effective'),
    operation({
      ...named('add'),
      method: 'POST',
      path: `/${kind}s/:id/members`,
      tag,
      summary: `Add members to a ${kind}`,
      description:
        'Several users, given as a list with commas, are added independently of each other; the answer then tells with ' +
        'whom something went wrong.',
      subject,
      allow: administer,
      scopes: writing,
      params: {
        user_id: oneOrMore(t.integer(), 'Id of the user, or several with commas between them.'),
        username: oneOrMore(t.string({ blank: false }), 'Name of the user, or several with commas between them.'),
        ...levelParams,
        expires_at: t.date({ description: 'The day on which the membership ends.' }),
      },
      atLeastOne: ['user_id', 'username'],
      exclusive: [['user_id', 'username']],
      result: [201, Type.Union([Member, AddedMembers])],
      run({ subject: found, actor, params }) {
        const { user_id: ids, username: usernames = [], access_level: accessLevel, expires_at: expiresAt } = params
        return members.add(placeOf(found), actor, ids ? { ids } : { usernames }, { accessLevel, expiresAt })
      },
    }),
    operation({
      ...named('update'),
      method: 'PUT',
      path: `/${kind}s/:id/members/:user_id`,
      tag,
      summary: `Change a direct member of a ${kind}`,
      subject,
      allow: administer,
      scopes: writing,
      numericPath,
      params: {
        ...levelParams,
        expires_at: t.nullable(t.date({ description: 'The day on which the membership ends; null for none.' })),
      },
      result: [200, Member],
      run({ subject: found, actor, params, request }) {
        const change = { accessLevel: params.access_level, expiresAt: params.expires_at }
        return members.update(placeOf(found), actor, userIdOf(request.path), change)
      },
    }),
    operation({
      ...named('remove'),
      method: 'DELETE',
      path: `/${kind}s/:id/members/:user_id`,
      tag,
      summary: `Remove a direct member of a ${kind}, or leave it`,
      description: 'Everybody may leave by themselves. The last owner of a group can neither leave nor be removed.',
      subject,
      allow: leave,
      scopes: writing,
      numericPath,
      params: {
        skip_subresources: t.boolean({ description: 'Keep the direct memberships in the groups and projects below.' }),
        unassign_issuables: t.boolean({ description: 'Take the user off the issues and merge requests.' }),
      },
      result: [204, nothing],
      async run({ subject: found, actor, params, request }) {
        const userId = userIdOf(request.path)
        const isOwn = actor.kind === 'user' && actor.userId === userId
        if (!isOwn) await subject.authorize(actor, found, administer)
        await members.remove(placeOf(found), actor, userId, {
          skipSubresources: params.skip_subresources ?? false,
          unassignIssuables: params.unassign_issuables ?? false,
          requireUnmodified: (at) => requireUnmodified(request, at),
        })
      },
    }),
  ]
}

type Needs = Services & {
  group: Subject<{ id: number; level: number }, GroupAbility>
  project: Subject<{ id: number; namespace_id: number; role: ProjectRole }, ProjectAbility>
}

/** Reading, adding, changing and removing the members of groups and projects (contract 21, "members and invitations"). */
export function memberOperations({ group, project, ...services }: Needs): Operation[] {
  return [
    ...operationsOf(services, {
      kind: 'group',
      subject: group,
      read: 'read_members',
      administer: 'admin_members',
      leave: 'leave',
      placeOf: ({ id, level }) => ({ kind: 'group', id, namespaceId: id, level }),
    }),
    ...operationsOf(services, {
      kind: 'project',
      subject: project,
      read: 'read_members',
      administer: 'admin_members',
      leave: 'leave',
      placeOf: ({ id, namespace_id, role }) => ({ kind: 'project', id, namespaceId: namespace_id, level: role.level }),
    }),
  ]
}
