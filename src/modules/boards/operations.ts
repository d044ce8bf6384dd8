import { nothing, pageOf, reading, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { twinsOf } from '../projects/index.ts'
import { createBoard, deleteBoard, getBoard, listBoards, updateBoard } from './core/boards.ts'
import { createList, deleteList, getList, listLists, moveList } from './lists/lists.ts'
import { boardChanges, boardId, listId, listMove, listTargets, newBoard, newList } from './params.ts'
import { Board, BoardList } from './present.ts'

const contractOf = (kind: 'project' | 'group') => (name: string) =>
  kind === 'project' ? `x.board_${name}` : `x.group_board_${name}`

const reads = { tag: 'Boards', method: 'GET', allow: 'read_boards', scopes: reading } as const
const writes = { tag: 'Boards', allow: 'admin_boards', scopes: writing } as const

/** Issue boards (contract 25, x.board_list to x.board_delete, and their twins). */
export const boardTwins = twinsOf(({ kind, path, subject }) => {
  const contract = contractOf(kind)
  const read = { ...reads, subject } as const
  const write = { ...writes, subject } as const
  /** Several boards of groups are a matter of the tier (contract 25). */
  const several = kind === 'group' ? ({ ...write, tier: 'premium' } as const) : write
  const boards = `${path}/boards` as const
  const board = `${boards}/:board_id` as const
  return {
    list: operation({
      ...read,
      id: `${kind}_boards.list`,
      contract: contract('list'),
      path: boards,
      summary: `List the issue boards of a ${kind}`,
      result: [200, pageOf(Board)],
      run: ({ platform, subject, actor, page }) => listBoards(platform, subject, actor, page),
    }),
    get: operation({
      ...read,
      id: `${kind}_boards.get`,
      contract: contract('get'),
      path: board,
      summary: `Get an issue board of a ${kind}`,
      params: boardId,
      result: [200, Board],
      run: ({ platform, subject, actor, params }) => getBoard(platform, subject, actor, params.board_id),
    }),
    create: operation({
      ...several,
      id: `${kind}_boards.create`,
      contract: contract('create'),
      method: 'POST',
      path: boards,
      summary: `Create an issue board of a ${kind}`,
      params: newBoard,
      result: [201, Board],
      run: ({ platform, subject, actor, params }) => createBoard(platform, subject, actor, params.name),
    }),
    update: operation({
      ...write,
      id: `${kind}_boards.update`,
      contract: contract('update'),
      method: 'PUT',
      path: board,
      summary: `Change an issue board of a ${kind}`,
      params: { ...boardId, ...boardChanges },
      result: [200, Board],
      run: ({ platform, subject, actor, params: { board_id: id, ...changes } }) =>
        updateBoard(platform, subject, actor, { id, changes }),
    }),
    delete: operation({
      ...several,
      id: `${kind}_boards.delete`,
      contract: contract('delete'),
      method: 'DELETE',
      path: board,
      summary: `Delete an issue board of a ${kind}`,
      description: 'Its issues and labels stay.',
      params: boardId,
      result: [204, nothing],
      run: ({ platform, subject, params, unmodified }) => deleteBoard(platform, subject, params.board_id, unmodified),
    }),
  }
})

/** The lists of boards (contract 25, x.board_list_list to x.board_list_delete, and their twins). */
export const boardListTwins = twinsOf(({ kind, path, subject }) => {
  const contract = contractOf(kind)
  const read = { ...reads, subject } as const
  const write = { ...writes, subject } as const
  const lists = `${path}/boards/:board_id/lists` as const
  const list = `${lists}/:list_id` as const
  return {
    list: operation({
      ...read,
      id: `${kind}_board_lists.list`,
      contract: contract('list_list'),
      path: lists,
      summary: `List the lists of an issue board of a ${kind}`,
      params: boardId,
      result: [200, pageOf(BoardList)],
      run: ({ platform, subject, params, page }) => listLists(platform, subject, params.board_id, page),
    }),
    get: operation({
      ...read,
      id: `${kind}_board_lists.get`,
      contract: contract('list_get'),
      path: list,
      summary: `Get a list of an issue board of a ${kind}`,
      params: listId,
      result: [200, BoardList],
      run: ({ platform, subject, params }) => getList(platform, subject, params),
    }),
    create: operation({
      ...write,
      id: `${kind}_board_lists.create`,
      contract: contract('list_create'),
      method: 'POST',
      path: lists,
      summary: `Add a list to an issue board of a ${kind}`,
      params: { ...boardId, ...newList },
      exactlyOne: listTargets,
      result: [201, BoardList],
      run: ({ platform, subject, params: { board_id: id, ...given } }) => createList(platform, subject, id, given),
    }),
    move: operation({
      ...write,
      id: `${kind}_board_lists.move`,
      contract: contract('list_move'),
      method: 'PUT',
      path: list,
      summary: `Move a list of an issue board of a ${kind}`,
      description: 'The lists between the two positions shift by one.',
      params: { ...listId, ...listMove },
      result: [200, BoardList],
      run: ({ platform, subject, params }) => moveList(platform, subject, params, params.position),
    }),
    delete: operation({
      ...write,
      id: `${kind}_board_lists.delete`,
      contract: contract('list_delete'),
      method: 'DELETE',
      path: list,
      summary: `Delete a list of an issue board of a ${kind}`,
      params: listId,
      result: [204, nothing],
      run: ({ platform, subject, params, unmodified }) => deleteList(platform, subject, params, unmodified),
    }),
  }
})
