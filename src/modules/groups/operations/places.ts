import { nothing, type Operation, operation, requireUnmodified, t, writing } from '../../../api/index.ts'
import type { GroupSubject } from '../access.ts'
import { shareLevels } from '../params.ts'
import type { GroupDetailSchema } from '../present.ts'
import type { GroupSharing } from '../sharing.ts'
import type { GroupTransfer } from '../transfer.ts'

const tag = 'Groups'

type Needs = { group: GroupSubject; sharing: GroupSharing; transfer: GroupTransfer; detail: GroupDetailSchema }

/** Where a group lies, and which other groups come into it (contract 21). */
export function groupPlaceOperations({ group, sharing, transfer, detail }: Needs): Operation[] {
  return [
    operation({
      id: 'groups.share',
      contract: 'x.groups_share',
      method: 'POST',
      path: '/groups/:id/share',
      tag,
      summary: 'Share a group with a group',
      subject: group,
      allow: 'share',
      scopes: writing,
      params: {
        group_id: t.required(t.integer({ description: 'The group that is invited' })),
        group_access: t.required(t.integerOf(shareLevels, { description: 'The level up to which its members count' })),
        expires_at: t.date(),
        member_role_id: t.integer(),
      },
      result: [201, detail],
      run: ({ subject, actor, params }) => sharing.share(actor, subject, params),
    }),
    operation({
      id: 'groups.unshare',
      contract: 'x.groups_unshare',
      method: 'DELETE',
      path: '/groups/:id/share/:group_id',
      tag,
      summary: 'End the share of a group with a group',
      subject: group,
      allow: 'share',
      scopes: writing,
      numericPath: { group_id: 'invalid' },
      result: [204, nothing],
      run: ({ subject, request }) =>
        sharing.unshare(subject, Number(request.path.group_id), (createdAt) => requireUnmodified(request, createdAt)),
    }),
    operation({
      id: 'groups.transfer',
      contract: 'x.groups_transfer',
      method: 'POST',
      path: '/groups/:id/transfer',
      tag,
      summary: 'Move a group below another one, or to the top',
      subject: group,
      allow: 'transfer',
      scopes: writing,
      params: { group_id: t.integer({ description: 'The new parent; without one it moves to the top' }) },
      result: [201, detail],
      run: ({ subject, actor, params }) => transfer.transfer(actor, subject, params.group_id),
    }),
  ]
}
