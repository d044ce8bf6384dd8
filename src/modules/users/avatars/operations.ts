import { forms, instance, raw, readerOf, reading, Type, t, writing } from '../../../api/index.ts'
import { authenticatorOf, operation } from '../../../platform/index.ts'
import { changeOwnAvatar } from '../accounts/accounts.ts'
import { avatarUrl, presentingUsers } from '../directory/presenting.ts'
import { avatarOfAddress } from './addresses.ts'
import { serveAvatar } from './avatars.ts'

/**
 * Those of users and topics are public, since their addresses are in pages and mails: a token is not even looked at. Those of
 * projects and groups are for callers who may see these (contract 20 R8).
 */
export const avatarsServe = operation({
  id: 'avatars.serve',
  contract: '20 R8',
  method: 'GET',
  path: '/uploads/-/system/:owner/avatar/:owner_id/:file',
  root: true,
  tag: 'Users',
  summary: 'Get an uploaded avatar',
  description:
    '`owner` is `user`, `project`, `group` or `topic`. Those of a project or group are for callers who may see it.',
  subject: instance,
  allow: 'public',
  scopes: 'any',
  ownAuthentication: true,
  result: [200, { ...raw, mediaType: 'image/*' }],
  run: ({ platform, request, params }) =>
    serveAvatar(platform, params, () => {
      const [, search = ''] = request.url.split('?', 2)
      return readerOf(request, search, authenticatorOf(platform), {})
    }),
})

const AvatarUrl = Type.Object({ avatar_url: forms.nullableString }, { title: 'AvatarUrl' })

export const userAvatarPut = operation({
  id: 'user_avatar.put',
  contract: 'x.user_avatar_put',
  method: 'PUT',
  path: '/user/avatar',
  tag: 'Users',
  summary: 'Set your avatar',
  subject: instance,
  allow: 'authenticated',
  scopes: writing,
  params: { avatar: t.requiredFile({ description: 'A picture of at most 200 KiB.' }) },
  result: [200, AvatarUrl],
  async run({ platform, actor, params }) {
    const user = await changeOwnAvatar(platform, actor, params.avatar)
    return { avatar_url: avatarUrl(user, await presentingUsers(platform)) }
  },
})

export const avatarGet = operation({
  id: 'avatar.get',
  contract: 'x.avatar',
  method: 'GET',
  path: '/avatar',
  tag: 'Users',
  summary: 'Get the address of the avatar for an e-mail address',
  description: 'That of the user with this public address; otherwise that of Gravatar, where the instance uses it.',
  subject: instance,
  allow: 'public',
  scopes: reading,
  params: {
    email: t.required(t.string()),
    size: t.integer({ minimum: 1, maximum: 2_048, description: 'Width of a picture of Gravatar in pixels.' }),
  },
  result: [200, AvatarUrl],
  run: async ({ platform, params }) => ({ avatar_url: await avatarOfAddress(platform, params) }),
})
