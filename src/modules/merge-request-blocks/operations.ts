import { forms, nothing, pageOf, reading, Type, t, writing } from '../../api/index.ts'
import { operation, refusing } from '../../platform/index.ts'
import { MergeRequestBasic, mergeRequest } from '../merge-requests/index.ts'
import { createBlock, deleteBlock, getBlock, listBlocks, notUpdatable, requireUpdate } from './blocks.ts'

/** That a merge request must be merged before another one; without those that the caller may not read (contract 26.5, Block). */
const Block = Type.Object(
  {
    id: forms.id,
    blocking_merge_request: Type.Optional(MergeRequestBasic),
    blocked_merge_request: Type.Optional(MergeRequestBasic),
    project_id: forms.id,
  },
  { title: 'MergeRequestBlock' },
)

const inRequest = '/projects/:id/merge_requests/:merge_request_iid'
const one = `${inRequest}/blocks/:block_id` as const
const shared = { tag: 'Merge requests', tier: 'premium' } as const
const reads = {
  ...shared,
  subject: mergeRequest,
  method: 'GET',
  allow: 'read_merge_requests',
  scopes: reading,
} as const
const writes = {
  ...shared,
  subject: refusing(mergeRequest, notUpdatable),
  allow: 'update_merge_requests',
  scopes: writing,
} as const
const merge_request_iid = t.id()

export const requestBlocksList = operation({
  ...reads,
  id: 'merge_request_blocks.list',
  contract: 'x.mr_blocks',
  path: `${inRequest}/blocks`,
  summary: 'List what blocks a merge request, oldest first',
  params: { merge_request_iid },
  result: [200, pageOf(Block)],
  run: ({ platform, subject, actor, page }) => listBlocks(platform, subject, actor, { end: 'blocked_id', page }),
})

export const requestBlockeesList = operation({
  ...reads,
  id: 'merge_request_blocks.list_blocked',
  contract: 'x.mr_blockees',
  path: `${inRequest}/blockees`,
  summary: 'List what a merge request blocks, oldest first',
  params: { merge_request_iid },
  result: [200, pageOf(Block)],
  run: ({ platform, subject, actor, page }) => listBlocks(platform, subject, actor, { end: 'blocking_id', page }),
})

export const requestBlocksGet = operation({
  ...reads,
  id: 'merge_request_blocks.get',
  contract: 'x.mr_block_get',
  path: one,
  summary: 'Get a dependency of a merge request',
  params: { merge_request_iid, block_id: t.id() },
  result: [200, Block],
  run: ({ platform, subject, actor, params }) => getBlock(platform, subject, actor, params.block_id),
})

export const requestBlocksCreate = operation({
  ...writes,
  id: 'merge_request_blocks.create',
  contract: 'x.mr_block_create',
  method: 'POST',
  path: `${inRequest}/blocks`,
  summary: 'Make a merge request depend on another one',
  description: 'It cannot be merged before the other one. For developers, and for its author.',
  params: {
    merge_request_iid,
    blocking_merge_request_id: t.integer({ description: 'The id of the other one.' }),
    blocking_merge_request_iid: t.integer({ description: 'Its number in its project.' }),
    blocking_project_id: t.string({ description: 'Id or path of its project. Default: this project.' }),
  },
  exactlyOne: ['blocking_merge_request_id', 'blocking_merge_request_iid'],
  result: [201, Block],
  permits: async ({ subject, actor }) => requireUpdate(actor, subject),
  run: ({ platform, subject, actor, params }) => createBlock(platform, subject, actor, params),
})

export const requestBlocksDelete = operation({
  ...writes,
  id: 'merge_request_blocks.delete',
  contract: 'x.mr_block_delete',
  method: 'DELETE',
  path: one,
  summary: 'Remove a dependency of a merge request',
  description: 'For developers, and for its author.',
  params: { merge_request_iid, block_id: t.id() },
  result: [204, nothing],
  permits: async ({ subject, actor }) => requireUpdate(actor, subject),
  async run({ platform, subject, actor, params, unmodified }) {
    requireUpdate(actor, subject)
    await deleteBlock(platform, subject, { id: params.block_id, unmodified })
  },
})
