import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Caller, caller } from './caller.ts'
import { inTurn, throughput } from './measure.ts'
import { answering, startFennec } from './processes.ts'
import type { Result } from './table.ts'

const token = 'glpat-bench-token-of-root'
const clients = 32
const [few, many] = [10_000, 1_000_000]

async function created(fennec: Caller, path: string, body: unknown): Promise<number> {
  return JSON.parse(await fennec.call({ method: 'POST', path: `/api/v4${path}`, body }, 201)).id
}

type Filled = { project: number; half: number; rare: number; count: number; firstId: number }

/** Fills a project by rows: every second issue is open and has one label, every five-thousandth has another and a rare word. */
function fill(database: DatabaseSync, { project, half, rare, count, firstId }: Filled): void {
  const at = (second: string) => `strftime('%Y-%m-%dT%H:%M:%fZ', 1700000000 + ${second}, 'unixepoch')`
  database.exec(`
    begin;
    with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count})
      insert into issues (id, project_id, iid, title, description, state, author_id, created_at, updated_at)
      select ${firstId} + i, ${project}, i, 'Issue number ' || i,
        'Description of ' || i || case when i % 5000 = 0 then ' needle' else ' common words' end,
        case when i % 2 = 0 then 'opened' else 'closed' end, 1, ${at('i')}, ${at(`(i * 7919) % ${count}`)} from n;
    insert into issues_search (rowid, title, description, long_description)
      select id, lower(title), lower(description), '' from issues where project_id = ${project};
    insert into issuable_labels (label_id, issuable_type, issuable_id, project_id)
      select ${half}, 'Issue', id, project_id from issues where project_id = ${project} and iid % 2 = 0;
    insert into issuable_labels (label_id, issuable_type, issuable_id, project_id)
      select ${rare}, 'Issue', id, project_id from issues where project_id = ${project} and iid % 5000 = 0;
    commit`)
}

const lists = [
  '',
  'state=opened',
  'labels=half',
  'labels=rare&state=opened',
  'search=needle',
  'search=common',
  'milestone=Any',
  'order_by=updated_at&sort=asc',
  'order_by=relative_position',
  'pagination=keyset',
]

async function measureList(fennec: Caller, query: string, small: number, large: number): Promise<Result> {
  const ask = (project: number) => fennec.call({ path: `/api/v4/projects/${project}/issues?${query}` })
  const {
    fennec: ms,
    floor,
    ratio,
    spreadPercent,
  } = await inTurn(9, async (side) => {
    const started = performance.now()
    await ask(side === 'fennec' ? large : small)
    return performance.now() - started
  })
  const name = `list issues of ${many} (${query || 'all'})`
  const limits = { budget: '<= 3x', met: ratio <= 3 }
  return { name, fennec: ms, unit: 'ms', floor, floorName: `of ${few}`, ratio, spreadPercent, ...limits }
}

async function measureCreate(url: string, project: number): Promise<Result> {
  const fennec = caller(url, token, clients)
  const path = `/api/v4/projects/${project}/issues`
  const { perSecond } = await throughput(clients, 5_000, () =>
    fennec.call({ method: 'POST', path, body: { title: 'An issue' } }, 201),
  )
  fennec.close()
  const limits = { budget: '>= 1000/s', met: perSecond >= 1_000 }
  return { name: `create issues, ${clients} clients`, fennec: perSecond, unit: '/s', ...limits }
}

/** Lists of issues in a small and in a large project, and the creation of issues. */
export async function measureIssues(folder: string): Promise<Result[]> {
  const data = join(folder, 'data')
  const server = await startFennec(data, token)
  await answering(server, '/api/v4/user', token)
  const fennec = caller(server.url, token)
  const settings = { search_rate_limit: 0, issues_create_limit: 0 }
  await fennec.call({ method: 'PUT', path: '/api/v4/application/settings', body: settings })
  const database = new DatabaseSync(join(data, 'fennec.db'), { timeout: 60_000 })
  const projects: number[] = []
  for (const [name, count, firstId] of [
    ['small', few, 0],
    ['large', many, few],
  ] as const) {
    const project = await created(fennec, '/projects', { name })
    const label = (title: string) => created(fennec, `/projects/${project}/labels`, { name: title, color: '#ffffff' })
    fill(database, { project, count, firstId, half: await label('half'), rare: await label('rare') })
    projects.push(project)
  }
  database.close()
  const [small = 0, large = 0] = projects
  const results: Result[] = []
  for (const query of lists) results.push(await measureList(fennec, query, small, large))
  results.push(await measureCreate(server.url, await created(fennec, '/projects', { name: 'created' })))
  fennec.close()
  await server.stop()
  return results
}
