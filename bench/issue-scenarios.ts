import { join } from 'node:path'
import { type Caller, caller } from './caller.ts'
import { startEngine } from './engines.ts'
import { inTurn, throughput } from './measure.ts'
import { answering, startFennec } from './processes.ts'
import { openSeeding, type Seeding } from './seeding.ts'
import type { Result } from './table.ts'

const token = 'glpat-bench-token-of-root'
const clients = 32
const [few, many] = [10_000, 1_000_000]

async function created(fennec: Caller, path: string, body: unknown): Promise<number> {
  return JSON.parse(await fennec.call({ method: 'POST', path: `/api/v4${path}`, body }, 201)).id
}

type Filled = { project: number; half: number; rare: number; count: number; firstId: number }

const milestones = 40

/**
 * Fills a project by rows. Every second issue is open, has a label and a milestone; some have a weight, a due date or votes; one
 * in five thousand has another label and a rare word.
 */
export async function fillIssues(seeding: Seeding, { project, half, rare, count, firstId }: Filled): Promise<void> {
  const { at, day, numbers } = seeding
  const rows = `from issues where project_id = ${project}`
  const firstMilestone = firstId + 1
  await seeding.run(`
    insert into milestones (id, iid, project_id, title, due_date, created_at, updated_at)
      select ${firstMilestone} + i, i, ${project}, 'v' || i, case when i % 4 > 0 then ${day('i * 7')} end, ${at('0')}, ${at('0')}
      from ${numbers(milestones)};
    insert into issues (id, project_id, iid, title, description, state, author_id, created_at, updated_at, weight, due_date,
        milestone_id)
      select ${firstId} + i, ${project}, i, 'Issue number ' || ((i * 7919) % ${count}),
        'Description of ' || i || case when i % 5000 = 0 then ' needle Qz' else ' common words' end,
        case when i % 2 = 0 then 'opened' else 'closed' end, 1, ${at('i')}, ${at(`(i * 7919) % ${count}`)},
        case when i % 3 = 0 then i % 10 end, case when i % 4 = 0 then ${day('i % 400')} end,
        case when i % 2 = 0 then ${firstMilestone} + 1 + i / 2 % ${milestones} end
      from ${numbers(count)};
    insert into issues_search (rowid, title, description, long_description)
      select id, lower(title) || '  ', lower(description) || '  ', '' ${rows};
    insert into issuable_labels (label_id, issuable_type, issuable_id, project_id)
      select ${half}, 'Issue', id, project_id ${rows} and iid % 2 = 0;
    insert into issuable_labels (label_id, issuable_type, issuable_id, project_id)
      select ${rare}, 'Issue', id, project_id ${rows} and iid % 5000 = 0;
    insert into label_priorities (project_id, label_id, priority)
      values (${project}, ${half}, 2), (${project}, ${rare}, 1);
    insert into award_emoji (user_id, name, noteable_type, noteable_id, project_id, created_at, updated_at)
      select 1, 'thumbsup', 'Issue', id, project_id, created_at, created_at ${rows} and iid % 5 = 0`)
}

const orders = ['due_date', 'milestone_due', 'title', 'popularity', 'label_priority', 'priority', 'relative_position']
const lists = [
  '',
  'state=opened',
  'labels=half',
  'labels=rare&state=opened',
  'search=needle',
  'search=common',
  'search=qz',
  'search=e',
  'milestone=Any',
  'order_by=updated_at&sort=asc',
  'pagination=keyset',
  'order_by=weight&sort=asc',
  'order_by=weight&sort=desc',
  ...orders.map((order) => `order_by=${order}`),
]

type Place = { name: string; small: string; large: string }

async function measureList(fennec: Caller, query: string, { name: place, small, large }: Place): Promise<Result> {
  const ask = (path: string) => fennec.call({ path: `/api/v4${path}${query}` })
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
  const name = `list issues of ${many}, ${place} (${query || 'all'})`
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

/** Lists of issues in a small and in a large project, in their groups and everywhere, and the creation of issues. */
export async function measureIssues(folder: string): Promise<Result[]> {
  const engine = await startEngine(folder)
  const server = await startFennec(join(folder, 'data'), token, 'source', { FENNEC_DATABASE_URL: engine.databaseUrl })
  await answering(server, '/api/v4/user', token)
  const fennec = caller(server.url, token)
  const settings = { search_rate_limit: 0, issues_create_limit: 0 }
  await fennec.call({ method: 'PUT', path: '/api/v4/application/settings', body: settings })
  const seeding = await openSeeding(engine.databaseUrl)
  const projects: string[] = []
  const groups: string[] = []
  for (const [name, count, firstId] of [
    ['small', few, 0],
    ['large', many, few],
  ] as const) {
    const group = await created(fennec, '/groups', { name, path: name })
    const project = await created(fennec, '/projects', { name, namespace_id: group })
    const label = (title: string) => created(fennec, `/projects/${project}/labels`, { name: title, color: '#ffffff' })
    await fillIssues(seeding, { project, count, firstId, half: await label('half'), rare: await label('rare') })
    projects.push(`/projects/${project}/issues?`)
    groups.push(`/groups/${group}/issues?`)
  }
  for (const table of ['issues', 'milestones', 'award_emoji']) await seeding.continueIds(table)
  if (engine.name === 'PostgreSQL') await seeding.run('analyze')
  await seeding.close()
  const [small = '', large = ''] = projects
  const places: Place[] = [
    { name: 'project', small, large },
    { name: 'group', small: groups[0] ?? '', large: groups[1] ?? '' },
    { name: 'instance', small, large: '/issues?scope=all&' },
  ]
  const results: Result[] = []
  for (const place of places) {
    for (const query of lists) results.push(await measureList(fennec, query, place))
  }
  results.push(await measureCreate(server.url, await created(fennec, '/projects', { name: 'created' })))
  fennec.close()
  await server.stop()
  await engine.stop()
  return results
}
