import { type StorageKey, storageKey } from '../../../infra/objects/index.ts'
import type { ExportRow } from '../tables.ts'

/** A project or group, as rows and keys name it. */
export type Owner = { kind: 'project' | 'group'; id: number }

/** The keys of all exported files are below it. */
export const exportsPrefix = storageKey('relation-exports')

/** The keys of all files of a project or group are below this one. */
export const prefixOfOwner = ({ kind, id }: Owner): StorageKey => storageKey('relation-exports', kind, id)

/** The keys of all files of a run are below this one. */
export const prefixOfRun = ({ kind, id }: Owner, run: string): StorageKey =>
  storageKey('relation-exports', kind, id, run)

/** The key of a file: of number 0, or of a batch. */
export const keyOf = ({ kind, id }: Owner, run: string, number: number): StorageKey =>
  storageKey('relation-exports', kind, id, run, number)

/** The run that a key names; undefined for other keys. */
export const runOfKey = (key: StorageKey): string | undefined =>
  /^relation-exports\/(?:project|group)\/\d+\/([0-9a-f]{32})\/\d+$/.exec(key)?.[1]

/** The columns that refer to a project or group. */
export const columnsOf = ({ kind, id }: Owner) =>
  kind === 'project' ? { project_id: id, namespace_id: null } : { project_id: null, namespace_id: id }

/** The project or group of a row. */
export const ownerOf = ({ project_id, namespace_id }: Pick<ExportRow, 'project_id' | 'namespace_id'>): Owner =>
  project_id === null ? { kind: 'group', id: namespace_id as number } : { kind: 'project', id: project_id }

/** The lock under which the exports of a project or group change. */
export const lockOf = ({ kind, id }: Owner) => `relation_exports:${kind}:${id}`
