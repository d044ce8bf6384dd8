import { type RawBuilder, sql } from 'kysely'
import type { Reader } from '../../infra/database/index.ts'

/** What is counted: where the rows are, and what they are. */
const counted = {
  projects: [sql`projects where pending_delete = false`, 'Projects'],
  groups: [sql`namespaces where kind = 'group' and pending_delete = false`, 'Groups'],
  issues: [sql`issues`, 'Issues'],
  merge_requests: [sql`merge_requests`, 'Merge requests'],
  notes: [sql`notes`, 'Comments and records of changes'],
  snippets: [sql`snippets`, 'Snippets'],
  boards: [sql`boards`, 'Issue boards'],
  ci_pipelines: [sql`pipelines`, 'Pipelines'],
  ci_builds: [sql`ci_jobs`, 'Jobs of pipelines'],
  ci_runners: [sql`runners`, 'Runners'],
  ci_triggers: [sql`ci_triggers`, 'Pipeline trigger tokens'],
  ci_pipeline_schedules: [sql`pipeline_schedules`, 'Pipeline schedules'],
  deploy_keys: [sql`keys where kind = 'deploy'`, 'Deploy keys'],
  keys: [sql`keys where kind = 'user'`, 'SSH keys of users'],
  labels: [sql`labels`, 'Labels'],
  milestones: [sql`milestones`, 'Milestones'],
  releases: [sql`releases`, 'Releases'],
  web_hooks: [sql`web_hooks`, 'Webhooks'],
  uploads: [sql`uploads`, 'Uploaded files'],
} as const satisfies Record<string, readonly [from: RawBuilder<unknown>, description: string]>

export type CountName = keyof typeof counted
export const countNames = Object.keys(counted) as CountName[]
export const describeCount = (name: CountName): string => counted[name][1]

const activeUsers = sql`users where state = 'active' and bot_kind is null and removed_at is null`

/** Counts everything, in one query. */
export async function countUsage(db: Reader): Promise<Record<CountName | 'active_users', number>> {
  const all = [...countNames.map((name) => [name, counted[name][0]] as const), ['active_users', activeUsers] as const]
  const columns = all.map(([name, from]) => sql`(select count(*) from ${from}) as ${sql.ref(name)}`)
  const query = sql<Record<CountName | 'active_users', number>>`select ${sql.join(columns)}`
  const [row] = (await query.execute(db as never)).rows
  const entries = Object.entries(row ?? {}).map(([name, count]) => [name, Number(count)])
  return Object.fromEntries(entries)
}
