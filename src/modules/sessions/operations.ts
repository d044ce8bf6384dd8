import { instance, nothing, pageOf, readingUsers, t, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { listSessions, removeSession } from './own.ts'
import { changeOwnPassword } from './passwords/own-password.ts'
import { Session } from './present.ts'

const shared = { tag: 'Users', subject: instance, allow: 'authenticated' } as const

export const sessionsList = operation({
  ...shared,
  id: 'sessions.list',
  contract: 'x.session_list',
  method: 'GET',
  path: '/user/sessions',
  summary: 'List the browsers in which you are signed in',
  scopes: readingUsers,
  result: [200, pageOf(Session)],
  run: ({ platform, actor, page }) => listSessions(platform, actor, page),
})

export const sessionsDelete = operation({
  ...shared,
  id: 'sessions.delete',
  contract: 'x.session_delete',
  method: 'DELETE',
  path: '/user/sessions/:session_id',
  summary: 'Sign a browser out',
  scopes: writing,
  params: { session_id: t.id({ otherwise: 'route' }) },
  result: [204, nothing],
  run: ({ platform, actor, params, unmodified }) => removeSession(platform, actor, params.session_id, unmodified),
})

export const userPasswordUpdate = operation({
  ...shared,
  id: 'user_password.update',
  contract: 'x.user_password_update',
  method: 'PUT',
  path: '/user/password',
  summary: 'Change your password',
  description: 'The other browsers in which you are signed in are signed out.',
  scopes: writing,
  params: { current_password: t.required(t.string()), password: t.required(t.string()) },
  result: [204, nothing],
  run: ({ platform, actor, params, request: { ip } }) => changeOwnPassword(platform, { actor, ip }, params),
})
