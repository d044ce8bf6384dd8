import { forms, oneOf, type Static, Type } from '../../api/index.ts'
import type { Platform } from '../../platform/index.ts'
import { visibilityLevels } from '../../platform/settings/index.ts'
import { groupsByIds } from '../groups/index.ts'
import { namespaceWebUrl } from '../namespaces/index.ts'
import { ProjectSummary, projectSummaries } from '../projects/index.ts'
import { snippetsByIds, snippetsWithAddresses } from '../snippets/index.ts'
import { type MoveRow, states } from './tables.ts'

const members = {
  id: forms.id,
  created_at: forms.timestamp,
  state: oneOf(states),
  source_storage_name: Type.String(),
  destination_storage_name: Type.String(),
}

/** A move of a project (contract 10, Project storage move). */
export const ProjectStorageMove = Type.Object({ ...members, project: ProjectSummary }, { title: 'ProjectStorageMove' })

/** A move of a snippet (contract 10, Snippet storage move). */
export const SnippetStorageMove = Type.Object(
  {
    ...members,
    snippet: Type.Object({
      id: forms.id,
      title: Type.String(),
      description: forms.nullableString,
      visibility: oneOf(visibilityLevels),
      updated_at: forms.timestamp,
      created_at: forms.timestamp,
      project_id: forms.nullableInteger,
      web_url: Type.String(),
      raw_url: Type.String(),
      ssh_url_to_repo: Type.String(),
      http_url_to_repo: Type.String(),
    }),
  },
  { title: 'SnippetStorageMove' },
)

/** A move of the wiki of a group (contract 10, Group storage move). */
export const GroupStorageMove = Type.Object(
  { ...members, group: Type.Object({ id: forms.id, web_url: Type.String(), name: Type.String() }) },
  { title: 'GroupStorageMove' },
)

type Moves = readonly MoveRow[]

const idsOf = (moves: Moves) => [...new Set(moves.map(({ container_id: id }) => id))]

/** Presents moves with their projects, in a constant number of queries. */
export async function presentProjectMoves(
  { database }: Platform,
  moves: Moves,
): Promise<Static<typeof ProjectStorageMove>[]> {
  const projects = await projectSummaries(database.read, idsOf(moves))
  // One may have been deleted since its move was read.
  return moves.flatMap((move) => {
    const project = projects.get(move.container_id)
    return project ? [{ ...move, project }] : []
  })
}

/** Presents moves with their snippets, in a constant number of queries. */
export async function presentSnippetMoves(
  platform: Platform,
  moves: Moves,
): Promise<Static<typeof SnippetStorageMove>[]> {
  const rows = await snippetsByIds(platform.database.read, idsOf(moves))
  const snippets = await snippetsWithAddresses(platform, rows)
  return moves.flatMap((move) => {
    const snippet = snippets.get(move.container_id)
    return snippet ? [{ ...move, snippet }] : []
  })
}

/** Presents moves with their groups, in a constant number of queries. */
export async function presentGroupMoves(
  { database, externalUrl }: Platform,
  moves: Moves,
): Promise<Static<typeof GroupStorageMove>[]> {
  const groups = await groupsByIds(database.read, idsOf(moves))
  return moves.flatMap((move) => {
    const group = groups.get(move.container_id)
    if (!group) return []
    const { id, name } = group
    return [{ ...move, group: { id, web_url: namespaceWebUrl(externalUrl, group), name } }]
  })
}
