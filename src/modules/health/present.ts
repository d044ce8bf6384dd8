import { forms, from, nullable, object, of, Type } from '../../api/index.ts'
import type { BackupRow } from '../../platform/instance/index.ts'

/** What keeps the server from working, in sentences (contract 20, Readiness). */
export const Readiness = Type.Object(
  {
    ready: Type.Boolean({ description: 'Whether the server answers all requests' }),
    failing: Type.Array(
      Type.Object({
        check: Type.String({ examples: ['db', 'git', 'storages', 'object_store', 'primary', 'promotion', 'master'] }),
        message: Type.String({ examples: ['the object store is unreachable'] }),
        storage: nullable(Type.String()),
      }),
    ),
  },
  { title: 'ServerReadiness' },
)

/** The load in one minute (contract 20, Load). */
export const Load = Type.Object(
  {
    at: forms.timestamp,
    requests: Type.Integer(),
    errors: Type.Integer({ description: 'Requests that were answered with 5xx' }),
    event_loop_delay_ms: Type.Integer({ description: 'The 99th percentile; of several processes the longest' }),
    memory_bytes: Type.Integer({ description: 'Resident memory; of several processes the sum' }),
    jobs_done: Type.Integer({ description: 'Runs of background jobs that ended well' }),
    jobs_failed: Type.Integer({ description: 'Runs of background jobs that failed, to be repeated or not' }),
  },
  { title: 'ServerLoad' },
)

/** The space of a folder of the server (contract 20, Space). */
export const Space = Type.Object(
  {
    name: Type.String({ examples: ['default', 'objects', 'data'] }),
    kind: Type.String({ description: '`repositories`, `objects` or `data`' }),
    total_bytes: nullable(Type.Integer({ description: 'Null while the folder does not answer' })),
    free_bytes: nullable(Type.Integer()),
    nearly_full: Type.Boolean({ description: 'Whether less than a tenth is free' }),
  },
  { title: 'ServerSpace' },
)

/** A backup that was completed (contract 20, Backup). */
export const Backup = object('ServerBackup', of<BackupRow>(), {
  id: forms.id,
  path: Type.String({ description: 'Where the command wrote the file; it may be elsewhere since' }),
  size_bytes: Type.Integer(),
  incremental: from(Type.Boolean({ description: 'Whether it needs an earlier backup' }), 'is_incremental'),
  started_at: forms.timestamp,
  finished_at: forms.timestamp,
})
