import { type Operation, operation, pageOf, reading, t, writing } from '../../api/index.ts'
import type { ProjectSubject } from '../projects/index.ts'
import { CommitStatus } from './present.ts'
import type { Statuses } from './statuses.ts'
import { commitStates } from './tables.ts'

const tag = 'Commits'

type Needs = { statuses: Statuses; project: ProjectSubject }

/** Statuses of commits (contract 22, x.commits_statuses, x.commits_status_set). */
export function statusOperations({ statuses, project }: Needs): Operation[] {
  return [
    operation({
      id: 'commits.statuses',
      contract: 'x.commits_statuses',
      method: 'GET',
      path: '/projects/:id/repository/commits/:sha/statuses',
      tag,
      summary: 'List the statuses of a commit',
      subject: project,
      allow: 'read_code',
      scopes: reading,
      params: {
        ref: t.string({ description: 'Only those of this branch or tag.' }),
        stage: t.string({ description: 'Only those of this stage.' }),
        name: t.string({ description: 'Only those of this name.' }),
        pipeline_id: t.integer({ description: 'Only those of this pipeline.' }),
        order_by: t.oneOf(['id', 'pipeline_id'], { description: 'By `id` unless given.' }),
        sort: t.oneOf(['asc', 'desc'], { description: 'Ascending unless given.' }),
        all: t.boolean({ description: 'Every status, not only the latest of each name.' }),
      },
      result: [200, pageOf(CommitStatus)],
      run: ({ subject, actor, params, request, page }) =>
        statuses.list(subject, actor, request.path.sha ?? '', params, page),
    }),
    operation({
      id: 'commits.set_status',
      contract: 'x.commits_status_set',
      method: 'POST',
      path: '/projects/:id/statuses/:sha',
      tag,
      summary: 'Set a status of a commit',
      description: 'For systems outside that build or check commits. The first status of a commit makes a pipeline.',
      subject: project,
      allow: 'set_commit_status',
      scopes: writing,
      jobToken: true,
      params: {
        state: t.required(t.oneOf(commitStates)),
        ref: t.string({
          description: 'Branch or tag; that of the newest pipeline, or one with the commit, unless given.',
        }),
        name: t.string({ description: 'What tells it from other statuses of the commit; `default` unless given.' }),
        context: t.string({ description: 'Other name of `name`, which wins.' }),
        target_url: t.string({ description: 'Where more is told of it; http or https.' }),
        description: t.string(),
        coverage: t.string({ description: 'Part of the code that the tests ran through, in percent.' }),
        pipeline_id: t.integer({ description: 'The pipeline that it belongs to; the newest unless given.' }),
      },
      result: [201, CommitStatus],
      run: ({ subject, actor, params, request }) => statuses.set(subject, actor, request.path.sha ?? '', params),
    }),
  ]
}
