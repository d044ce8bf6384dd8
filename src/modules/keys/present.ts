import { forms, nullable, oneOf, type Static, Type } from '../../api/index.ts'
import { OwnUser } from '../users/index.ts'
import { type KeyRow, usageTypes } from './tables.ts'

const common = {
  id: forms.id,
  title: Type.String(),
  created_at: forms.timestamp,
  expires_at: forms.nullableTimestamp,
  last_used_at: forms.nullableTimestamp,
}
const key = Type.String({ description: 'Type, base64 and comment, as given.' })
const usageType = oneOf(usageTypes)

/** An SSH key (contract 20, "SSH key"). */
export const SshKeyObject = Type.Object({ ...common, key, usage_type: usageType }, { title: 'SshKey' })

/** The members of all keys, in the order of contract 01. */
export const keyMembers = { ...common, usage_type: usageType, key }

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

/** A key of any kind with its owner (contract 01, KeyWithOwner). */
export const KeyWithOwner = Type.Object(
  {
    ...keyMembers,
    user: nullable(OwnUser),
    deploy_keys_projects: Type.Optional(Type.Array(KeyJoin)),
  },
  { title: 'KeyWithOwner' },
)

export type PresentedKey = Static<typeof SshKeyObject>

export function presentKey(row: KeyRow): PresentedKey {
  const { id, title, created_at, expires_at, last_used_at, key, usage_type } = row
  return { id, title, created_at, expires_at, last_used_at, key, usage_type }
}
