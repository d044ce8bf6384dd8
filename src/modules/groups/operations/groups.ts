import {
  forms,
  instance,
  type Operation,
  operation,
  reading,
  requireUnmodified,
  t,
  writing,
} from '../../../api/index.ts'
import type { GroupSubject } from '../access.ts'
import type { GroupDeletion } from '../deletion.ts'
import type { Groups } from '../groups.ts'
import { createParams, updateParams } from '../params.ts'
import type { GroupDetailSchema } from '../present.ts'
import type { GroupPresenting } from '../presenting.ts'

const tag = 'Groups'

type Needs = {
  group: GroupSubject
  groups: Groups
  deletion: GroupDeletion
  presenting: GroupPresenting
  detail: GroupDetailSchema
}

/** One group: made, read, changed, deleted, restored (contract 21). */
export function groupOperations({ group, groups, deletion, presenting, detail }: Needs): Operation[] {
  return [
    operation({
      id: 'groups.create',
      contract: 'x.groups_create',
      method: 'POST',
      path: '/groups',
      tag,
      summary: 'Create a group or subgroup',
      subject: instance,
      allow: 'authenticated',
      scopes: writing,
      params: createParams,
      result: [201, detail],
      run: ({ actor, params }) => groups.create(actor, params),
    }),
    operation({
      id: 'groups.get',
      contract: 'x.groups_get',
      method: 'GET',
      path: '/groups/:id',
      tag,
      summary: 'Get a group',
      subject: group,
      allow: 'read_group',
      scopes: reading,
      params: {
        with_projects: t.boolean({ description: 'Whether its projects are shown; the default' }),
        with_custom_attributes: t.boolean({ description: 'For administrators' }),
      },
      result: [200, detail],
      run: ({ subject, actor, params }) => presenting.detail(actor, subject, params),
    }),
    operation({
      id: 'groups.update',
      contract: 'x.groups_update',
      method: 'PUT',
      path: '/groups/:id',
      tag,
      summary: 'Change a group',
      subject: group,
      allow: 'admin_group',
      scopes: writing,
      params: updateParams,
      result: [200, detail],
      run: ({ subject, actor, params }) => groups.update(actor, subject, params),
    }),
    operation({
      id: 'groups.delete',
      contract: 'x.groups_delete',
      method: 'DELETE',
      path: '/groups/:id',
      tag,
      summary: 'Delete a group',
      description:
        'Marks the group for deletion; it is removed when the period of the instance is over. A marked subgroup can be ' +
        'removed at once.',
      subject: group,
      allow: 'own',
      scopes: writing,
      params: {
        permanently_remove: t.boolean({ description: 'Remove a marked subgroup at once' }),
        full_path: t.string({ description: 'Full path of the subgroup; needed to remove it at once' }),
      },
      result: [202, forms.accepted],
      async run({ subject, params, request }) {
        requireUnmodified(request, subject.updated_at)
        await deletion.remove(subject, params)
        return { message: '202 Accepted' }
      },
    }),
    operation({
      id: 'groups.restore',
      contract: 'x.groups_restore',
      method: 'POST',
      path: '/groups/:id/restore',
      tag,
      summary: 'Undo a scheduled deletion',
      subject: group,
      allow: 'own',
      scopes: writing,
      result: [201, detail],
      run: ({ subject, actor }) => deletion.restore(actor, subject),
    }),
  ]
}
