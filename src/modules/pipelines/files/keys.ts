import { type StorageKey, storageKey } from '../../../infra/objects/index.ts'
import { randomHex } from '../../../infra/secrets/index.ts'

/** Storage keys of logs and artifacts begin with it. */
export const filesPrefix = storageKey('ci')

type JobPlace = { id: number; project_id: number }

/** All files of a job have keys below this one. */
export const prefixOfJob = ({ id, project_id }: JobPlace): StorageKey => storageKey('ci', project_id, id)

/** All files of a project's jobs have keys below this one. */
export const prefixOfProject = (projectId: number): StorageKey => storageKey('ci', projectId)

/** A storage key that was never used before. */
export function newFileKey({ id, project_id }: JobPlace, kind: 'trace' | 'artifact'): StorageKey {
  return storageKey('ci', project_id, id, `${kind}-${randomHex(12)}`)
}

/** The id of the job to which a key belongs; null for other keys. */
export function jobIdOf(key: StorageKey): number | null {
  const [, id] = /^ci\/\d+\/(\d+)\//.exec(key) ?? []
  return id === undefined ? null : Number(id)
}
