import { forms, nullable, object, of, oneOf, type Static, Type } from '../../api/index.ts'
import { OwnUser } from '../users/index.ts'
import { type KeyRow, usageTypes } from './tables.ts'

const key = of<KeyRow>()
const common = key.fields({
  id: forms.id,
  title: Type.String(),
  created_at: forms.timestamp,
  expires_at: forms.nullableTimestamp,
  last_used_at: forms.nullableTimestamp,
})
const text = Type.String({ description: 'Type, base64 and comment, as given.' })
const usageType = oneOf(usageTypes)

/** An SSH key (contract 20, "SSH key"). */
export const SshKeyObject = object('SshKey', key, { ...common, key: text, usage_type: usageType })
export type PresentedKey = Static<typeof SshKeyObject>

/** The fields of all keys, in the order of contract 01. */
export const keyFields = key.fields({ ...common, usage_type: usageType, key: text })

/** A project that a deploy key is enabled for (contract 01, KeyWithOwner). */
const KeyJoin = Type.Object(
  {
    id: forms.id,
    deploy_key_id: forms.id,
    project_id: forms.id,
    created_at: forms.timestamp,
    updated_at: forms.timestamp,
    can_push: Type.Boolean(),
  },
  { title: 'DeployKeyProject' },
)

/** A key with its owner, and the projects that it is enabled for when it is a deploy key. */
type OwnedKey = KeyRow & {
  user: Static<typeof OwnUser> | null
  deploy_keys_projects?: Static<typeof KeyJoin>[]
}

/** A key of any kind with its owner (contract 01, KeyWithOwner). */
export const KeyWithOwner = object('KeyWithOwner', of<OwnedKey>(), {
  ...keyFields,
  user: nullable(OwnUser),
  deploy_keys_projects: Type.Optional(Type.Array(KeyJoin)),
})
