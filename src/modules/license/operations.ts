import { forms, instance, reading, Type, t, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { currentLicense, installLicense } from './license.ts'

/** The licence of the instance (contract 20, License). */
const License = Type.Object(
  {
    id: forms.id,
    plan: Type.String(),
    created_at: forms.timestamp,
    starts_at: forms.day,
    expires_at: forms.nullableDay,
    historical_max: Type.Integer(),
    maximum_user_count: Type.Integer(),
    expired: Type.Boolean(),
    overage: Type.Integer(),
    user_limit: forms.nullableInteger,
    active_users: Type.Integer(),
    licensee: Type.Object({ Name: Type.String(), Email: Type.String(), Company: Type.String() }),
    add_ons: Type.Object({}),
  },
  { title: 'License' },
)

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
