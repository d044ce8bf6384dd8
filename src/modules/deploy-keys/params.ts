import { type ParamValues, t } from '../../api/index.ts'

/** Parameters of a new public key. */
export const newKey = {
  key: t.required(
    t.string({ description: 'One line of an OpenSSH `.pub` file.', example: 'ssh-ed25519 AAAA… deploy@host' }),
  ),
  title: t.required(t.string()),
  expires_at: t.datetime({ description: 'From this time on the key gives no access. Default: never.' }),
}

const can_push = t.boolean({ description: 'Whether the key may push to this project. Default: false.' })

/** Parameters of a new key of a project. */
export const newProjectKey = { ...newKey, can_push }
export type NewProjectKey = ParamValues<typeof newProjectKey>

export const keyChanges = { title: t.string(), can_push }
export type KeyChanges = ParamValues<typeof keyChanges>
