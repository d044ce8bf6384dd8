import { forms, from, nullable, object, of, type Static, Type } from '../../api/index.ts'
import type { JobRow, QueueCounts } from '../../infra/jobs/index.ts'

/** A job. Its payload is not shown: it may name what an administrator need not know (contract 20, BackgroundJob). */
export const BackgroundJob = object('BackgroundJob', of<JobRow>(), {
  id: forms.id,
  queue: Type.String(),
  kind: Type.String({ examples: ['repositories.pack'] }),
  state: Type.String({ description: '`pending`, `running` or `failed`' }),
  attempts: Type.Integer(),
  max_attempts: Type.Integer(),
  run_at: forms.timestamp,
  last_error: forms.nullableString,
  process: from(nullable(Type.String({ description: 'Host and process of a running job' })), 'lease_owner'),
  created_at: forms.timestamp,
  updated_at: forms.timestamp,
})
export type PresentedJob = Static<typeof BackgroundJob>

/** A queue (contract 20, BackgroundQueue). */
export const BackgroundQueue = object('BackgroundQueue', of<QueueCounts>(), {
  name: Type.String(),
  pending: Type.Integer({ description: 'At most 10001, which means more than 10000' }),
  running: Type.Integer(),
  failed: Type.Integer(),
  due_since: nullable(
    Type.String({ format: 'date-time', description: 'When the job became due that waits the longest' }),
  ),
})
