import { instance, nothing, pageOf, readingUsers, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { AuthorizedApplication } from '../authorization/present.ts'
import { listGrants, removeGrant } from './grants.ts'

const shared = { tag: 'OAuth', subject: instance, allow: 'authenticated' } as const

export const authorizedApplicationsList = operation({
  ...shared,
  id: 'authorized_applications.list',
  contract: 'x.authorized_applications_list',
  method: 'GET',
  path: '/user/authorized_applications',
  summary: 'List the OAuth applications that you have authorised',
  scopes: readingUsers,
  result: [200, pageOf(AuthorizedApplication)],
  run: ({ platform, actor, page }) => listGrants(platform, actor, page),
})

export const authorizedApplicationsDelete = operation({
  ...shared,
  id: 'authorized_applications.delete',
  contract: 'x.authorized_applications_delete',
  method: 'DELETE',
  path: '/user/authorized_applications/:authorization_id',
  summary: 'End the authorisation of an OAuth application with its tokens',
  scopes: writing,
  params: { authorization_id: t.id({ otherwise: 'route' }) },
  result: [204, nothing],
  run: ({ platform, actor, params, unmodified }) => removeGrant(platform, actor, params.authorization_id, unmodified),
})
