import type { AnswerOf } from '../../../api/index.ts'
import { groupsGet } from '../../groups/index.ts'
import { projectsOfGroup } from '../../projects/index.ts'
import { byPosition } from '../reading/lists.ts'
import { named } from '../reading/operations.ts'
import { connection, field, type ObjectType } from './declare.ts'
import { typedId } from './ids.ts'
import { membersOf } from './members.ts'

type GroupSource = AnswerOf<typeof groupsGet>

const group = (type: string, value: (source: GroupSource) => unknown) => field<GroupSource>(type, value)

/** Groups (contract 25, "GraphQL"). */
export const groupTypes: readonly ObjectType[] = [
  {
    name: 'Group',
    description: 'A group.',
    fields: {
      id: group('ID!', ({ id }) => typedId('Group', id)),
      name: group('String!', ({ name }) => name),
      path: group('String!', ({ path }) => path),
      fullPath: group('ID!', ({ full_path }) => full_path),
      fullName: group('String!', ({ full_name }) => full_name),
      description: group('String', ({ description }) => description),
      visibility: group('String', ({ visibility }) => visibility),
      webUrl: group('String!', ({ web_url }) => web_url),
      avatarUrl: group('String', ({ avatar_url }) => avatar_url),
      createdAt: group('Time', ({ created_at }) => created_at),
      parent: field<GroupSource>('Group', ({ parent_id: id }, _, reading) =>
        id === null ? null : reading.find(groupsGet, { id, with_projects: false }),
      ),
      projects: connection<GroupSource>(
        'Project',
        ({ id }, { includeSubgroups, search }) => ({
          operation: projectsOfGroup,
          call: { id, with_shared: false, include_subgroups: includeSubgroups, search },
        }),
        'includeSubgroups: Boolean = false, search: String',
      ),
      descendantGroups: connection<GroupSource>('Group', ({ id }, _, reading) =>
        byPosition(reading, named('groups.descendants'), { id, all_available: true, order_by: 'id', sort: 'desc' }),
      ),
      groupMembers: connection<GroupSource>(
        'GroupMember',
        ({ id }, args, reading) => membersOf({ kind: 'group', id }, args, reading),
        'relations: [MemberRelation!], search: String',
      ),
      labels: connection<GroupSource>('Label', ({ id }, _, reading) =>
        byPosition(reading, named('group_labels.list'), { id }),
      ),
      milestones: connection<GroupSource>('Milestone', ({ id }, _, reading) =>
        byPosition(reading, named('group_milestones.list'), { id }),
      ),
    },
  },
]
