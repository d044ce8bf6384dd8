import { type ParamValues, t } from '../../../api/index.ts'

const ignored = t.string({ description: 'Accepted and ignored: no pages are served.' })

export const newDomain = {
  domain: t.required(t.string()),
  auto_ssl_enabled: t.boolean({ description: 'Only stored.' }),
  certificate: ignored,
  key: ignored,
}
export type NewDomain = ParamValues<typeof newDomain>
