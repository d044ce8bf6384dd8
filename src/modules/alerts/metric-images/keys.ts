import { type StorageKey, storageKey } from '../../../infra/objects/index.ts'
import type { MetricImageRow } from '../tables.ts'

/** The keys of all metric images are below it. */
export const imagesPrefix = storageKey('alert-metric-images')

/** All images of a project have keys below this one. */
export const prefixOfProject = (projectId: number): StorageKey => storageKey('alert-metric-images', projectId)

export const keyOf = (projectId: number, secret: string): StorageKey =>
  storageKey('alert-metric-images', projectId, secret)

export const keyOfImage = ({ project_id, secret }: Pick<MetricImageRow, 'project_id' | 'secret'>) =>
  keyOf(project_id, secret)

/** The random part of a key. */
export const secretOf = (key: StorageKey): string => key.split('/').at(-1) ?? ''
