import { forms, instance, notFound, type Operation, pageOf, reading, type TSchema, writing } from '../../api/index.ts'
import { operation, type Platform } from '../../platform/index.ts'
import { group } from '../groups/index.ts'
import { project } from '../projects/index.ts'
import { snippetById } from '../snippets/index.ts'
import { scheduleAll } from './bulk.ts'
import { groupMoves, projectMoves, snippetMoves } from './kinds.ts'
import { getMove, listMoves, type ShownKind, startMove } from './moves.ts'
import { bulkMove, moveInPath, newMove, snippetInPath } from './params.ts'
import {
  GroupStorageMove,
  ProjectStorageMove,
  presentGroupMoves,
  presentProjectMoves,
  presentSnippetMoves,
  SnippetStorageMove,
} from './present.ts'

const tag = 'Storage moves'

const accepted = { message: '202 Accepted' }

/** The numbers of the operations in the contract. */
type Numbers = { list: string; get: string; listOfOne: string; getOfOne: string; start: string; startAll: string }

type Declaration = {
  shown: ShownKind<unknown>
  /** The form of what `shown` presents. */
  schema: TSchema
  /** What one is called in summaries, and several. */
  noun: string
  nouns: string
  numbers: Numbers
  /** Where the operations are available; everywhere without it. */
  limits?: Pick<Operation, 'tier' | 'offerings'>
}

/** The operations on all moves of a kind. */
function ofInstance({ shown, schema, noun, nouns, numbers, limits }: Declaration) {
  const { name } = shown.kind
  const shared = { ...limits, tag, subject: instance, allow: 'administrator' } as const
  const path = `/${name}_repository_storage_moves` as const
  const ids = `${name}_storage_moves`
  return [
    operation({
      ...shared,
      id: `${ids}.list`,
      contract: numbers.list,
      method: 'GET',
      path,
      summary: `List the storage moves of all ${nouns}`,
      scopes: reading,
      result: [200, pageOf(schema)],
      run: ({ platform, page }) => listMoves(platform, shown, null, page),
    }),
    operation({
      ...shared,
      id: `${ids}.get`,
      contract: numbers.get,
      method: 'GET',
      path: `${path}/:repository_storage_id`,
      summary: `Get a storage move of ${noun}`,
      scopes: reading,
      params: moveInPath,
      result: [200, schema],
      run: ({ platform, params }) => getMove(platform, shown, null, params.repository_storage_id),
    }),
    operation({
      ...shared,
      id: `${ids}.create_all`,
      contract: numbers.startAll,
      method: 'POST',
      path,
      summary: `Move all ${nouns} of a storage to another one`,
      description: 'The moves are scheduled in the background. Those that are being moved are skipped.',
      scopes: writing,
      params: bulkMove,
      result: [202, forms.accepted],
      async run({ platform, params, act }) {
        await scheduleAll(platform, shown.kind, params, act)
        return accepted
      },
    }),
  ]
}

const projects: Declaration = {
  shown: { kind: projectMoves, present: presentProjectMoves },
  schema: ProjectStorageMove,
  noun: 'a project',
  nouns: 'projects',
  numbers: {
    list: 'x.project_moves.list',
    get: 'x.project_moves.get',
    listOfOne: 'x.project_moves.list_for_project',
    getOfOne: 'x.project_moves.get_for_project',
    start: 'x.project_moves.schedule',
    startAll: '3.19',
  },
}

const snippets: Declaration = {
  shown: { kind: snippetMoves, present: presentSnippetMoves },
  schema: SnippetStorageMove,
  noun: 'a snippet',
  nouns: 'snippets',
  numbers: {
    list: '3.15',
    get: '3.15c',
    listOfOne: '3.15b',
    getOfOne: '3.15d',
    start: '3.16',
    startAll: '3.17',
  },
}

const groups: Declaration = {
  shown: { kind: groupMoves, present: presentGroupMoves },
  schema: GroupStorageMove,
  noun: 'a group',
  nouns: 'groups',
  numbers: {
    list: '3.18',
    get: '3.18c',
    listOfOne: '3.18b',
    getOfOne: '3.18d',
    start: '3.18e',
    startAll: '3.18f',
  },
  limits: { tier: 'premium', offerings: ['self-managed', 'dedicated'] },
}

