import { instance, reading, t, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { currentLicense, installLicense } from './license.ts'
import { License } from './present.ts'

const shared = { path: '/license', tag: 'Metadata', subject: instance, allow: 'administrator' } as const

export const licenseGet = operation({
  ...shared,
  id: 'license.get',
  contract: 'x.license_get',
  method: 'GET',
  summary: 'Get the licence of the instance',
  scopes: reading,
  result: [200, License],
  run: ({ platform }) => currentLicense(platform),
})

export const licenseAdd = operation({
  ...shared,
  id: 'license.add',
  contract: 'x.license_add',
  method: 'POST',
  summary: 'Install a licence key',
  description: 'Every key is refused: the licence of the instance has no limits.',
  scopes: writing,
  params: { license: t.required(t.string()) },
  result: [201, License],
  run: async () => installLicense(),
})
