import { nothing, pageOf, reading, t, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { atProjectAndGroup } from '../projects/index.ts'
import { approveRequest, createRequest, deleteRequest, listRequests } from './access-requests.ts'
import { AccessRequest, ApprovedMember, NewAccessRequest } from './present.ts'

const tag = 'Access requests'
const userId = t.id()

/** Requests to join projects and groups (contract 11). */
export const accessRequestOperations = atProjectAndGroup(({ kind, path, subject }) => {
  const number = (of: string) => (kind === 'group' ? of : `${of}b`)
  const list = `${path}/access_requests` as const
  return [
    operation({
      id: `${kind}_access_requests.list`,
      contract: number('3.20'),
      method: 'GET',
      path: list,
      tag,
      summary: `List the requests for access to a ${kind}, oldest first`,
      subject,
      allow: 'admin_members',
      scopes: reading,
      result: [200, pageOf(AccessRequest)],
      run: ({ platform, subject, page }) => listRequests(platform, subject, page),
    }),
    operation({
      id: `${kind}_access_requests.create`,
      contract: number('3.21'),
      method: 'POST',
      path: list,
      tag,
      summary: `Ask for access to a ${kind}`,
      subject,
      allow: 'request_access',
      scopes: writing,
      result: [201, NewAccessRequest],
      run: ({ platform, subject, actor }) => createRequest(platform, subject, actor),
    }),
    operation({
      id: `${kind}_access_requests.approve`,
      contract: number('3.22'),
      method: 'PUT',
      path: `${list}/:user_id/approve`,
      tag,
      summary: `Approve a request for access to a ${kind}`,
      subject,
      allow: 'admin_members',
      scopes: writing,
      params: { user_id: userId, access_level: t.integer({ description: 'The role; default 30, developer.' }) },
      result: [200, ApprovedMember],
      run: ({ platform, subject, actor, params, act }) => approveRequest(platform, subject, { actor, act }, params),
    }),
    operation({
      id: `${kind}_access_requests.delete`,
      contract: number('3.23'),
      method: 'DELETE',
      path: `${list}/:user_id`,
      tag,
      summary: `Deny a request for access to a ${kind}, or withdraw one's own`,
      subject,
      allow: 'request_access',
      scopes: writing,
      params: { user_id: userId },
      result: [204, nothing],
      async run({ platform, subject: found, actor, params, unmodified, act }) {
        const isOwn = actor.kind === 'user' && actor.userId === params.user_id
        if (!isOwn) await subject.authorize(actor, found, 'admin_members')
        await deleteRequest(platform, found, params.user_id, { unmodified, act: isOwn ? null : act })
      },
    }),
  ]
})
