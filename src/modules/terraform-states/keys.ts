import { type StorageKey, storageKey } from '../../infra/objects/index.ts'
import type { VersionRow } from './tables.ts'

/** The keys of all documents are below it. */
export const statesPrefix = storageKey('terraform-states')

/** All documents of a project have keys below this one. */
export const prefixOfProject = (projectId: number): StorageKey => storageKey('terraform-states', projectId)

/** Where a document is. */
export type Place = Pick<VersionRow, 'project_id' | 'secret'>

export const keyOfDocument = ({ project_id, secret }: Place): StorageKey =>
  storageKey('terraform-states', project_id, secret)

/** The random part of a key. */
export const secretOf = (key: StorageKey): string => key.split('/').at(-1) ?? ''

/** A sealed document opens only as that of its version. */
export const contextOf = ({ project_id, secret }: Place): string =>
  `terraform_state_versions:${project_id}:${secret}:document`
