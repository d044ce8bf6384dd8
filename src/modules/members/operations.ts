import { forms, instance, nothing, oneOf, pageOf, reading, readingUsers, Type, t, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { atProjectAndGroup, fromProject, project } from '../projects/index.ts'
import { addMembers } from './adding.ts'
import { importMembers } from './importing/importing.ts'
import { getMember, listMembers, listMembershipsOf } from './lists.ts'
import { removeMember, updateMember } from './members.ts'
import { effectiveMemberFilter, memberChange, memberFilter, memberRemoval, newMembers } from './params.ts'
import { AddedMembers, Member } from './present.ts'

const tag = 'Members'
const userId = t.id({ otherwise: 'route' })

/** The members of projects and groups (contract 21, "members and invitations"). */
export const memberOperations = atProjectAndGroup(({ kind, path, subject }) => {
  const read = { tag, subject, allow: 'read_members', scopes: reading } as const
  const change = { tag, subject, allow: 'admin_members', scopes: writing } as const
  return [
    operation({
      ...read,
      id: `${kind}_members.list`,
      contract: `x.${kind}_members_list`,
      method: 'GET',
      path: `${path}/members`,
      summary: `List the direct members of a ${kind}`,
      params: memberFilter,
      result: [200, pageOf(Member)],
      run: ({ platform, subject, actor, params, page }) =>
        listMembers(platform, 'direct', subject, actor, params, page),
    }),
    operation({
      ...read,
      id: `${kind}_members.all`,
      contract: `x.${kind}_members_all`,
      method: 'GET',
      path: `${path}/members/all`,
      summary: `List all users with a role in a ${kind}, each with the highest role`,
      params: effectiveMemberFilter,
      result: [200, pageOf(Member)],
      run: ({ platform, subject, actor, params, page }) =>
        listMembers(platform, 'effective', subject, actor, params, page),
    }),
    operation({
      ...read,
      id: `${kind}_members.get`,
      contract: `x.${kind}_members_get`,
      method: 'GET',
      path: `${path}/members/:user_id`,
      summary: `Get a direct member of a ${kind}`,
      params: { user_id: userId },
      result: [200, Member],
      run: ({ platform, subject, actor, params }) => getMember(platform, 'direct', subject, actor, params.user_id),
    }),
    operation({
      ...read,
      id: `${kind}_members.get_all`,
      contract: `x.${kind}_members_get_all`,
      method: 'GET',
      path: `${path}/members/all/:user_id`,
      summary: `Get a user with a role in a ${kind}`,
      params: { user_id: userId },
      result: [200, Member],
      run: ({ platform, subject, actor, params }) => getMember(platform, 'effective', subject, actor, params.user_id),
    }),
    operation({
      ...change,
      id: `${kind}_members.add`,
      contract: `x.${kind}_members_add`,
      method: 'POST',
      path: `${path}/members`,
      summary: `Add members to a ${kind}`,
      description:
        'Several users, separated by commas, are added independently of each other; the response has the errors by user name.',
      params: newMembers,
      atLeastOne: ['user_id', 'username'],
      exclusive: [['user_id', 'username']],
      result: [201, Type.Union([Member, AddedMembers])],
      run: ({ platform, subject, actor, params, act }) => addMembers(platform, subject, { actor, act }, params),
    }),
    operation({
      ...change,
      id: `${kind}_members.update`,
      contract: `x.${kind}_members_update`,
      method: 'PUT',
      path: `${path}/members/:user_id`,
      summary: `Change a direct member of a ${kind}`,
      params: memberChange,
      result: [200, Member],
      run: ({ platform, subject, actor, params, act }) => updateMember(platform, subject, { actor, act }, params),
    }),
    operation({
      id: `${kind}_members.remove`,
      contract: `x.${kind}_members_remove`,
      method: 'DELETE',
      path: `${path}/members/:user_id`,
      tag,
      summary: `Remove a direct member of a ${kind}, or leave it`,
      description: 'Every member may leave. The last owner of a group can neither leave nor be removed.',
      subject,
      allow: 'leave',
      scopes: writing,
      params: memberRemoval,
      result: [204, nothing],
      async run({ platform, subject: found, actor, params, unmodified, act }) {
        const isOwn = actor.kind === 'user' && actor.userId === params.user_id
        if (!isOwn) await subject.authorize(actor, found, 'admin_members')
        await removeMember(platform, found, { actor, act }, params, unmodified)
      },
    }),
  ]
})

/** A direct membership of a user (contract 20, Membership). */
const MembershipOfUser = Type.Object(
  {
    source_id: forms.id,
    source_name: Type.String(),
    source_type: oneOf(['Project', 'Namespace']),
    access_level: Type.Integer(),
  },
  { title: 'Membership' },
)

export const usersMemberships = operation({
  id: 'users.memberships',
  contract: 'x.users_memberships',
  method: 'GET',
  path: '/users/:id/memberships',
  tag: 'Users',
  summary: 'List the direct memberships of a user',
  subject: instance,
  allow: 'administrator',
  scopes: readingUsers,
  params: { id: t.id({ otherwise: 'route' }), type: t.oneOf(['Project', 'Namespace']) },
  result: [200, pageOf(MembershipOfUser)],
  run: ({ platform, params, page }) => listMembershipsOf(platform, params, page),
})

export const projectMembersImport = operation({
  id: 'project_members.import',
  contract: 'x.projects_import_members',
  method: 'POST',
  path: '/projects/:id/import_project_members/:project_id',
  tag,
  summary: 'Copy the direct members of another project',
  description: 'For maintainers of both projects. No member gets a role above that of the caller.',
  subject: project,
  allow: 'admin_members',
  scopes: writing,
  params: { project_id: t.id() },
  result: [201, AddedMembers],
  run: ({ platform, subject, actor, params, act }) =>
    importMembers(platform, fromProject(subject), { actor, act }, params.project_id),
})
