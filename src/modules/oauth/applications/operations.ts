import { instance, nothing, pageOf, reading, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { createApplication, listApplications, removeApplication, renewSecret } from './applications.ts'
import { NewOauthApplication, OauthApplication } from './present.ts'

const shared = { tag: 'OAuth', subject: instance, allow: 'administrator' } as const
const idInPath = { id: t.id({ otherwise: 'route' }) }

export const applicationsList = operation({
  ...shared,
  id: 'applications.list',
  contract: 'x.applications_list',
  method: 'GET',
  path: '/applications',
  summary: 'List the OAuth applications of the instance',
  scopes: reading,
  result: [200, pageOf(OauthApplication)],
  run: ({ platform, page }) => listApplications(platform, page),
})

export const applicationsCreate = operation({
  ...shared,
  id: 'applications.create',
  contract: 'x.applications_create',
  method: 'POST',
  path: '/applications',
  summary: 'Register an OAuth application',
  description: 'The answer shows the secret, which is not stored.',
  scopes: writing,
  params: {
    name: t.required(t.string()),
    redirect_uri: t.required(t.string({ description: 'Absolute addresses, one a line.' })),
    scopes: t.required(t.string({ description: 'Separated by spaces.' })),
    confidential: t.boolean({ description: 'Whether the application can keep its secret; the default.' }),
  },
  result: [201, NewOauthApplication],
  run: ({ platform, params, actor }) => createApplication(platform, params, actor),
})

export const applicationsDelete = operation({
  ...shared,
  id: 'applications.delete',
  contract: 'x.applications_delete',
  method: 'DELETE',
  path: '/applications/:id',
  summary: 'Delete an OAuth application with its tokens',
  scopes: writing,
  params: idInPath,
  result: [204, nothing],
  run: ({ platform, params, unmodified, actor }) => removeApplication(platform, params.id, { unmodified, actor }),
})

export const applicationsRenew = operation({
  ...shared,
  id: 'applications.renew',
  contract: 'x.applications_renew',
  method: 'POST',
  path: '/applications/:id/renew-secret',
  summary: 'Replace the secret of an OAuth application',
  scopes: writing,
  params: idInPath,
  result: [201, NewOauthApplication],
  run: ({ platform, params, actor }) => renewSecret(platform, params.id, actor),
})
