import { type StorageKey, storageKey } from '../../infra/objects/index.ts'
import type { PagesDeploymentRow } from './tables.ts'

/** The keys of all sites are below it. */
export const sitesPrefix = storageKey('pages')

/** All that was published of a project has keys below this one. */
export const prefixOfProject = (projectId: number): StorageKey => storageKey('pages', projectId)

export const keyOfDeployment = ({
  project_id,
  secret,
}: Pick<PagesDeploymentRow, 'project_id' | 'secret'>): StorageKey => storageKey('pages', project_id, secret)

/** The random part of a key. */
export const secretOf = (key: StorageKey): string => key.split('/').at(-1) ?? ''