const movesOnlyWiki = 'Moves the wiki of the group, and none of its projects.'

/** The operations on the moves of a project or a group. */
function ofPlace(
  subject: typeof project | typeof group,
  { shown, schema, noun, numbers, limits }: Declaration,
  description: string,
) {
  // Both subjects have an id and the ability.
  const shared = { ...limits, tag, subject: subject as typeof project, allow: 'administer' } as const
  const { name } = shown.kind
  const path = `/${name}s/:id/repository_storage_moves` as const
  return [
    operation({
      ...shared,
      id: `${name}_storage_moves.list_of_one`,
      contract: numbers.listOfOne,
      method: 'GET',
      path,
      summary: `List the storage moves of ${noun}`,
      scopes: reading,
      result: [200, pageOf(schema)],
      run: ({ platform, subject: { id }, page }) => listMoves(platform, shown, id, page),
    }),
    operation({
      ...shared,
      id: `${name}_storage_moves.get_of_one`,
      contract: numbers.getOfOne,
      method: 'GET',
      path: `${path}/:repository_storage_id`,
      summary: `Get one of the storage moves of ${noun}`,
      scopes: reading,
      params: moveInPath,
      result: [200, schema],
      run: ({ platform, subject: { id }, params }) => getMove(platform, shown, id, params.repository_storage_id),
    }),
    operation({
      ...shared,
      id: `${name}_storage_moves.create`,
      contract: numbers.start,
      method: 'POST',
      path,
      summary: `Move ${noun} to another storage`,
      description,
      scopes: writing,
      params: newMove,
      result: [201, schema],
      run: ({ platform, subject: { id }, params, act }) =>
        startMove(platform, shown, id, { destination: params.destination_storage_name, act }),
    }),
  ]
}

/** @throws ApiError 404 Snippet */
async function requireSnippet({ database }: Platform, id: number): Promise<number> {
  if (!(await snippetById(database.read, id))) throw notFound('Snippet')
  return id
}

/** The operations on the moves of a snippet. All snippets are found here, also those of projects. */
function ofSnippet({ shown, schema, numbers }: typeof snippets) {
  const shared = { tag, subject: instance, allow: 'administrator' } as const
  const path = '/snippets/:id/repository_storage_moves'
  return [
    operation({
      ...shared,
      id: 'snippet_storage_moves.list_of_one',
      contract: numbers.listOfOne,
      method: 'GET',
      path,
      summary: 'List the storage moves of a snippet',
      scopes: reading,
      params: snippetInPath,
      result: [200, pageOf(schema)],
      run: async ({ platform, params, page }) =>
        listMoves(platform, shown, await requireSnippet(platform, params.id), page),
    }),
    operation({
      ...shared,
      id: 'snippet_storage_moves.get_of_one',
      contract: numbers.getOfOne,
      method: 'GET',
      path: `${path}/:repository_storage_id`,
      summary: 'Get one of the storage moves of a snippet',
      scopes: reading,
      params: { ...snippetInPath, ...moveInPath },
      result: [200, schema],
      run: async ({ platform, params }) =>
        getMove(platform, shown, await requireSnippet(platform, params.id), params.repository_storage_id),
    }),
    operation({
      ...shared,
      id: 'snippet_storage_moves.create',
      contract: numbers.start,
      method: 'POST',
      path,
      summary: 'Move a snippet to another storage',
      description: 'Until the move ends, the snippet cannot be changed.',
      scopes: writing,
      params: { ...snippetInPath, ...newMove },
      result: [201, schema],
      async run({ platform, params, act }) {
        const id = await requireSnippet(platform, params.id)
        return startMove(platform, shown, id, { destination: params.destination_storage_name, act })
      },
    }),
  ]
}

export const operations: readonly Operation[] = [
  ...ofInstance(projects),
  ...ofPlace(project, projects, 'Moves code and wiki. Until the move ends, pushes are refused; reading goes on.'),
  ...ofInstance(snippets),
  ...ofSnippet(snippets),
  ...ofInstance(groups),
  ...ofPlace(group, groups, movesOnlyWiki),
]
