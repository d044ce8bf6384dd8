import { type ParamValues, t } from '../../api/index.ts'
import { usageTypes } from './tables.ts'

export const newKey = {
  key: t.required(
    t.string({ description: 'One line of an OpenSSH `.pub` file.', example: 'ssh-ed25519 AAAA… me@host' }),
  ),
  title: t.required(t.string()),
  expires_at: t.datetime({ description: 'The key is not accepted from this moment on.' }),
  usage_type: t.oneOf(usageTypes, { description: 'Default `auth_and_signing`. A signing key is not accepted by SSH.' }),
}
export type NewKey = ParamValues<typeof newKey>
