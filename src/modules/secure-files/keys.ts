import { type StorageKey, storageKey } from '../../infra/objects/index.ts'
import type { SecureFileRow } from './tables.ts'

/** The keys of all secure files are below it. */
export const filesPrefix = storageKey('secure-files')

/** All secure files of a project have keys below this one. */
export const prefixOfProject = (projectId: number): StorageKey => storageKey('secure-files', projectId)

export const keyOfFile = ({ project_id, secret }: Pick<SecureFileRow, 'project_id' | 'secret'>): StorageKey =>
  storageKey('secure-files', project_id, secret)

/** The random part of a key. */
export const secretOf = (key: StorageKey): string => key.split('/').at(-1) ?? ''
