import { instance, raw, reading, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { changeAppearance, getAppearance, serveImage } from './appearance.ts'
import { appearanceChanges } from './params.ts'
import { Appearance } from './present.ts'

const shared = {
  tag: 'Appearance',
  subject: instance,
  allow: 'administrator',
  path: '/application/appearance',
} as const

export const appearanceGet = operation({
  ...shared,
  id: 'appearance.get',
  contract: 'x.appearance_get',
  method: 'GET',
  summary: 'Read how the instance looks',
  scopes: reading,
  result: [200, Appearance],
  run: ({ platform }) => getAppearance(platform),
})

export const appearanceUpdate = operation({
  ...shared,
  id: 'appearance.update',
  contract: 'x.appearance_update',
  method: 'PUT',
  summary: 'Change how the instance looks',
  scopes: writing,
  params: appearanceChanges,
  result: [200, Appearance],
  run: ({ platform, params, act }) => changeAppearance(platform, params, act),
})

export const appearanceImage = operation({
  id: 'appearance.image',
  contract: 'x.appearance_image',
  method: 'GET',
  path: '/uploads/-/system/appearance/:image/1/:file',
  root: true,
  tag: 'Appearance',
  summary: 'Get an image of the appearance',
  subject: instance,
  allow: 'public',
  scopes: 'any',
  ownAuthentication: true,
  result: [200, { ...raw, mediaType: 'image/*' }],
  run: ({ platform, params }) => serveImage(platform, params),
})
