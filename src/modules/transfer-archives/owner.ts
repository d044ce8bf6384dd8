import { type StorageKey, storageKey } from '../../infra/objects/index.ts'
import type { TransferExportRow } from './tables.ts'

/** A project or group, as rows and keys name it. */
export type Owner = { kind: 'project' | 'group'; id: number }

/** The columns that refer to a project or group. */
export const columnsOf = ({ kind, id }: Owner) =>
  kind === 'project' ? { project_id: id, namespace_id: null } : { project_id: null, namespace_id: id }

/** The column that refers to a project or group. */
export const columnOf = ({ kind }: Owner) => (kind === 'project' ? 'project_id' : 'namespace_id')

/** The project or group of a row. */
export const ownerOf = ({ project_id, namespace_id }: Pick<TransferExportRow, 'project_id' | 'namespace_id'>): Owner =>
  project_id === null ? { kind: 'group', id: namespace_id as number } : { kind: 'project', id: project_id }

/** The keys of all archives are below it. */
export const archivesPrefix = storageKey('transfer-archives')

/** The key of an archive, whose secret says what it belongs to. */
export const keyOfArchive = (secret: string): StorageKey => storageKey('transfer-archives', secret)

/** The random part of a key. */
export const secretOf = (key: StorageKey): string => key.split('/').at(-1) ?? ''

/** The lock under which the export of a project or group changes. */
export const lockOf = ({ kind, id }: Owner) => `transfer_exports:${kind}:${id}`
