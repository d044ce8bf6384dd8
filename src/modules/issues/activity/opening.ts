import type { Actor, RequestInfo } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openWithCommands } from '../../issuables/index.ts'
import type { Project } from '../../projects/index.ts'
import { readableIssue } from '../core/access.ts'
import { createIssue } from '../core/create.ts'
import type { NewIssue } from '../core/params.ts'
import { issueById } from '../core/store.ts'
import { presentIssue } from '../present/present.ts'
import { issueCommands } from './commands.ts'

/**
 * Creates an issue, and runs the quick actions in its description (contract 16, x.issue_create).
 * @throws ApiError 400, 409, 422, 429
 */
export function openIssue(platform: Platform, project: Project, actor: Actor, params: NewIssue, request: RequestInfo) {
  const { read: db } = platform.database
  return openWithCommands(
    platform,
    issueCommands,
    { actor, description: params.description },
    {
      create: (description) => createIssue(platform, project, actor, { ...params, description }, request),
      subjectOf: ({ iid }) => readableIssue(db, project, iid, actor),
      present: async ({ row }) => presentIssue(platform, (await issueById(db, row.id)) ?? row, actor),
    },
  )
}
