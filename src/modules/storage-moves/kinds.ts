import type { Tx } from '../../infra/database/index.ts'
import type { Platform } from '../../platform/index.ts'
import type { OwnerColumn, RepositoryOwner, RepositoryRow } from '../../platform/repositories/index.ts'
import { namespaceById, updateNamespace } from '../namespaces/index.ts'
import { projectById, touchProject } from '../projects/index.ts'
import { touchSnippet } from '../snippets/index.ts'
import { ensureWiki } from '../wikis/index.ts'

/** What differs between the moves of projects, snippets and groups. */
export type MoveKind = {
  /** Also the key of errors. */
  name: 'project' | 'snippet' | 'group'
  table: 'project_storage_moves' | 'snippet_storage_moves' | 'group_storage_moves'
  ownerOf(containerId: number): RepositoryOwner
  /** The repository that decides in which storage the container is. */
  main: { column: OwnerColumn; kind: RepositoryRow['kind'] }
  /** Makes what a move needs, before it is scheduled. */
  prepare?(platform: Platform, containerId: number): Promise<void>
  /** Whether refs are being written that no push has asked for. */
  isBusy?(tx: Tx, containerId: number): Promise<boolean>
  /** Records that the container was changed. */
  touch(tx: Tx, containerId: number, at: string): Promise<unknown>
}

/** Moves the code, the wiki and the designs of a project. */
export const projectMoves: MoveKind = {
  name: 'project',
  table: 'project_storage_moves',
  ownerOf: (projectId) => ({ projectId }),
  main: { column: 'project_id', kind: 'project' },
  async isBusy(tx, id) {
    const status = (await projectById(tx, id))?.import_status
    return status === 'scheduled' || status === 'started'
  },
  touch: touchProject,
}

export const snippetMoves: MoveKind = {
  name: 'snippet',
  table: 'snippet_storage_moves',
  ownerOf: (snippetId) => ({ snippetId }),
  main: { column: 'snippet_id', kind: 'snippet' },
  touch: touchSnippet,
}

/** Moves the wiki of a group. Its projects stay where they are. */
export const groupMoves: MoveKind = {
  name: 'group',
  table: 'group_storage_moves',
  ownerOf: (namespaceId) => ({ namespaceId }),
  main: { column: 'namespace_id', kind: 'wiki' },
  async prepare(platform, id) {
    const group = await namespaceById(platform.database.read, id)
    if (group) await ensureWiki(platform, { group })
  },
  touch: (tx, id, at) => updateNamespace(tx, id, {}, at),
}

const kinds = { project: projectMoves, snippet: snippetMoves, group: groupMoves } as const

/** The kind that a job names. */
export const kindNamed = (name: MoveKind['name']): MoveKind => kinds[name]
