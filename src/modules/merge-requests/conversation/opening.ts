import type { Actor } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openWithCommands } from '../../issuables/index.ts'
import type { Project } from '../../projects/index.ts'
import { createMergeRequest } from '../core/create.ts'
import type { NewMergeRequest } from '../core/params.ts'
import { currentRow, presentSingle } from '../core/single.ts'
import { mergeRequestById } from '../core/store.ts'
import { mergeRequestCommands } from './quick-actions.ts'

/**
 * Creates a merge request, and runs the quick actions in its description (contract 19, x.mr_create; 16, "Rules").
 * @throws ApiError 400, 409, 422
 */
export function openMergeRequest(platform: Platform, project: Project, actor: Actor, params: NewMergeRequest) {
  return openWithCommands(
    platform,
    mergeRequestCommands,
    { actor, description: params.description },
    {
      create(text) {
        const { description: _, ...rest } = params
        const description = text === undefined ? {} : { description: text }
        return createMergeRequest(platform, project, actor, { ...rest, ...description })
      },
      async subjectOf({ id }) {
        const row = await mergeRequestById(platform.database.read, id)
        return row && { project, row }
      },
      present: async ({ row }) => presentSingle(platform, { project, row: await currentRow(platform, row.id) }, actor),
    },
  )
}
