import { instance, raw } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { serveAvatar } from './avatars.ts'

/** Public, since addresses of pictures are in pages and mails (contract 20 R8). */
export const avatarsServe = operation({
  id: 'avatars.serve',
  contract: '20 R8',
  method: 'GET',
  path: '/uploads/-/system/:owner/avatar/:owner_id/:file',
  root: true,
  tag: 'Users',
  summary: 'Get an uploaded avatar',
  description: '`owner` is `user`, `project` or `group`.',
  subject: instance,
  allow: 'public',
  scopes: 'any',
  ownAuthentication: true,
  result: [200, raw],
  run: ({ platform, params }) => serveAvatar(platform, params.owner, params.owner_id, params.file),
})
